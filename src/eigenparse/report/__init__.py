"""Reports of experiments: tables and curves in; a page, its numbers as JSON, and terminal tables out."""

from eigenparse.report.content import Cell as Cell
from eigenparse.report.content import Curves as Curves
from eigenparse.report.content import Report as Report
from eigenparse.report.content import Section as Section
from eigenparse.report.content import Series as Series
from eigenparse.report.content import Table as Table
from eigenparse.report.files import read_report as read_report
from eigenparse.report.files import write_report as write_report
from eigenparse.report.terminal import print_report as print_report

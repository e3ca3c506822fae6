"""Registers every verb with the application by importing its module."""

from eigenparse.cli import evaluate as evaluate
from eigenparse.cli import normalise as normalise

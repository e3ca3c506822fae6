"""Registers every verb with the application by importing its module."""

from importlib import import_module

from eigenparse.cli import learners as learners
from eigenparse.cli.app import PANEL

PAPERS = ("cohen2014", "dhillon2012", "matejovicova2018", "stratos2013")
MADE = ("train", "embed", "reproduce")  # from records, or groups
VERBS = (
    *(name.replace("-", "_") for name in PANEL if name not in MADE),
    *(f"reproduce_{paper}" for paper in PAPERS),
)

for name in VERBS:
    import_module(f"eigenparse.cli.{name}")

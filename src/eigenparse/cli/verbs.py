"""Registers every verb with the application by importing its module."""

from importlib import import_module
from importlib.util import find_spec

from eigenparse.cli import learners as learners

VERBS = (
    "compare",
    "convert",
    "demo",
    "draw",
    "embed",
    "evaluate",
    "info",
    "merge",
    "normalise",
    "parse",
    "perplexity",
    "plot",
    "reproduce_cohen2014",
    "reproduce_dhillon2012",
    "reproduce_matejovicova2018",
    "reproduce_stratos2013",
    "rerank",
    "sample",
    "score",
    "serve",
    "tag",
    "transcribe",
)
OLD_LEARNERS = ("dependency", "deptree", "hmm", "lpcfg", "phones", "rhmm")

for name in (*VERBS, *(f"train_{kind}" for kind in OLD_LEARNERS)):
    if find_spec(f"eigenparse.cli.{name}") is not None:
        import_module(f"eigenparse.cli.{name}")

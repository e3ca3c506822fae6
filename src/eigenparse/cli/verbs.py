"""Registers every verb with the application by importing its module."""

from importlib import import_module

from eigenparse.cli import learners as learners

VERBS = (
    "compare",
    "convert",
    "demo",
    "draw",
    "evaluate",
    "guide",
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
    "warm_up",
)

for name in VERBS:
    import_module(f"eigenparse.cli.{name}")

"""Registers every verb with the application by importing its module."""

from eigenparse.cli import evaluate as evaluate
from eigenparse.cli import normalise as normalise
from eigenparse.cli import tag as tag
from eigenparse.cli import train_hmm as train_hmm
from eigenparse.cli import train_rhmm as train_rhmm

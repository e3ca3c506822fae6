"""The public face of the grammars: load or fit one, then parse, score and sample with it."""

from eigenparse.api.grammar import Grammar, load
from eigenparse.api.learner import LatentPCFG

__all__ = ["Grammar", "LatentPCFG", "load"]

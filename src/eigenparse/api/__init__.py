"""The public face of the models: load or fit one, then parse, score and sample with it."""

from eigenparse.api.grammar import Grammar
from eigenparse.api.learner import LatentPCFG
from eigenparse.api.models import load

__all__ = ["Grammar", "LatentPCFG", "load"]

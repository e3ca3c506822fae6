"""scikit-learn estimators over the sequence learners: arrays with lengths, or lists of sequences, in."""

from eigenparse.estimators.chain import HMMDensity
from eigenparse.estimators.tagger import RefinementHMMTagger

__all__ = ["HMMDensity", "RefinementHMMTagger"]

"""scikit-learn estimators over the sequence learners: arrays with lengths, or lists of sequences, in."""

from eigenparse.estimators.chain import HMMDensity
from eigenparse.estimators.tagger import RefinementHMMTagger
from eigenparse.estimators.words import WordEmbedding

__all__ = ["HMMDensity", "RefinementHMMTagger", "WordEmbedding"]

"""A synthetic treebank: a known latent-variable grammar of English and its sampler."""

from eigenparse.synthetic.convert import latent_grammar
from eigenparse.synthetic.english import english_grammar, sample_treebank
from eigenparse.synthetic.grammar import SyntheticGrammar, expected_words
from eigenparse.synthetic.likelihood import sentence_log_likelihood, tree_log_likelihood
from eigenparse.synthetic.sample import Sample, sample_blocks, sample_trees

__all__ = [
    "Sample",
    "SyntheticGrammar",
    "english_grammar",
    "expected_words",
    "latent_grammar",
    "sample_blocks",
    "sample_treebank",
    "sample_trees",
    "sentence_log_likelihood",
    "tree_log_likelihood",
]

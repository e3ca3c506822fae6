"""Trees or sentences in, their exact log-probabilities under a known grammar out."""

from collections.abc import Sequence

import numpy as np

from eigenparse.arrays import FloatArray
from eigenparse.corpus.columns import Treebank
from eigenparse.corpus.transform import Binarisation, binarise
from eigenparse.inference.grammar.chart import marginals
from eigenparse.inference.grammar.forest import NO_PRUNING, build_forest, choices, rule_index, unconstrained
from eigenparse.inference.grammar.tree import score_trees
from eigenparse.models.words import symbols_of, word_table
from eigenparse.synthetic.convert import latent_grammar
from eigenparse.synthetic.grammar import SyntheticGrammar

OWN_FORM = Binarisation("right", horizontal=0, vertical=1)  # the form that ``compile_grammar`` gives rules


def tree_log_likelihood(grammar: SyntheticGrammar, treebank: Treebank) -> FloatArray:
    """(S,) log p of each tree, summed over hidden states; -inf where the grammar has no such tree."""
    known = np.isin(treebank.words, grammar.words)
    foreign = np.append(~known, False)[treebank.word]  # -1, a phrase, takes the last place
    has_foreign = np.logical_or.reduceat(foreign, treebank.offsets[:-1])
    log_probability = score_trees(latent_grammar(grammar), binarise(treebank, OWN_FORM)).log_probability
    return np.where(has_foreign, -np.inf, log_probability)


def sentence_log_likelihood(grammar: SyntheticGrammar, sentences: Sequence[Sequence[str]]) -> FloatArray:
    """(S,) log p of each sentence, summed over all trees without pruning; -inf if there is none."""
    model = latent_grammar(grammar)
    known, table = set(grammar.words), word_table(model.skeleton)
    index, free = rule_index(model.skeleton), unconstrained(model.skeleton)
    total = np.full(len(sentences), -np.inf)
    for s, words in enumerate(sentences):
        if words and known.issuperset(words):
            leaves = choices(model.skeleton, symbols_of(table, words))
            forest = build_forest(model, index, leaves, free, NO_PRUNING)
            total[s] = -np.inf if forest is None else marginals(forest, model.members[0]).log_total
    return total

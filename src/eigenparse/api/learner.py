"""Settings and a treebank in, a grammar that parses out."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from eigenparse.api.grammar import Grammar, Learning, Sentence
from eigenparse.api.trees import treebank_of
from eigenparse.corpus.columns import Treebank
from eigenparse.corpus.normalise import normalise
from eigenparse.decode.grammar.results import Parse
from eigenparse.errors import DataError
from eigenparse.learn.estimator import OptionsEstimator
from eigenparse.learn.grammar.options import GrammarOptions
from eigenparse.models.registry import named
from eigenparse.run.ordered import open_run
from eigenparse.work.progress import Progress, silent
from eigenparse.work.work import Work


class LatentPCFG(OptionsEstimator, record=GrammarOptions, leave_out=("tune_states",), jobs=1):
    """A learner of latent-variable grammars; it only stores its settings, ``fit`` checks them.

    Its parameters are the fields of ``eigenparse.learn.grammar.options.GrammarOptions``, such as method, states or
    seed; None stands for the default.  jobs: processes for ensembles and judges, 0 for all cores; any number gives
    the same grammar.  After ``fit`` the attribute ``grammar_`` holds the grammar.
    """

    def fit(self, trees: Any, y: Any = None, *, progress: Progress | None = None) -> Grammar:
        """Learn a grammar from paths, a Treebank, ``nltk.Tree`` objects or strings of brackets.

        progress: is told the stage under way.
        """
        options = self.options()
        treebank = _normalised(trees)
        several = options.ensemble > 1 or options.judges(len(treebank))
        with open_run(jobs=self.jobs if several else min(self.jobs, 1)) as run:
            work = Work(run, progress=progress or silent)
            latent = options.fit(treebank, work)
        learning = Learning(work.stages.seconds, work.stages.megabytes)
        self.grammar_ = replace(Grammar.of(latent), learning=learning)
        return self.grammar_

    def predict(self, sentences: Iterable[Sentence]) -> list[Parse]:
        """The best tree of each sentence."""
        return self.grammar_.parse_many(sentences, jobs=self.jobs)

    def score(self, trees: Any, y: Any = None) -> float:
        """Labelled F1 (EVALB, from 0 to 1) of the trees that the grammar finds for the words of gold trees."""
        judge = named("eigenparse.batch.tune_grammar:dev_scores")
        return float(judge(self.grammar_.latent, _normalised(trees)).f1) / 100


def _normalised(trees: Any) -> Treebank:
    treebank = normalise(treebank_of(trees))
    if len(treebank) == 0:
        raise DataError("no tree is left after normalisation; check that the trees have words")
    return treebank

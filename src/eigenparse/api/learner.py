"""Settings and a treebank in, a grammar that parses out."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from eigenparse.api.grammar import Grammar, Sentence
from eigenparse.api.trees import treebank_of
from eigenparse.corpus.cleaning import normalisation_by
from eigenparse.corpus.columns import Treebank
from eigenparse.decode.grammar.results import Parse
from eigenparse.errors import DataError
from eigenparse.learn.estimator import OptionsEstimator
from eigenparse.learn.grammar.options import GrammarOptions
from eigenparse.learn.grammar.reading import cleaned_trees
from eigenparse.models.registry import named
from eigenparse.run.ordered import open_run
from eigenparse.work.progress import Progress, silent
from eigenparse.work.work import Work


class LatentPCFG(
    OptionsEstimator, record=GrammarOptions, leave_out=("tune_states",), jobs=1, keep_tag_suffix=False
):
    """A learner of latent-variable grammars; it only stores its settings, ``fit`` checks them.

    Its parameters are the fields of ``eigenparse.learn.grammar.options.GrammarOptions``, such as method, states or
    seed; None stands for the default.  keep_tag_suffix: leave tags such as N-D as they are.  jobs: processes for
    ensembles and judges, 0 for all cores; any number gives the same grammar.  After ``fit`` the attribute ``grammar_``
    holds the grammar.
    """

    def fit(self, trees: Any, y: Any = None, *, progress: Progress | None = None) -> Grammar:
        """Learn a grammar from paths, a Treebank, ``nltk.Tree`` objects or strings of brackets.

        progress: called with the current stage.
        """
        options = self.options()
        treebank = self._normalised(trees)
        several = options.ensemble > 1 or options.judges(len(treebank))
        with open_run(jobs=self.jobs if several else min(self.jobs, 1)) as run:
            work = Work(run, progress=progress or silent)
            latent = options.fit(treebank, work)
        self.grammar_ = replace(Grammar.of(latent), learning=work.stages)
        return self.grammar_

    def predict(self, sentences: Iterable[Sentence]) -> list[Parse]:
        """The best tree of each sentence."""
        return self._learnt().parse_many(sentences, jobs=self.jobs)

    def score(self, trees: Any, y: Any = None) -> float:
        """Labelled F1 (EVALB, from 0 to 1) of the trees that the grammar finds for the words of gold trees."""
        judge = named("eigenparse.batch.tune_grammar:dev_scores")
        return float(judge(self._learnt().latent, self._normalised(trees, keep_raw=True)).f1) / 100

    def _learnt(self) -> Grammar:
        """What ``fit`` learnt; DataError before that."""
        found: Grammar | None = getattr(self, "grammar_", None)
        if found is None:
            raise DataError("this learner has not learnt a grammar; call fit with trees first")
        return found

    def _normalised(self, trees: Any, *, keep_raw: bool = False) -> Treebank:
        return cleaned_trees(treebank_of(trees), normalisation_by(self.keep_tag_suffix), keep_raw=keep_raw)

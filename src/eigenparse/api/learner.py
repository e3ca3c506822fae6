"""Settings and a treebank in, a grammar that parses out."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from eigenparse.api.grammar import Grammar, Learning
from eigenparse.errors import DataError

if TYPE_CHECKING:
    from eigenparse.learn.grammar.options import GrammarOptions
    from eigenparse.work.progress import Progress


class LatentPCFG:
    """A learner of latent-variable grammars; it only stores its settings, ``fit`` checks them.

    settings: fields of ``eigenparse.learn.grammar.options.GrammarOptions``, such as method, states or seed; what is
    None keeps its default.  jobs: processes for ensembles, 0 for all cores; any number gives the same grammar.
    """

    def __init__(self, *, jobs: int = 1, **settings: Any) -> None:
        self.jobs, self.settings = jobs, settings

    def __repr__(self) -> str:
        given = {**self.settings, "jobs": self.jobs}
        return f"LatentPCFG({', '.join(f'{name}={value!r}' for name, value in given.items())})"

    def options(self) -> "GrammarOptions":
        """The checked settings."""
        from eigenparse.learn.grammar.options import GrammarOptions

        return GrammarOptions(**{name: value for name, value in self.settings.items() if value is not None})

    def fit(self, trees: Any, *, progress: "Progress | None" = None) -> Grammar:
        """Learn a grammar from paths, a Treebank, ``nltk.Tree`` objects or strings of brackets.

        progress: is told the stage under way.
        """
        from eigenparse.api.trees import treebank_of
        from eigenparse.corpus.normalise import normalise
        from eigenparse.run.ordered import open_run
        from eigenparse.work.progress import silent
        from eigenparse.work.work import Work

        options = self.options()
        treebank = normalise(treebank_of(trees))
        if len(treebank) == 0:
            raise DataError("no tree is left after normalisation; check that the trees have words")
        with open_run(jobs=self.jobs if options.ensemble > 1 else min(self.jobs, 1)) as run:
            work = Work(run, progress=progress or silent)
            latent = options.fit(treebank, work)
        learning = Learning(work.stages.seconds, work.stages.megabytes)
        return replace(Grammar.of(latent), learning=learning)

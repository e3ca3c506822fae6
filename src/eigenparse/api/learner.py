"""Settings and a treebank in, a grammar that parses out."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from eigenparse.api.grammar import Grammar, Learning
from eigenparse.errors import DataError, OptionError

if TYPE_CHECKING:
    from eigenparse.corpus.columns import Treebank
    from eigenparse.learn.checkpoint import Checkpoint
    from eigenparse.learn.grammar.learner import LpcfgOptions
    from eigenparse.run.ordered import OrderedRun

Progress = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class LatentPCFG:
    """A learner of latent-variable grammars; it only stores its settings, ``fit`` checks them.

    None stands for the default of ``eigenparse.learn.grammar.learner.LpcfgOptions`` and its parts, or of the
    preset: "thesis" has the settings of [matejovicova-2018] as they were.  method:
    "cluster", "tensor", "em" or "pcfg".  states: most latent states of a label.  states_by_label: of
    single labels, by name.  ensemble: number of members; noise, noise_level: how they differ besides
    their seeds.  features: "full" or "thesis".  factor, horizontal, vertical: of the binarisation.
    rare: words seen at most so often are learnt as rare ones; rare_words: "class" or "tag", what
    such words are known by.  jobs: processes for ensembles, 0 for all cores; any number gives the
    same grammar.
    """

    preset: str | None = None
    method: str | None = None
    states: int | None = None
    em_rounds: int | None = None
    ensemble: int | None = None
    seed: int = 0
    noise: str | None = None
    noise_level: float | None = None
    features: str | None = None
    factor: str | None = None
    horizontal: int | None = None
    vertical: int | None = None
    rare: int | None = None
    rare_words: str | None = None
    rule_smoothing: float | None = None
    nodes_per_state: int | None = None
    states_by_label: tuple[tuple[str, int], ...] = ()
    jobs: int = 1

    def options(self) -> "LpcfgOptions":
        """The checked settings, defaults filled in."""
        from eigenparse.learn.grammar.learner import PRESETS

        if self.preset is not None and self.preset not in PRESETS:
            raise OptionError(f"preset must be one of {', '.join(PRESETS)}, got {self.preset!r} instead")
        if self.seed < 0:
            raise OptionError(f"seed must be 0 or more, got {self.seed} instead")
        base = PRESETS[self.preset or "default"]
        binarisation = {"factor": self.factor, "horizontal": self.horizontal, "vertical": self.vertical}
        lexicon = {"rare": self.rare, "by_tag": self._by_tag()}
        return replace(
            base,
            **_given(
                method=self.method,
                em_rounds=self.em_rounds,
                ensemble=self.ensemble,
                rare=self.rare,
                rule_smoothing=self.rule_smoothing,
            ),
            seed=self.seed,
            states=replace(base.states, **self._states()),
            lexicon=replace(base.lexicon, **_given(**lexicon)),
            binarisation=replace(base.binarisation, **_given(**binarisation)),
        )

    def _states(self) -> dict[str, Any]:
        """What is asked for about states and features."""
        from eigenparse.learn.grammar.states import FEATURE_SETS

        sets: dict[str, Any] = {}
        if self.features is not None:
            if self.features not in FEATURE_SETS:
                names = ", ".join(FEATURE_SETS)
                raise OptionError(f"features must be one of {names}, got {self.features!r} instead")
            sets["inside"], sets["outside"] = FEATURE_SETS[self.features]
        return _given(
            states=self.states,
            nodes_per_state=self.nodes_per_state,
            noise=self.noise,
            noise_level=self.noise_level,
            by_label=self.states_by_label or None,
            **sets,
        )

    def _by_tag(self) -> bool | None:
        if self.rare_words not in (None, "class", "tag"):
            raise OptionError(f"rare_words must be 'class' or 'tag', got {self.rare_words!r} instead")
        return None if self.rare_words is None else self.rare_words == "tag"

    def fit(self, trees: Any, *, progress: Progress | None = None) -> Grammar:
        """Learn a grammar from paths, a Treebank, ``nltk.Tree`` objects or strings of brackets."""
        from eigenparse.api.trees import treebank_of
        from eigenparse.corpus.normalise import normalise

        options = self.options()
        treebank = normalise(treebank_of(trees))
        if len(treebank) == 0:
            raise DataError("no tree is left after normalisation; check that the trees have words")
        return self.fit_normalised(treebank, options, progress=progress)

    def fit_normalised(
        self,
        treebank: "Treebank",
        options: "LpcfgOptions",
        *,
        progress: Progress | None = None,
        checkpoint: "Checkpoint | None" = None,
        run: "OrderedRun | None" = None,
    ) -> Grammar:
        """The same from trees that are normalised, with settings that are checked.  run: where members are learnt."""
        from eigenparse.learn.checkpoint import NOTHING_KEPT
        from eigenparse.learn.grammar.learner import train_treebank
        from eigenparse.run.local import check_jobs, process_map

        jobs = check_jobs(self.jobs)
        kept = NOTHING_KEPT if checkpoint is None else checkpoint
        if run is not None:
            learned = train_treebank(treebank, options, run=run.map_ordered, checkpoint=kept)
        elif jobs > 1 and options.ensemble > 1:
            learned = train_treebank(
                treebank,
                options,
                run=lambda task, items: process_map(task, items, jobs=jobs),
                checkpoint=kept,
            )
        else:
            learned = train_treebank(treebank, options, progress=progress, checkpoint=kept)
        return replace(Grammar.of(learned.grammar), learning=Learning(learned.seconds, learned.megabytes))


def _given(**settings: Any) -> dict[str, Any]:
    """The settings that are not None."""
    return {name: value for name, value in settings.items() if value is not None}

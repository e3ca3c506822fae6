"""The options of the grammar learner, each written once."""

from dataclasses import dataclass, replace
from typing import Any, ClassVar

from eigenparse.corpus.transform import FACTORS, Binarisation
from eigenparse.errors import OptionError
from eigenparse.learn.grammar.lexicon import LexiconOptions
from eigenparse.learn.grammar.states import FEATURE_SETS, KAPPA, NOISES, PRECISIONS, StateOptions
from eigenparse.learn.options import Options, option
from eigenparse.models.grammar.kind import MOST_STATES
from eigenparse.models.grammar.pcfg import LatentGrammar
from eigenparse.models.registry import named
from eigenparse.work.work import Work

METHODS = ("cluster", "tensor", "em", "splitmerge", "pcfg")
JUDGE_FROM = 1000  # trees; fewer teach a judge too little
# What stands for None: the preset's value, else the method's, else the usual one.
USUAL: dict[str, Any] = {
    "method": "cluster", "states": 32, "noise": "none", "noise_level": 0.1, "features": "full", "scaling": "counts",
    "precision": "single", "factor": "head", "horizontal": 0, "vertical": 1, "rare": 5, "rare_words": "class",
    "state_mixing": 0.1, "word_weight": 1.0, "tag_weight": 2.0, "case_weight": 4.0, "least_share": 1e-4,
    "coarse_states": 4, "nodes_per_state": 100, "em_rounds": 0, "rule_smoothing": 10.0, "word_shrinkage": 1.0,
    "span_loss": 0.008,
}  # fmt: skip
BY_METHOD: dict[str, dict[str, Any]] = {
    "cluster": {"em_rounds": 3},
    "em": {"em_rounds": 40},
    "splitmerge": {"em_rounds": 4},
    "tensor": {"nodes_per_state": 30, "rule_smoothing": 30.0, "word_shrinkage": 5.0},
    "pcfg": {},
}
# The settings of [matejovicova-2018]: its 4 + 4 unscaled features, the same number of states for all labels, no
# smoothing, no EM, words seen fewer than 5 times replaced by their tags (so that input must be tagged).
THESIS: dict[str, Any] = {
    "states": 8, "nodes_per_state": 1, "features": "thesis", "scaling": "none", "em_rounds": 0,
    "rule_smoothing": 0.0, "state_mixing": 0.0, "word_shrinkage": 0.0, "rare_words": "tag", "rare": 4,
    "word_weight": 0.0, "tag_weight": 0.0, "case_weight": 0.0, "coarse_states": 0, "factor": "right", "span_loss": 0.0,
}  # fmt: skip
PRESETS: dict[str, dict[str, Any]] = {"default": {}, "thesis": THESIS}


@dataclass(frozen=True)
class GrammarOptions(Options):
    """Learn a latent-variable grammar from a treebank.

    None stands for the value of the preset or of the method.
    """

    kind: ClassVar[str] = "lpcfg"
    examples: ClassVar[tuple[str, ...]] = (
        "eigenparse train lpcfg train.ptb --dev dev.ptb --out english.model",
        "eigenparse train lpcfg treebank/ --ensemble 4 --jobs 2 --out strong.model",
        "eigenparse train lpcfg train.ptb --method tensor --states 32 --out spectral.model",
    )

    preset: str = option(
        "default", "Settings to start from; thesis: those of matejovicova-2018.", choices=tuple(PRESETS)
    )
    method: str | None = option(
        None,
        "How to learn: cluster (k-means of projected features, then EM), tensor (method of moments), em (EM from "
        "random states), splitmerge (EM whose states are split in two and merged again, Petrov et al. 2006) or pcfg "
        "(no latent states); cluster unless given.",
        choices=METHODS,
    )
    states: int | None = option(
        None, "Maximum number of latent states per label; 32 unless given.", low=1, high=256
    )
    nodes_per_state: int | None = option(
        None, "Nodes that a label needs for each of its states; 100, or 30 for tensor.", low=1
    )
    states_by_label: tuple[tuple[str, int], ...] = option(
        (), "Numbers of states of single labels, by name, in place of the rule.", shown=False
    )
    em_rounds: int | None = option(
        None, "Rounds of expectation maximisation; 3, 40 for the method em, 4 after splitmerge.", low=0
    )
    ensemble: int = option(
        1, "Number of members; they differ in seeds and in how wide nodes are cut.", low=1, high=64
    )
    noise: str | None = option(
        None, "Noise by which members differ besides; none unless given.", choices=NOISES
    )
    noise_level: float | None = option(None, "Strength of the noise; 0.1 unless given.", low=0.0, high=0.99)
    features: str | None = option(
        None,
        "All features of nodes, or the 4 + 4 of the thesis; full unless given.",
        choices=tuple(FEATURE_SETS),
    )
    scaling: str | None = option(
        None, "Scale features down by their counts, or not; counts unless given.", choices=("counts", "none")
    )
    precision: str | None = option(
        None, "Precision of features and projections.", choices=tuple(PRECISIONS), shown=False
    )
    factor: str | None = option(
        None,
        "How nodes with many children become binary; head unless given, but right where the English head rules know "
        "fewer than half of the phrases.",
        choices=FACTORS,
    )
    horizontal: int | None = option(None, "Siblings that intermediate nodes remember; 0 unless given.", low=0)
    vertical: int | None = option(None, "2: phrases remember their parent; 1 unless given.", low=1, high=2)
    rare: int | None = option(None, "Words seen at most this often are rare; 5 unless given.", low=0)
    rare_words: str | None = option(
        None,
        "What stands for rare words: a class of their spelling or their tag (then input must be tagged); class "
        "unless given.",
        choices=("class", "tag"),
    )
    rule_smoothing: float | None = option(
        None, "Constant of the smoothing of rules; 10, or 30 for tensor.", low=0.0
    )
    state_mixing: float | None = option(
        None,
        "Share of a state's words that goes to the label's other states; 0.1 unless given.",
        low=0.0,
        high=1.0,
    )
    word_shrinkage: float | None = option(
        None, "Constant by which a word's states are backed off to its label's.", low=0.0, shown=False
    )
    word_weight: float | None = option(
        None, "Tokens' worth of its class that is mixed into a word.", low=0.0, shown=False
    )
    tag_weight: float | None = option(
        None, "Tokens' worth of its tags that is mixed into a word.", low=0.0, shown=False
    )
    case_weight: float | None = option(
        None,
        "Tokens' worth of the word without its capital that is mixed into a word with one.",
        low=0.0,
        shown=False,
    )
    least_share: float | None = option(
        None,
        "Labels of a word below this share of its likeliest one are left out of the lexicon.",
        low=0.0,
        high=1.0,
        shown=False,
    )
    coarse_states: int | None = option(
        None,
        "States per label of the small grammar that prunes, 0 for none; 4 unless given.",
        low=0,
        high=256,
    )
    span_loss: float | None = option(
        None,
        "Share of held-out constituents that the filter of spans may close, 0 for no filter; 0.008 unless given.",
        low=0.0,
        high=0.5,
    )
    unpacked: bool = option(False, "Write all weights in full precision: a file ten to thirty times larger.")
    judge: bool | None = option(
        None,
        "Learn a second look at doubtful brackets and tags too; unless given, from treebanks in memory of 1000 trees "
        "or more, but not for the method pcfg or the preset thesis.",
    )
    tune_states: bool = option(
        False, "First choose the numbers of states by F1 on the --dev trees; this learns many grammars."
    )
    seed: int = option(0, "Seed of random numbers; the same seed gives the same bytes.", low=0)

    def __post_init__(self) -> None:
        super().__post_init__()
        for name, n in self.states_by_label:
            if not 1 <= n <= MOST_STATES:
                raise OptionError(
                    f"the states of {name} must be between 1 and {MOST_STATES}, got {n} instead"
                )

    def fit(self, data: Any, work: Work = Work()) -> LatentGrammar:
        """Learn from normalised trees (``Treebank``) or from shards of them (``Shards``)."""
        fitted: LatentGrammar = named("eigenparse.learn.grammar.learner:fit_grammar")(data, self, work)
        return fitted

    def tuned(self, data: Any, gold: Any, work: Work) -> "GrammarOptions":
        """The options to learn with, chosen on development trees if that was asked for."""
        if not self.tune_states:
            return self
        chosen: GrammarOptions = named("eigenparse.batch.tune_grammar:tune_states")(self, data, gold, work)
        return chosen

    def baseline(self) -> "GrammarOptions | None":
        """The plain PCFG of the same trees, to compare with; None if that is what is learnt."""
        filled = self.filled()
        return (
            None
            if filled.method == "pcfg"
            else replace(self, method="pcfg", ensemble=1, states_by_label=(), judge=False)
        )

    def judges(self, n_trees: int) -> bool:
        """Whether a judge is learnt from so many trees in memory."""
        if self.judge is not None:
            return self.judge
        return self.preset == "default" and self.filled().method != "pcfg" and n_trees >= JUDGE_FROM

    def filled(self) -> "GrammarOptions":
        """The same options with a value in the place of every None."""
        preset = PRESETS[self.preset]
        method = self.method or preset.get("method", USUAL["method"])
        values = USUAL | BY_METHOD[method] | preset | {"method": method}
        return replace(self, **{name: v for name, v in values.items() if getattr(self, name) is None})

    def small(self) -> "GrammarOptions | None":
        """Filled options of the small grammar whose posteriors prune for the members; None if there is none."""
        if not self.coarse_states or self.method == "pcfg" or (self.states or 0) <= self.coarse_states:
            return None
        return replace(
            self,
            method="cluster",
            states=self.coarse_states,
            states_by_label=(),
            em_rounds=1,
            ensemble=1,
            noise="none",
            rule_smoothing=USUAL["rule_smoothing"],
            word_shrinkage=None,
        )

    # The records of parts of the learner, of options that are filled.

    @property
    def of_states(self) -> StateOptions:
        """How nodes get their latent states."""
        inside, outside = FEATURE_SETS[str(self.features)]
        return StateOptions(
            states=self.states or 1,
            nodes_per_state=self.nodes_per_state,
            by_label=self.states_by_label,
            inside=inside,
            outside=outside,
            kappa=KAPPA if self.scaling == "counts" else None,
            noise=str(self.noise),
            noise_level=self.noise_level or 0.0,
            precision=str(self.precision),
        )

    @property
    def of_lexicon(self) -> LexiconOptions:
        """How words borrow from their classes."""
        return LexiconOptions(
            rare=self.rare or 0,
            word_weight=self.word_weight or 0.0,
            tag_weight=self.tag_weight or 0.0,
            case_weight=self.case_weight or 0.0,
            least=self.least_share or 0.0,
            by_tag=self.rare_words == "tag",
        )

    @property
    def binarisation(self) -> Binarisation:
        """How wide nodes become binary."""
        return Binarisation(str(self.factor), self.horizontal or 0, self.vertical or 1)

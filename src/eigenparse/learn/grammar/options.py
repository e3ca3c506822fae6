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
from eigenparse.threads import one_thread
from eigenparse.work.work import Work

METHODS = ("cluster", "tensor", "em", "splitmerge", "pcfg")
STATELESS = {"method": ("pcfg",)}
JUDGE_FROM = 1000  # minimum number of trees for a judge
# What None means: the preset's value, else the method's, else the default.
USUAL: dict[str, Any] = {
    "method": "cluster", "states": 32, "noise": "none", "noise_level": 0.1, "features": "full", "scaling": "counts",
    "precision": "single", "factor": "head", "horizontal": 0, "vertical": 1, "rare": 5, "rare_words": "class",
    "state_mixing": 0.1, "word_weight": 1.0, "tag_weight": 2.0, "case_weight": 4.0, "least_share": 1e-4,
    "coarse_states": 4, "nodes_per_state": 100, "em_rounds": 0, "rule_smoothing": 10.0, "word_shrinkage": 1.0,
    "span_loss": 0.004,
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
    """Train a latent-variable grammar on a treebank.

    None means the value of the preset or of the method.
    """

    kind: ClassVar[str] = "lpcfg"
    examples: ClassVar[tuple[str, ...]] = (
        "eigenparse train lpcfg train.ptb --dev dev.ptb --out english.model",
        "eigenparse train lpcfg treebank/ --ensemble 4 --jobs 2 --out strong.model",
        "eigenparse train lpcfg train.ptb --method tensor --states 32 --out spectral.model",
    )

    preset: str = option(
        "default", "Default settings, or those of Matejovičová (2018).", choices=tuple(PRESETS)
    )
    method: str | None = option(
        None,
        "Training method: cluster (k-means of projected features, then EM), tensor (method of moments), em (EM from "
        "random states), splitmerge (split-merge EM, Petrov et al. 2006) or pcfg (no latent states). Default: cluster.",
        choices=METHODS,
    )
    states: int | None = option(
        None, "Maximum number of latent states per label. Default: 32.", low=1, high=256, idle=STATELESS
    )
    nodes_per_state: int | None = option(
        None,
        "Training nodes required per state of a label. Default: 100; 30 for tensor.",
        low=1,
        idle=STATELESS,
    )
    states_by_label: tuple[tuple[str, int], ...] = option(
        (), "Number of states of individual labels, by name.", shown=False
    )
    em_rounds: int | None = option(
        None, "Rounds of EM. Default: 3 for cluster, 40 for em, 4 after splitmerge, 0 for tensor.", low=0,
        idle={"method": ("pcfg", "tensor")},
    )  # fmt: skip
    ensemble: int = option(
        1, "Number of grammars in an ensemble; they differ in seed and binarisation.", low=1, high=64
    )
    noise: str | None = option(
        None, "Noise on the features of ensemble members. Default: none.", choices=NOISES,
        idle={"method": ("pcfg", "em", "splitmerge")},
    )  # fmt: skip
    noise_level: float | None = option(
        None, "Strength of the noise. Default: 0.1.", low=0.0, high=0.99, idle={"noise": ("none",)}
    )
    features: str | None = option(
        None,
        "All node features, or the 4 + 4 features of the thesis. Default: full.",
        choices=tuple(FEATURE_SETS),
    )
    scaling: str | None = option(
        None, "Whether frequent features are scaled down. Default: counts.", choices=("counts", "none")
    )
    precision: str | None = option(
        None, "Precision of features and projections.", choices=tuple(PRECISIONS), shown=False
    )
    factor: str | None = option(
        None,
        "How nodes with many children are binarised. Default: head; right if the English head rules cover fewer than "
        "half of the phrases.",
        choices=FACTORS,
    )
    horizontal: int | None = option(None, "Siblings recorded in intermediate labels. Default: 0.", low=0)
    vertical: int | None = option(
        None, "2: labels are annotated with their parent. Default: 1.", low=1, high=2
    )
    rare: int | None = option(None, "Words seen at most this often are rare. Default: 5.", low=0)
    rare_words: str | None = option(
        None,
        "What replaces rare words: a class of spellings, or the tag (then input must be tagged). Default: class.",
        choices=("class", "tag"),
    )
    rule_smoothing: float | None = option(
        None, "Smoothing constant of rules. Default: 10; 30 for tensor.", low=0.0
    )
    state_mixing: float | None = option(
        None,
        "Share of a state's words that is spread over the other states of its label. Default: 0.1.",
        low=0.0,
        high=1.0,
        idle=STATELESS,
    )
    word_shrinkage: float | None = option(
        None, "Constant by which a word's states are backed off to its label's.", low=0.0, shown=False
    )
    word_weight: float | None = option(
        None, "Pseudo-count with which a word backs off to its class.", low=0.0, shown=False
    )
    tag_weight: float | None = option(
        None, "Pseudo-count with which a word backs off to its tags.", low=0.0, shown=False
    )
    case_weight: float | None = option(
        None,
        "Pseudo-count with which a capitalised word backs off to its lower-case form.",
        low=0.0,
        shown=False,
    )
    least_share: float | None = option(
        None,
        "A word's labels with less than this share of its most likely one are dropped from the lexicon.",
        low=0.0,
        high=1.0,
        shown=False,
    )
    coarse_states: int | None = option(
        None,
        "States per label of the small grammar used for pruning; 0 for none. Default: 4.",
        low=0,
        high=256,
        idle=STATELESS,
    )
    span_loss: float | None = option(
        None,
        "Share of held-out constituents that the span filter may prune; 0 for no filter. Default: 0.004.",
        low=0.0,
        high=0.5,
    )
    unpacked: bool = option(
        False, "Write all weights in full precision; the file is ten to thirty times larger."
    )
    level: bool = option(
        False,
        "With tensor: choose bases of states in which unseen rules have the same weight in all states.",
        shown=False,
    )
    judge: bool | None = option(
        None,
        "Also train a second model that re-scores uncertain brackets and tags. Default: for 1000 trees or more, unless "
        "they are streamed, the method is pcfg or the preset is thesis.",
    )
    tune_states: bool = option(
        False, "First choose the numbers of states by F1 on the --dev trees; this trains many grammars."
    )
    seed: int = option(0, "Random seed; the same seed gives the same bytes.", low=0)

    def __post_init__(self) -> None:
        super().__post_init__()
        for name, n in self.states_by_label:
            if not 1 <= n <= MOST_STATES:
                raise OptionError(
                    f"the states of {name} must be between 1 and {MOST_STATES}, got {n} instead"
                )

    def fit(self, data: Any, work: Work = Work()) -> LatentGrammar:
        """Learn from normalised trees (``Treebank``) or from shards of them (``Shards``)."""
        with one_thread():
            fitted: LatentGrammar = named("eigenparse.learn.grammar.learner:fit_grammar")(data, self, work)
        return fitted

    def tuned(self, data: Any, gold: Any, work: Work) -> "GrammarOptions":
        """The options to learn with, chosen on development trees if that was asked for."""
        if not self.tune_states:
            return self
        return named("eigenparse.batch.tune_grammar:tune_states")(self, data, gold, work)

    def baseline(self) -> "GrammarOptions | None":
        """The plain PCFG of the same trees, to compare with; None if that is what is learnt."""
        filled = self.filled()
        return (
            None
            if filled.method == "pcfg"
            else replace(self, method="pcfg", ensemble=1, states_by_label=(), judge=False)
        )

    def judges(self, n_trees: int) -> bool:
        """Whether a judge is learnt from this many trees in memory."""
        if self.judge is not None:
            return self.judge
        return self.preset == "default" and self.filled().method != "pcfg" and n_trees >= JUDGE_FROM

    def filled(self) -> "GrammarOptions":
        """The same options with every None replaced by its default."""
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

    # Options of the parts of the learner, made from filled options.

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
            level=self.level,
        )

    @property
    def of_lexicon(self) -> LexiconOptions:
        """How lexicon entries are smoothed."""
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

"""Dependency trees in, a latent tree model out, by the estimator asked for."""

from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar

import numpy as np

from eigenparse.arrays import AnyArray, FloatArray
from eigenparse.corpus.dependencies import Dependencies
from eigenparse.errors import OptionError
from eigenparse.features.dependency.channels import SHAPES, check_channels, encode, vocabulary
from eigenparse.learn.dependency.arcs import check_complete
from eigenparse.learn.dependency.blocks import (
    SpectralSums,
    TreeBlock,
    instrument_block,
    not_positive,
    pair_block,
    spectral_block,
    sum_blocks,
    tree_blocks,
)
from eigenparse.learn.dependency.dictionary import arc_dictionary, vector_dictionary
from eigenparse.learn.dependency.em import Smoothing, em_rounds, from_counts, positive, state_counts
from eigenparse.learn.dependency.instruments import instrument_parameters
from eigenparse.learn.dependency.moments import (
    SpectralParameters,
    consistent_parameters,
    printed_parameters,
    visible_states,
)
from eigenparse.learn.dependency.reading import TreeData
from eigenparse.learn.dependency.split_heads import fit_split_heads
from eigenparse.learn.dependency.word_features import inside_outside
from eigenparse.learn.options import Options, option
from eigenparse.models.dependency.deptree import DepTree, Names, TreeModel, proper_model
from eigenparse.models.dependency.split_heads import ESTIMATORS as SPLIT_HEADS
from eigenparse.models.dependency.split_heads import SplitHeads
from eigenparse.spectral.cluster import cluster_rows
from eigenparse.spectral.svd import cross_svd
from eigenparse.work.work import Work

SPECTRAL = ("consistent", "printed")
WITH_DICTIONARY = (*SPECTRAL, "instruments", "recovered")
ESTIMATORS = (*WITH_DICTIONARY, "cluster", "em", *SPLIT_HEADS)


@dataclass(frozen=True)
class DepTreeOptions(Options):
    """Learn the probability of words given their dependency tree, with a hidden state per word.

    estimator: ``consistent`` and ``printed`` are spectral and observe only the first channel;
    ``instruments`` is spectral too but uses every word and every channel, regularised by ``ridge``;
    ``recovered`` turns the consistent one into probabilities and improves them by EM; ``cluster``
    groups projected words and counts; ``em`` improves the clusters by rounds of EM; ``lpcfg`` learns a
    latent PCFG over split heads (``members`` of them), whose labels are the only channel, upos or tag, and with
    ``relations`` a labeller of the arcs that it finds; ``lpcfg-tensor`` does so by the method of moments.
    """

    kind: ClassVar[str] = "deptree"
    examples: ClassVar[tuple[str, ...]] = (
        "eigenparse train deptree train.conllu --states 16 --estimator lpcfg --dev dev.conllu --out my.model",
    )

    states: int = option(10, "Number of hidden states.", low=1)
    estimator: str = option("em", "How the model is estimated.", choices=ESTIMATORS)
    channels: str = option(
        "",
        "What is observed of a word, separated by commas: form, tag, upos, left, right, distance. Default: "
        "tag,left,right,distance (form instead of tag with vectors); upos for lpcfg.",
    )
    members: int = option(
        1, "Number of lpcfg grammars whose log-probabilities are averaged.", low=1,
        idle={"estimator": tuple(name for name in ESTIMATORS if name not in SPLIT_HEADS)},
    )  # fmt: skip
    rounds: int = option(
        8, "Rounds of EM, for em and recovered.", low=0,
        idle={"estimator": tuple(name for name in ESTIMATORS if name not in ("em", "recovered"))},
    )  # fmt: skip
    ridge: float = option(1e-3, "Regularisation of spectral inverses.", low=0.0)
    seed: int = option(0, "Seed of clustering and recovery.", low=0)
    relations: bool = option(True, "Whether lpcfg learns the names of arcs too.", shown=False)
    rare: int = option(5, "Forms seen at most this often are replaced by their tag.", low=0, shown=False)
    smoothing: Smoothing = option(Smoothing(), "Pseudo-counts.", shown=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.channels:
            check_channels(self.observed())
        if self.estimator in SPLIT_HEADS and self.observed() not in (("upos",), ("tag",)):
            raise OptionError(f"{self.estimator} takes one channel, upos or tag, got {self.channels} instead")

    def observed(self, *, vectors: bool = False) -> tuple[str, ...]:
        """The channels, or the default of the estimator.  vectors: whether there are word vectors."""
        if self.channels:
            return tuple(name.strip() for name in self.channels.split(","))
        if self.estimator in SPLIT_HEADS:
            return ("upos",)
        return ("form" if vectors and self.estimator in WITH_DICTIONARY else "tag", *SHAPES)

    def tuned(self, data: TreeData, gold: TreeData | None, work: Work) -> "DepTreeOptions":
        """The same options; refuses development trees for an estimator that does not parse."""
        if gold is not None and self.estimator in (*SPECTRAL, "instruments"):
            raise OptionError(
                f"the estimator {self.estimator} scores trees but finds none; leave out --dev or change the estimator"
            )
        return self

    def fit(self, data: TreeData | Dependencies, work: Work = Work()) -> TreeModel:
        """Learn from complete trees; the dictionary is made of word vectors or of parent-child pairs."""
        data = TreeData(data) if isinstance(data, Dependencies) else data
        channels = self.observed(vectors=data.vectors is not None)
        check_complete(data.trees)
        if data.vectors is not None and (self.estimator not in WITH_DICTIONARY or channels[0] != "form"):
            raise OptionError(
                f"vectors serve {', '.join(WITH_DICTIONARY)} with form as the first channel; change one of them"
            )
        if self.estimator in SPLIT_HEADS:
            return fit_split_heads(
                data.trees, channels[0], self.states, work, members=self.members, relations=self.relations,
                seed=self.seed, estimator=self.estimator,
            )  # fmt: skip
        names = vocabulary(data.trees, channels, self.rare)
        corpus = _Corpus(data, channels, names, encode(data.trees, channels, names))
        return _Estimation(self, corpus, tree_blocks(data.trees, corpus.symbols), work).model()


@dataclass(frozen=True, slots=True)
class _Corpus:
    """Trees, the names of what is observed of their words, and what each word has: symbols (T, Q)."""

    data: TreeData
    channels: tuple[str, ...]
    names: Names
    symbols: AnyArray


@dataclass(frozen=True, slots=True)
class _Estimation:
    """One estimate under way: options, corpus, the corpus in blocks, and where sums over blocks are made."""

    options: DepTreeOptions
    corpus: _Corpus
    blocks: list[TreeBlock]
    work: Work

    def model(self) -> DepTree:
        """The model, with facts about its training."""
        options = self.options
        if options.estimator in (*SPECTRAL, "instruments"):
            made = self._as_model(*self._spectral())
        else:
            start = self._recovered if options.estimator == "recovered" else self._clustered
            rounds = 0 if options.estimator == "cluster" else options.rounds
            made = em_rounds(start, self.blocks, rounds, options.smoothing, self.work)
        n_bad = 0 if made.is_proper else sum_blocks(self.work, not_positive, self.blocks, model=made)
        return replace(made, about=made.about | {"trees": len(self.corpus.data.trees), "not_positive": n_bad})

    def _as_model(self, p: SpectralParameters, n_families: int) -> DepTree:
        """Spectral parameters as they are; only instruments observe more than the first channel."""
        corpus = self.corpus
        n = len(corpus.names) if self.options.estimator == "instruments" else 1
        return DepTree(
            self.options.estimator, corpus.channels[:n], corpus.names[:n], p.start, p.transition, p.observation,
            p.final, p.product, {"families": n_families, "log_likelihood": []},
        )  # fmt: skip

    def _dictionary(self) -> FloatArray:
        """U (W, k) of word vectors, or of parent-child pairs."""
        first, k, vectors = self.corpus.names[0], self.options.states, self.corpus.data.vectors
        if vectors is not None:
            return vector_dictionary(vectors, first, k)
        return arc_dictionary(sum_blocks(self.work, pair_block, self.blocks, n_symbols=len(first)), k)

    def _spectral(self) -> tuple[SpectralParameters, int]:
        """Spectral parameters from sums over blocks, and the number of families that they use."""
        self.work.stage("moments")
        options, U, add_up = self.options, self._dictionary(), partial(sum_blocks, self.work)
        if options.estimator == "instruments":
            shape = np.array([channel in ("left", "right") for channel in self.corpus.channels])
            n_symbols, n_words = sum(map(len, self.corpus.names)), self.corpus.data.trees.n_words
            found = add_up(
                instrument_block, self.blocks, U=U, shape=shape, n_symbols=n_symbols, n_words=n_words
            )
            return instrument_parameters(found, ridge=options.ridge), 0
        sums: SpectralSums = add_up(spectral_block, self.blocks, U=U)
        n_families = int(sums.family.n)
        if options.estimator != "printed":
            return consistent_parameters(sums.family, ridge=options.ridge), n_families
        left, right = sums.left / max(sums.n_left, 1), sums.right / max(sums.n_right, 1)
        return printed_parameters(sums.family, sums.word / sums.n_words, left, right, U), n_families

    def _recovered(self) -> DepTree:
        """Probabilities behind the spectral parameters; other channels are uniform until they are counted."""
        p, n_families = self._spectral()
        names, k = self.corpus.names, self.options.states
        start, transition, table = visible_states(p, rng=self.work.random(self.options.seed, 1))
        share = np.bincount(self.corpus.symbols[:, 0], minlength=len(names[0])) + 0.5
        table = np.maximum(table, 0.0) + 0.05 * (share / share.sum())[:, None]
        start, transition, table = positive(start, transition, table / table.sum(axis=0), 0.05)
        observation = np.concatenate([table, *(np.full((len(n), k), 1.0 / len(n)) for n in names[1:])])
        made = proper_model("recovered", self.corpus.channels, names, start, transition, observation)
        return replace(made, about={"families": n_families, "log_likelihood": []})

    def _clustered(self) -> DepTree:
        """Clusters of projected inside and outside features, counted."""
        self.work.stage("clusters")
        corpus, k, seed = self.corpus, self.options.states, self.options.seed
        inside, outside = inside_outside(corpus.data.trees)
        found = cross_svd(inside, outside, k, rng=self.work.random(seed, 2))
        views = np.concatenate([inside.times(found.left), outside.times(found.right)], axis=1)
        state = cluster_rows(views, k, rng=self.work.random(seed, 3))
        counts = state_counts(corpus.data.trees, corpus.symbols, sum(map(len, corpus.names)), state, k)
        named = proper_model(
            self.options.estimator, corpus.channels, corpus.names, counts.start, counts.transition,
            counts.observation,
        )  # fmt: skip
        made = from_counts(counts, named, self.options.smoothing)
        return replace(made, about={"families": 0, "log_likelihood": []})


def options_like(model: TreeModel) -> DepTreeOptions:
    """Options with the estimator, states and channels of a trained model."""
    members = len(model.grammar.members) if isinstance(model, SplitHeads) else 1
    return DepTreeOptions(
        estimator=model.estimator,
        states=model.n_states,
        channels=",".join(model.channels),
        members=members,
        relations=False,
    )

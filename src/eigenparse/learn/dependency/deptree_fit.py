"""Dependency trees in, a latent tree model out, by the estimator asked for."""

from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np

from eigenparse.arrays import AnyArray, FloatArray, generator
from eigenparse.corpus.dependencies import Dependencies, is_projective
from eigenparse.errors import DataError, OptionError
from eigenparse.inference.dependency.deptree import encode, vocabulary
from eigenparse.learn.checkpoint import NOTHING_KEPT, Checkpoint
from eigenparse.learn.dependency.deptree_blocks import (
    SpectralSums,
    TreeBlock,
    instrument_block,
    not_positive,
    pair_block,
    spectral_block,
    sum_blocks,
    tree_blocks,
)
from eigenparse.learn.dependency.deptree_em import (
    Names,
    Smoothing,
    Start,
    em_rounds,
    from_counts,
    positive,
    state_counts,
)
from eigenparse.learn.dependency.deptree_features import arc_dictionary, inside_outside
from eigenparse.learn.dependency.deptree_instruments import instrument_parameters
from eigenparse.learn.dependency.deptree_moments import (
    SpectralParameters,
    consistent_parameters,
    printed_parameters,
    visible_states,
)
from eigenparse.learn.dependency.deptree_vectors import vector_dictionary
from eigenparse.learn.dependency.split_heads import fit_split_heads
from eigenparse.learn.rounds import Tell, silent
from eigenparse.models.dependency.deptree import DepTree, TreeModel, check_channels, proper_model
from eigenparse.models.dependency.split_heads import ESTIMATOR as SPLIT_HEADS
from eigenparse.models.dependency.split_heads import SplitHeads
from eigenparse.models.vectors.vectors import WordVectors
from eigenparse.run.local import LocalRun
from eigenparse.run.ordered import OrderedRun
from eigenparse.spectral.cluster import cluster_rows
from eigenparse.spectral.svd import cross_svd

SPECTRAL = ("consistent", "printed")
ESTIMATORS = (*SPECTRAL, "instruments", "recovered", "cluster", "em", SPLIT_HEADS)
WITH_DICTIONARY = (*SPECTRAL, "instruments", "recovered")
VALENCE = ("left", "right", "distance")


@dataclass(frozen=True, slots=True)
class DepTreeReport:
    """What learning saw: log-likelihood before each EM round, and totals that are no probabilities.

    n_lifted: trees with crossing arcs that split heads take as projective ones.
    """

    estimator: str
    n_trees: int
    n_families: int
    log_likelihood: tuple[float, ...]
    n_not_positive: int
    n_lifted: int = 0


@dataclass(frozen=True, slots=True)
class DepTreeLearner:
    """Choices for learning a latent tree model.

    estimator: ``consistent`` and ``printed`` are spectral and observe only the first channel;
    ``instruments`` is spectral too but uses every word and every channel, regularised by ``ridge``;
    ``recovered`` turns the consistent one into probabilities and improves them by EM; ``cluster``
    groups projected words and counts; ``em`` improves the clusters by rounds of EM; ``lpcfg`` learns a
    latent PCFG over split heads (``members`` of them), whose labels are the only channel, upos or tag, and with
    ``relations`` a labeller of the arcs that it finds.
    """

    estimator: str = "em"
    n_states: int = 10
    channels: tuple[str, ...] = ()
    members: int = 1
    relations: bool = False
    rare: int = 5
    rounds: int = 8
    ridge: float = 1e-3
    smoothing: Smoothing = field(default_factory=Smoothing)
    seed: int = 0

    def fit(
        self,
        trees: Dependencies,
        *,
        vectors: WordVectors | None = None,
        run: OrderedRun = LocalRun(),
        checkpoint: Checkpoint = NOTHING_KEPT,
        tell: Tell = silent,
    ) -> tuple[TreeModel, DepTreeReport]:
        """Learn from complete trees; the dictionary is made of ``vectors`` or of parent-child pairs.

        run: where moments and counts are made, block by block; the result is the same.
        checkpoint: where rounds of EM are kept and looked for.  tell: is told the stage under way.
        """
        if not self.channels:
            default = ("upos",) if self.estimator == SPLIT_HEADS else ("tag", *VALENCE)
            if vectors is not None and self.estimator in WITH_DICTIONARY:
                default = ("form", *VALENCE)
            learner = replace(self, channels=default)
            return learner.fit(trees, vectors=vectors, run=run, checkpoint=checkpoint, tell=tell)
        self._check(trees)
        if vectors is not None and (self.estimator not in WITH_DICTIONARY or self.channels[0] != "form"):
            raise OptionError(
                f"vectors serve {', '.join(WITH_DICTIONARY)} with form as the first channel; change one of them"
            )
        if self.estimator == SPLIT_HEADS:
            return self._split_heads(trees, run, checkpoint, tell)
        names = vocabulary(trees, self.channels, self.rare)
        corpus = _Corpus(trees, names, encode(trees, self.channels, names), vectors)
        blocks = tree_blocks(trees, corpus.symbols)
        history: tuple[float, ...] = ()
        if self.estimator in (*SPECTRAL, "instruments"):
            tell("moments")
            p, n_families = self._spectral(corpus, blocks, run)
            model = self._as_model(p, names)
        else:
            start = self._recovered if self.estimator == "recovered" else self._clustered
            model, underway = em_rounds(
                partial(start, corpus, blocks, run, tell),
                (self.estimator, self.channels, names),
                blocks,
                0 if self.estimator == "cluster" else self.rounds,
                self.smoothing,
                run=run,
                checkpoint=checkpoint,
                tell=tell,
            )
            history, n_families = underway.trace, int(underway.about["n_families"])
        n_bad = 0 if model.is_proper else sum_blocks(run, not_positive, blocks, model=model)
        return model, DepTreeReport(self.estimator, len(trees), n_families, history, n_bad)

    def _split_heads(
        self, trees: Dependencies, run: OrderedRun, checkpoint: Checkpoint, tell: Tell
    ) -> tuple[TreeModel, DepTreeReport]:
        """A latent PCFG over split heads."""
        grammar = fit_split_heads(
            trees,
            n_states=self.n_states,
            tags=self.channels[0],
            members=self.members,
            relations=self.relations,
            seed=self.seed,
            run=run,
            checkpoint=checkpoint,
            tell=tell,
        )
        n_lifted = int((~is_projective(trees)).sum())
        return grammar, DepTreeReport(self.estimator, len(trees), 0, (), 0, n_lifted)

    def _as_model(self, p: SpectralParameters, names: Names) -> DepTree:
        """Spectral parameters as they are; only instruments observe more than the first channel."""
        n = len(names) if self.estimator == "instruments" else 1
        return DepTree(
            self.estimator,
            self.channels[:n],
            names[:n],
            p.start,
            p.transition,
            p.observation,
            p.final,
            p.product,
        )

    def _check(self, trees: Dependencies) -> None:
        check_channels(self.channels)
        if self.estimator not in ESTIMATORS:
            raise OptionError(
                f"estimator must be one of {', '.join(ESTIMATORS)}, got {self.estimator} instead"
            )
        if self.estimator == SPLIT_HEADS and self.channels not in (("upos",), ("tag",)):
            raise OptionError(f"lpcfg takes one channel, upos or tag, got {', '.join(self.channels)} instead")
        if self.n_states < 1 or self.rounds < 0 or self.ridge < 0:
            raise OptionError("states must be 1 or more, rounds and ridge 0 or more; change the option")
        if trees.n_words == 0 or trees.head.min() < 0:
            raise DataError("a tree model learns from complete trees; give a file with a head for every word")

    def _dictionary(self, corpus: "_Corpus", blocks: list[TreeBlock], run: OrderedRun) -> FloatArray:
        """U (W, k) of word vectors, or of parent-child pairs."""
        first = corpus.names[0]
        if corpus.vectors is not None:
            return vector_dictionary(corpus.vectors, first, self.n_states)
        return arc_dictionary(sum_blocks(run, pair_block, blocks, n_symbols=len(first)), self.n_states)

    def _spectral(
        self, corpus: "_Corpus", blocks: list[TreeBlock], run: OrderedRun
    ) -> tuple[SpectralParameters, int]:
        """Spectral parameters from sums over blocks, and the number of families that they use."""
        U = self._dictionary(corpus, blocks, run)
        if self.estimator == "instruments":
            n_words = sum(block.head.size for block in blocks)
            shape = np.array([channel in ("left", "right") for channel in self.channels])
            given = {"shape": shape, "n_symbols": sum(map(len, corpus.names)), "n_words": n_words}
            found = sum_blocks(run, instrument_block, blocks, U=U, **given)
            return instrument_parameters(found, ridge=self.ridge), 0
        sums: SpectralSums = sum_blocks(run, spectral_block, blocks, U=U)
        n_families = int(sums.family.n)
        if self.estimator != "printed":
            return consistent_parameters(sums.family, ridge=self.ridge), n_families
        left, right = sums.left / max(sums.n_left, 1), sums.right / max(sums.n_right, 1)
        return printed_parameters(sums.family, sums.word / sums.n_words, left, right, U), n_families

    def _recovered(self, corpus: "_Corpus", blocks: list[TreeBlock], run: OrderedRun, tell: Tell) -> Start:
        """Probabilities behind the spectral parameters; other channels are even until they are counted."""
        tell("moments")
        p, n_families = self._spectral(corpus, blocks, run)
        names = corpus.names
        start, transition, table = visible_states(p, rng=generator(self.seed, 1))
        share = np.bincount(corpus.symbols[:, 0], minlength=len(names[0])) + 0.5
        table = np.maximum(table, 0.0) + 0.05 * (share / share.sum())[:, None]
        start, transition, table = positive(start, transition, table / table.sum(axis=0), 0.05)
        rest = [np.full((len(n), self.n_states), 1.0 / len(n)) for n in names[1:]]
        observation = np.concatenate([table, *rest])
        model = proper_model("recovered", self.channels, names, start, transition, observation)
        return model, {"n_families": n_families}

    def _clustered(self, corpus: "_Corpus", blocks: list[TreeBlock], run: OrderedRun, tell: Tell) -> Start:
        """Clusters of projected inside and outside features, counted."""
        tell("clusters")
        inside, outside = inside_outside(corpus.trees)
        found = cross_svd(inside, outside, self.n_states, rng=generator(self.seed, 2))
        views = np.concatenate([inside.times(found.left), outside.times(found.right)], axis=1)
        state = cluster_rows(views, self.n_states, rng=generator(self.seed, 3))
        n_rows = sum(map(len, corpus.names))
        counts = state_counts(corpus.trees, corpus.symbols, n_rows, state, self.n_states)
        model = from_counts(counts, self.estimator, self.channels, corpus.names, self.smoothing)
        return model, {"n_families": 0}


@dataclass(frozen=True, slots=True)
class _Corpus:
    """Trees, the names of what is observed of their words, and what each word has: symbols (T, Q)."""

    trees: Dependencies
    names: Names
    symbols: AnyArray
    vectors: WordVectors | None


def learner_like(model: TreeModel, *, seed: int = 0) -> DepTreeLearner:
    """A learner with the estimator, states and channels of a trained model."""
    members = len(model.grammar.members) if isinstance(model, SplitHeads) else 1
    return DepTreeLearner(
        estimator=model.estimator,
        n_states=model.n_states,
        channels=model.channels,
        members=members,
        seed=seed,
    )

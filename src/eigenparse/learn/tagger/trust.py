"""Choose the smoothing of a tagger's states on held-out training text; the bigram HMM is one of the choices.

The last tenth of the training sequences is held out.  What is compared there is the posterior of the right label,
token by token, with the same emission; the winner is learnt again from all sequences.
"""

from dataclasses import dataclass, replace

import numpy as np

from eigenparse.arrays import AnyArray
from eigenparse.inference.tagger.chain import PRUNING, dense_marginals, lattice_of, run_lattice
from eigenparse.learn.tagger.base import Bigram, Labelled, fit_bigram, no_observations, one_state
from eigenparse.learn.tagger.emission import EmissionLearner, LogLinearEmission, fit_emission
from eigenparse.learn.tagger.plan import TaggerPlan
from eigenparse.learn.tagger.runs import estimate_run_operators
from eigenparse.learn.tagger.spectral import (
    SpectralChoices,
    chain_views,
    estimate_observations,
    estimate_operators,
    neutral_vector,
)
from eigenparse.models.tagger.rhmm import Emission, Observations, Operators, RefinementHMM

SHARE = 10  # one sequence in this many is held out
FACTORS = (1.0, 3.0)  # of the usual smoothing; beyond them, no states at all
DEMAND = 5.0  # standard errors, as if tokens were independent, by which states must beat the bigram HMM
FEWEST = 200  # minimum number of held-out tokens for a comparison
TRIAL_PASSES = 2  # passes of the emission with which strengths are compared


@dataclass(frozen=True, slots=True)
class Trial:
    """A smoothing on held-out text: how much posterior the right labels gain over the bigram HMM, in tokens.

    errors: the gain in standard errors, as if tokens were independent.
    """

    strength: float
    weight: float
    gain: float
    errors: float


def spectral_parts(
    data: Labelled, plan: TaggerPlan, several: list[SpectralChoices], bigram: Bigram
) -> tuple[list[tuple[Operators, Observations]], tuple[AnyArray, ...]]:
    """Operators and observations by moments under several smoothings of the same views; singular values by label."""
    views = chain_views(data, plan.features, several[0], plan.seed)
    neutral = neutral_vector(several[0].states)
    made = [
        (
            (estimate_run_operators if one.runs else estimate_operators)(data, views, bigram, one),
            estimate_observations(data, views.destiny, plan.symbols, neutral, one.weight),
        )
        for one in several
    ]
    return made, views.along


def choose_smoothing(data: Labelled, plan: TaggerPlan) -> tuple[SpectralChoices | None, list[Trial]]:
    """The smoothing of largest gain among those clearly better than the bigram HMM; None: the HMM itself."""
    usual = plan.spectral
    cut = len(data.sequences) - max(1, len(data.sequences) // SHARE)
    past, held = data.part(0, cut), data.part(cut, len(data.sequences))
    if held.labels.size < FEWEST or not past.labels.size:
        return usual, []
    several = [replace(usual, strength=f * usual.strength, weight=f * usual.weight) for f in FACTORS]
    emission = fit_emission(_brief(plan.emission), past, plan.seed)
    bigram = fit_bigram(past)
    parts, _ = spectral_parts(past, plan, several, bigram)
    found = _right_posteriors(held, emission, [(one_state(bigram), no_observations()), *parts])
    trials = [_trial(one, mine - found[0]) for one, mine in zip(several, found[1:], strict=True)]
    best = max(range(len(trials)), key=lambda k: (trials[k].errors >= DEMAND, trials[k].gain, -k))
    return (several[best] if trials[best].errors >= DEMAND else None), trials


def _trial(choices: SpectralChoices, difference: AnyArray) -> Trial:
    gain, spread = float(difference.sum()), float(np.sqrt(np.square(difference).sum()))
    return Trial(choices.strength, choices.weight, gain, gain / spread if spread > 0.0 else 0.0)


def _brief(learner: EmissionLearner) -> EmissionLearner:
    """A cheaper emission, with which all strengths are compared."""
    if isinstance(learner, LogLinearEmission):
        return replace(learner, passes=min(learner.passes, TRIAL_PASSES))
    return learner


def _right_posteriors(
    held: Labelled, emission: Emission, parts: list[tuple[Operators, Observations]]
) -> list[AnyArray]:
    """Posterior of the right label at every token, (T,), of the bigram HMM, which is first, and of the others."""
    models = [RefinementHMM(held.sequences.names, held.label, held.names, o, emission, v) for o, v in parts]
    lattice = lattice_of(models[-1], held.sequences, PRUNING)  # smoothing changes no key, so all share it
    token = np.arange(held.labels.size)
    right = []
    for k, model in enumerate(models):
        mine = lattice if k else replace(lattice, vector=np.zeros_like(lattice.vector))
        marginal = dense_marginals(run_lattice(model, held.sequences.offsets, mine), len(held.names))
        right.append(np.clip(marginal[token, held.labels], 0.0, 1.0))
    return right

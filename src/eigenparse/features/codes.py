"""Frames in, discrete codes out: a seeded mini-batch k-means codebook and the nearest code of every frame."""

from dataclasses import dataclass

import numpy as np

from eigenparse.arrays import AnyArray, IntVector, generator
from eigenparse.errors import DataError, OptionError
from eigenparse.threads import one_thread

BATCH = 8192
MOST = 10_000
CELLS = 1 << 22  # rows of the table of products that are in memory at once


@dataclass(frozen=True, slots=True)
class Codebook:
    """scale: (d,), what every value is divided by;  centres: (n, d) in scaled values, float32."""

    scale: AnyArray
    centres: AnyArray

    def __len__(self) -> int:
        return int(self.centres.shape[0])


@dataclass(frozen=True, slots=True)
class CodeChoices:
    """Number of codes, passes over the frames, and the weights of coefficients, first and second differences."""

    n_codes: int = 1000
    passes: int = 8
    weights: tuple[float, float, float] = (1.0, 0.7, 0.4)
    seed: int = 0


def learn_codebook(frames: AnyArray, choices: CodeChoices) -> Codebook:
    """k-means of frames (T, d): every value is divided by its standard deviation, then weighted by its kind."""
    if not 1 <= choices.n_codes <= MOST:
        raise OptionError(f"codes must be 1 to {MOST}, got {choices.n_codes} instead")
    if frames.shape[0] < choices.n_codes:
        raise DataError(
            f"{frames.shape[0]} frames are too few for {choices.n_codes} codes; use fewer codes or more recordings"
        )
    deviation = np.std(frames, axis=0, dtype=np.float64)
    kind = np.repeat(choices.weights, -(-frames.shape[1] // 3))[: frames.shape[1]]
    scale = (np.where(deviation > 0.0, deviation, 1.0) / kind).astype(np.float32)
    scaled = np.ascontiguousarray(frames / scale, dtype=np.float32)
    with one_thread():  # the same sums in the same order
        return Codebook(scale, mini_batch_means(scaled, choices.n_codes, choices.passes, choices.seed))


def mini_batch_means(rows: AnyArray, n_centres: int, passes: int, seed: int) -> AnyArray:
    """Centres by mini-batches: each batch moves a centre to the running mean of all rows assigned to it.

    The count of rows is halved after each pass, so that early assignments lose weight.  A centre without any row
    in a pass starts again at a random row.
    """
    rng = generator(seed, 41)
    n = rows.shape[0]
    batch = max(BATCH, 4 * n_centres)
    centres = rows[np.sort(rng.choice(n, n_centres, replace=False))].astype(np.float32)
    count = np.zeros(n_centres)
    for step in range(passes):
        won = np.zeros(n_centres)
        order = rng.permutation(n)
        for at in range(0, n, batch):
            part = rows[order[at : at + batch]]
            mine = nearest_codes(part, centres)
            size = np.bincount(mine, minlength=n_centres).astype(np.float64)
            total = np.stack(
                [np.bincount(mine, weights=part[:, j], minlength=n_centres) for j in range(rows.shape[1])],
                axis=1,
            )
            count += size
            hit = size > 0.0
            change = (total[hit] - size[hit, None] * centres[hit]) / count[hit, None]
            centres[hit] = (centres[hit] + change).astype(np.float32)
            won += size
        count *= 0.5
        lost = np.flatnonzero(won == 0.0)
        if lost.size and step < passes - 1:
            centres[lost] = rows[rng.choice(n, lost.size, replace=False)]
            count[lost] = 0.0
    return centres


def nearest_codes(rows: AnyArray, centres: AnyArray) -> IntVector:
    """The closest centre of every row, the first on ties: |x - c|^2 is smallest where x.c - |c|^2 / 2 is largest."""
    half = 0.5 * np.einsum("ij,ij->i", centres, centres)
    out = np.empty(rows.shape[0], dtype=np.int32)
    step = max(64, CELLS // centres.shape[0])
    for at in range(0, rows.shape[0], step):
        out[at : at + step] = np.argmax(rows[at : at + step] @ centres.T - half, axis=1)
    return out


def codes_of(book: Codebook, frames: AnyArray) -> IntVector:
    """Codes of unscaled frames (T, d)."""
    if frames.shape[1] != book.scale.size:
        raise DataError(
            f"frames have {frames.shape[1]} values, the codebook {book.scale.size}; use the same features"
        )
    with one_thread():
        return nearest_codes(np.ascontiguousarray(frames / book.scale, dtype=np.float32), book.centres)

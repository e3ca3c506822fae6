"""Classes of words in a tree: sums go up to coarser classes, means come down from them.

coarser: (classes,) the class above, always of a smaller number; -1 at the first.  shares: (classes, columns).
"""

from eigenparse.kernels.compiled import kernel


@kernel
def add_to_coarser(coarser, shares):
    """Add every class to the classes above it."""
    for c in range(coarser.size - 1, 0, -1):
        for j in range(shares.shape[1]):
            shares[coarser[c], j] += shares[c, j]


@kernel
def mix_with_coarser(coarser, shares, prior, size, weight):
    """Sums become means, each mixed with ``weight`` times the mean of the class above, the first with ``prior``."""
    for c in range(coarser.size):
        below = size[c] + weight
        for j in range(shares.shape[1]):
            base = shares[coarser[c], j] if c > 0 else prior[j]
            shares[c, j] = (shares[c, j] + weight * base) / below

"""Find equal subtrees of binary trees; sort nodes by counting."""

import numpy as np

from eigenparse.kernels.compiled import kernel
from eigenparse.kernels.intern import empty_table, mix


@kernel
def share_subtrees(trees, is_first, node, row):
    """Write the node of each row and the first row of each node; rows with equal subtrees have one node.

    trees: label, left, right and word of all rows, in post-order.  is_first: whether a row begins its sentence, which
    tells words apart.  Returns the number of nodes.
    """
    label, left, right, word = trees
    one, other = np.empty(label.size, np.int32), np.empty(label.size, np.int32)  # keys of the parts of a node
    table, count = empty_table(label.size), 0
    mask = table.size - 1
    for i in range(label.size):
        a = node[left[i]] if left[i] >= 0 else word[i]
        b = node[right[i]] if left[i] >= 0 else -1 - is_first[i]
        slot = np.int64(mix(mix(label[i], a), b) & np.uint64(mask))
        while table[slot] >= 0:
            k = table[slot]
            if one[k] == a and other[k] == b and label[row[k]] == label[i]:
                break
            slot = (slot + 1) & mask
        if table[slot] < 0:
            table[slot] = count
            one[count], other[count], row[count] = a, b, i
            count += 1
        node[i] = table[slot]
    return count


@kernel
def sort_by(key, order, out, first):
    """Sort ``order`` by key, from -1 to first.size - 2, keeping ties as they are; first[k]: where key k begins."""
    first[:] = 0
    below = 0
    for i in range(key.size):
        if key[i] < 0:
            below += 1
        elif key[i] + 1 < first.size:
            first[key[i] + 1] += 1
    first[0] = below
    for k in range(1, first.size):
        first[k] += first[k - 1]
    place, low = first.copy(), 0
    for s in range(order.size):
        k = key[order[s]]
        if k < 0:
            out[low] = order[s]
            low += 1
        else:
            out[place[k]] = order[s]
            place[k] += 1

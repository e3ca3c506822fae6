"""Scores of arcs in, the best tree with crossing arcs allowed out [chu-liu-1965, edmonds-1967]."""

import numpy as np

from eigenparse.kernels.compiled import kernel


@kernel
def best_arborescence(scores, head):
    """Write the heads (n,) of the best spanning tree whose root 0 has one child; return its score.

    A constant larger than any difference of totals is subtracted from root arcs, so that exactly one is used.
    """
    n = head.size
    weight = scores.astype(np.float64)
    low, high = np.inf, -np.inf
    for h in range(n + 1):
        for m in range(1, n + 1):
            if h != m:
                low, high = min(low, weight[h, m]), max(high, weight[h, m])
    for m in range(1, n + 1):
        weight[0, m] -= (high - low + 1.0) * (n + 1)
    head[:] = -1
    contract(weight, head)
    total = 0.0
    for m in range(1, n + 1):
        total += scores[head[m - 1], m]
    return total


# What it computes: the tree of heads with the largest sum of scores, crossing arcs allowed [chu-liu-1965,
# edmonds-1967].  Every word takes its best head; a cycle c is contracted to one node, where an arc h -> m into the
# cycle weighs  weight[h, m] - weight[parent(m), m],  the price of breaking the cycle at m; and so on until there is
# no cycle.  Layout: weight (n + 1, n + 1), head before dependent, row and column 0 the root.  Order: cycles are
# unfolded in the reverse order of their contraction, because a later cycle may contain an earlier one.
@kernel
def contract(weight, head):
    """Contract cycles until none is left, then unfold them in reverse; ``weight`` is changed.

    A contracted cycle is represented by its first node.  tail[h, m] and tip[h, m] remember the original
    arc behind the weight between two live nodes; owner[c, v] is the member of cycle c that
    contained word v, -1 outside; arcs inside cycle c are kept in within_tail and within_tip.
    """
    size = weight.shape[0]
    tail = np.empty((size, size), dtype=np.int32)
    tip = np.empty((size, size), dtype=np.int32)
    for h in range(size):
        tail[h, :] = h
        tip[:, h] = h
    group = np.arange(size)
    alive = np.ones(size, dtype=np.bool_)
    parent = np.zeros(size, dtype=np.int64)
    owner = np.full((size, size), -1, dtype=np.int32)
    within_tail = np.full((size, size), -1, dtype=np.int32)
    within_tip = np.full((size, size), -1, dtype=np.int32)
    n_cycles = np.int64(0)
    while True:
        best_parents(weight, alive, parent)
        member = find_cycle(parent, alive)
        if member.size == 0:
            break
        for m in member:
            within_tail[n_cycles, m] = tail[parent[m], m]
            within_tip[n_cycles, m] = tip[parent[m], m]
            for v in range(1, size):
                if group[v] == m:
                    owner[n_cycles, v] = m
        absorb(member, weight, tail, tip, parent, alive)
        for v in range(1, size):
            if owner[n_cycles, v] >= 0:
                group[v] = member[0]
        n_cycles += 1
    for m in range(1, size):
        if alive[m]:
            head[tip[parent[m], m] - 1] = tail[parent[m], m]
    unfold(n_cycles, owner, within_tail, within_tip, head)


@kernel
def best_parents(weight, alive, parent):
    """The heaviest arc into every live node but the root."""
    size = weight.shape[0]
    for m in range(1, size):
        if alive[m]:
            top, parent[m] = -np.inf, 0
            for h in range(size):
                if alive[h] and h != m and weight[h, m] > top:
                    top, parent[m] = weight[h, m], h


@kernel
def find_cycle(parent, alive):
    """The nodes of one cycle of the parent function; empty if there is none."""
    size = parent.size
    seen = np.zeros(size, dtype=np.int64)
    for start in range(1, size):
        if not alive[start]:
            continue
        v = start
        while v != 0 and seen[v] == 0:
            seen[v] = start
            v = parent[v]
        if v != 0 and seen[v] == start:
            member = np.empty(size, dtype=np.int64)
            count, u = 0, v
            while count == 0 or u != v:
                member[count] = u
                count += 1
                u = parent[u]
            return member[:count]
    return np.empty(0, dtype=np.int64)


@kernel
def absorb(member, weight, tail, tip, parent, alive):
    """Turn a cycle into its first node: arcs in cost the arc they replace, arcs out keep the best."""
    first = member[0]
    is_member = np.zeros(weight.shape[0], dtype=np.bool_)
    is_member[member] = True
    own = np.zeros(weight.shape[0])
    for m in member:
        own[m] = weight[parent[m], m]
    for x in range(weight.shape[0]):
        if not alive[x] or is_member[x]:
            continue
        enter, leave = first, first
        for m in member:
            if weight[x, m] - own[m] > weight[x, enter] - own[enter]:
                enter = m
            if weight[m, x] > weight[leave, x]:
                leave = m
        weight[x, first], weight[first, x] = weight[x, enter] - own[enter], weight[leave, x]
        tail[x, first], tip[x, first] = tail[x, enter], tip[x, enter]
        tail[first, x], tip[first, x] = tail[leave, x], tip[leave, x]
    for m in member[1:]:
        alive[m] = False


@kernel
def unfold(n_cycles, owner, within_tail, within_tip, head):
    """Give every word its head: in each cycle the member that was entered drops its own arc."""
    size = owner.shape[0]
    for c in range(n_cycles - 1, -1, -1):
        entered = -1
        for v in range(1, size):
            if owner[c, v] >= 0 and head[v - 1] >= 0:
                entered = owner[c, v]
        for m in range(1, size):
            if within_tip[c, m] >= 0 and m != entered:
                head[within_tip[c, m] - 1] = within_tail[c, m]

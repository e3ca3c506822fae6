"""One small protocol for work on shards: items in, results in the order of the items out, wherever it runs.

Results are added in shard order and shards are cut by the data alone, so one core, many processes and a
cluster give the same bytes.
"""

import functools
import operator
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from itertools import islice
from typing import Any, Protocol, TypeVar

S = TypeVar("S")
T = TypeVar("T")
MOST_RESULTS = 4096  # results that the caller adds itself; more are added in groups by workers


class OrderedRun(Protocol):
    """A place where tasks run; it holds a bounded number of items and results at any moment."""

    def map_ordered(self, task: Callable[[S], T], items: Iterable[S]) -> Iterator[T]:
        """task(item) for each item, in order; task, items and results must be importable values."""
        ...


def reduce_grouped(
    run: OrderedRun,
    task: Callable[[S], T],
    items: Sequence[S],
    add: Callable[[Any, T], Any] = operator.add,
    *,
    most: int = MOST_RESULTS,
) -> Any:
    """The sum of many results: groups of neighbours are added by workers, the sums of groups by the caller.

    The groups depend on the number of items alone, so the sum has the same bits wherever it is computed.
    """
    groups = blocks(items, max(1, len(items) // most))
    return functools.reduce(add, run.map_ordered(functools.partial(_group, task=task, add=add), groups))


def _group(group: Sequence[Any], *, task: Callable[[Any], Any], add: Callable[[Any, Any], Any]) -> Any:
    return functools.reduce(add, map(task, group))


def blocks(items: Iterable[S], size: int) -> Iterator[tuple[S, ...]]:
    """Items in tuples of ``size``, the last one shorter."""
    todo = iter(items)
    while part := tuple(islice(todo, size)):
        yield part


def open_run(
    cluster: str | None = None, jobs: int = 1, *, wait: float | None = None
) -> AbstractContextManager[OrderedRun]:
    """The scheduler at an address, or processes of this machine.

    wait: seconds without a worker of the cluster after which the work is given up; a minute by default.
    """
    if cluster is not None:
        from eigenparse.run.cluster import WAIT, on_cluster

        return on_cluster(cluster, WAIT if wait is None else wait)
    from eigenparse.run.local import on_this_machine

    return on_this_machine(jobs)

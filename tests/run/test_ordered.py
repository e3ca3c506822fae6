"""The ordered map, here and in processes: same results, same order, bounded work."""

import operator
import os
import time
from collections.abc import Iterator
from functools import reduce

import pytest

from eigenparse.errors import OptionError, ResourceError
from eigenparse.run.local import LocalRun, on_this_machine
from eigenparse.run.ordered import blocks, open_run, reduce_grouped


def slow_square(k: int) -> int:
    """Later items are done sooner."""
    time.sleep(0.002 * (20 - k))
    return k * k


def die(k: int) -> int:
    os._exit(3)


def add_text(k: int) -> str:
    return f"{k},"


@pytest.mark.parametrize("jobs", [1, 2])
def test_results_come_in_the_order_of_the_items(jobs: int) -> None:
    with open_run(None, jobs) as run:
        assert list(run.map_ordered(slow_square, range(20))) == [k * k for k in range(20)]
        assert reduce(operator.add, run.map_ordered(add_text, range(9))) == "".join(f"{k}," for k in range(9))
        assert reduce(operator.sub, run.map_ordered(slow_square, [3, 4])) == 9 - 16
        assert list(run.map_ordered(slow_square, [])) == []


def as_fraction(k: int) -> float:
    return 1.0 / (k + 1)


@pytest.mark.parametrize("n", [1, 4, 5, 23])
def test_grouped_sums_are_the_same_everywhere(n: int) -> None:
    """Groups of neighbours, by the number of items alone; nothing is lost."""
    assert reduce_grouped(LocalRun(), add_text, range(n), most=4) == "".join(f"{k}," for k in range(n))
    expected = reduce_grouped(LocalRun(), as_fraction, range(n), most=4)
    with open_run(None, 2) as run:
        assert reduce_grouped(run, as_fraction, range(n), most=4) == expected


@pytest.mark.parametrize("jobs", [1, 2])
def test_items_are_taken_only_when_they_are_needed(jobs: int) -> None:
    taken: list[int] = []

    def items() -> Iterator[int]:
        for k in range(1000):
            taken.append(k)
            yield k

    with open_run(None, jobs) as run:
        results = run.map_ordered(add_text, items())
        for _ in range(5):
            next(results)
        assert len(taken) <= 5 + 2 * jobs


def test_a_process_that_dies_gives_a_sentence() -> None:
    with pytest.raises(ResourceError, match="worker process died"), on_this_machine(2) as run:
        list(run.map_ordered(die, [1, 2, 3]))


def test_jobs_are_checked() -> None:
    with pytest.raises(OptionError), on_this_machine(-1):
        pass


def test_blocks_lose_nothing() -> None:
    assert list(blocks(range(7), 3)) == [(0, 1, 2), (3, 4, 5), (6,)]
    assert list(blocks([], 3)) == []

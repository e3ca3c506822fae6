"""A treebank to compute sums over: in memory, or in shards that are read again for every sum."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

from eigenparse.corpus.columns import Trees, check_trees
from eigenparse.corpus.transform import Binarisation
from eigenparse.learn.grammar.encode import (
    Encoded,
    Plan,
    TreeCounts,
    count_trees,
    encode,
    make_plan,
    merged,
)
from eigenparse.learn.grammar.options import GrammarOptions
from eigenparse.learn.grammar.shards import Shard, Shards, shard_trees
from eigenparse.run.local import LocalRun
from eigenparse.run.ordered import OrderedRun, reduce_grouped

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Corpus:
    """Counts of a treebank, and how its trees are encoded.

    held: the encoded trees, if they are in memory.  shards: where they are otherwise; run: where shards are read.
    """

    counts: TreeCounts
    plan: Plan
    held: Encoded | None = None
    shards: Shards = Shards(())
    binarisation: Binarisation = Binarisation()
    run: OrderedRun = LocalRun()

    def each(self, task: Callable[[Encoded], T]) -> Iterator[T]:
        """What a task makes of each shard, in order; in memory there is one."""
        if self.held is not None:
            return map(task, [self.held])
        return self.run.map_ordered(self.on_shard(task), self.shards.shards)

    def add_up(self, task: Callable[[Encoded], T], add: Callable[[Any, T], Any]) -> T:
        """The same, added up in the order of the shards, so that the sum does not depend on where it is computed."""
        if self.held is not None:
            return task(self.held)
        return reduce_grouped(self.run, self.on_shard(task), self.shards.shards, add)

    def on_shard(self, task: Callable[[Encoded], T]) -> Callable[[Shard], T]:
        """A task on encoded trees as a task on the shard that they are read from."""
        reading = (self.binarisation, self.shards.normalisation)
        return partial(_task_of_shard, task=task, plan=self.plan, reading=reading)


def _task_of_shard(shard: Shard, *, task: Callable[[Encoded], T], plan: Plan, reading: tuple[Any, Any]) -> T:
    return task(encode(shard_trees(shard, *reading), plan, shard.number))


def count_shard(shard: Shard, *, reading: tuple[Any, Any]) -> TreeCounts:
    """Read and count one shard.  reading: binarisation and normalisation."""
    return count_trees(shard_trees(shard, *reading))


def open_corpus(source: Trees | Shards, options: GrammarOptions, run: OrderedRun = LocalRun()) -> Corpus:
    """Count binary trees in memory, or all trees of shards, and plan how they are encoded.  options: filled."""
    by_tag, rare = options.rare_words == "tag", options.rare or 0
    if isinstance(source, Trees):
        counts = merged([count_trees(check_trees(source))] if len(source) else [])
        plan = make_plan(counts, rare, by_tag=by_tag)
        return Corpus(counts, plan, encode(source, plan))
    reading = (options.binarisation, source.normalisation)
    counts = merged(run.map_ordered(partial(count_shard, reading=reading), source.shards))
    plan = make_plan(counts, rare, by_tag=by_tag)
    return Corpus(counts, plan, None, source, options.binarisation, run)

"""Perplexity of held-out sentences: a grammar, an ensemble and Kneser-Ney n-grams of words, unknown words spelt alike.

    python benchmarks/perplexity.py DATA --treebank gum --ensemble 4

DATA holds a folder a treebank with train.ptb and dev.ptb.  All models are learnt from the training trees and predict
the words of dev, the grammars by the sum over the trees that were searched.  Words that the grammar does not know are
unknown to the n-grams too and spelt by the grammar's own character model, so that all are distributions over all
strings.  Seconds are CPU of this process.
"""

import argparse
import os
import time
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np

from eigenparse.api.grammar import Grammar
from eigenparse.batch.perplexity import Rate, sentence_logs
from eigenparse.corpus.brackets import read_trees
from eigenparse.corpus.columns import Treebank, sentences_of
from eigenparse.corpus.normalise import normalise
from eigenparse.inference.grammar.probability import tree_log_p
from eigenparse.inference.grammar.proper import Lexicon, proper_parts
from eigenparse.learn.grammar.options import GrammarOptions

Words = tuple[str, ...]
BEGIN, END, UNKNOWN = "<s>", "</s>", "<unknown>"


class KneserNey:
    """Interpolated Kneser-Ney with one discount an order; the lowest order is shared evenly with unseen symbols."""

    def __init__(self, sentences: list[Words], order: int, vocabulary: set[str]) -> None:
        self.order, self.size = order, len(vocabulary) + 2
        top: Counter[Words] = Counter()
        for words in sentences:
            padded = (*[BEGIN] * (order - 1), *words, END)
            top.update(padded[i : i + order] for i in range(len(padded) - order + 1))
        self.counts = [top]
        for _ in range(order - 1):  # in how many contexts a shorter n-gram was seen
            self.counts.append(Counter(gram[1:] for gram in self.counts[-1]))
        self.totals, self.kinds, self.discount = [], [], []
        for counts in self.counts:
            total: dict[Words, int] = defaultdict(int)
            kinds: dict[Words, int] = defaultdict(int)
            for gram, n in counts.items():
                total[gram[:-1]] += n
                kinds[gram[:-1]] += 1
            ones, twos = (sum(n == k for n in counts.values()) for k in (1, 2))
            self.totals.append(total)
            self.kinds.append(kinds)
            self.discount.append(ones / (ones + 2 * twos) if ones else 0.5)

    def p(self, gram: Words) -> float:
        """p(last | those before)."""
        p = 1.0 / self.size
        for level in range(self.order - 1, -1, -1):
            part = gram[len(gram) - (self.order - level) :]
            total = self.totals[level].get(part[:-1], 0)
            if total:
                d = self.discount[level]
                own = max(self.counts[level].get(part, 0) - d, 0.0)
                p = (own + d * self.kinds[level][part[:-1]] * p) / total
        return p

    def log_p(self, words: Words) -> float:
        """log p of a sentence, its end included."""
        padded = (*[BEGIN] * (self.order - 1), *words, END)
        grams = (padded[i : i + self.order] for i in range(len(padded) - self.order + 1))
        return float(sum(np.log(self.p(gram)) for gram in grams))


def main() -> None:
    """Print a row for each model."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path)
    parser.add_argument("--treebank", default="wsj-sample")
    parser.add_argument("--ensemble", type=int, default=4, help="members of the ensemble; 1 for none")
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    train, dev = (
        normalise(read_trees(args.data / args.treebank / f"{part}.ptb")) for part in ("train", "dev")
    )
    print(
        "| model | per word | unknown words as one event | trees with their words | CPU s |\n|---|---|---|---|---|"
    )
    for members in sorted({1, args.ensemble}):
        options = GrammarOptions(ensemble=members, seed=args.seed, judge=False)
        grammar = Grammar.of(options.fit(train))
        lexicon = proper_parts(grammar.latent)[0].lexicon
        print(f"| {members} grammar{'s' * (members > 1)} {grammar_row(grammar, dev)}", flush=True)
    for order in (2, 3, 4):
        for rare in (1, 0):  # words seen once in training stand for unknown ones, or the even share does
            name = f"Kneser-Ney {order}-grams, unknown words {'as those seen once' if rare else 'alike'}"
            print(f"| {name} {ngram_row(train, dev, order, rare, lexicon)}", flush=True)


def grammar_row(grammar: Grammar, dev: Treebank) -> str:
    """Figures of a grammar, and the CPU seconds that they took."""
    sentences = [list(words) for words in sentences_of(dev)]
    parts = proper_parts(grammar.latent)
    sentence_logs(grammar, sentences[0], exact=False)  # compiles the kernels
    start = time.process_time()
    logs = np.array([sentence_logs(grammar, words, exact=False) for words in sentences])
    trees = tree_log_p(parts, dev)
    took = time.process_time() - start
    n = np.array([len(words) for words in sentences], dtype=np.float64)
    rates = [Rate.of(column, n) for column in (*logs.T, trees)]
    return "".join(f"| {rate} " for rate in rates) + f"| {took:.1f} |"


def ngram_row(train: Treebank, dev: Treebank, order: int, rare: int, lexicon: Lexicon) -> str:
    """Figures of n-grams.  rare: words seen so often at most count as unknown in training."""
    start = time.process_time()
    count = Counter(word for words in sentences_of(train) for word in words)
    known = {word for word, number in count.items() if number > rare}
    model = KneserNey([_known(words, known) for words in sentences_of(train)], order, known)
    sentences = sentences_of(dev)
    unknown = sorted({word for words in sentences for word in words if word not in known})
    p = lexicon.spelling.probabilities(unknown) @ lexicon.spelling.share
    spelt = dict(zip(unknown, np.log(p).tolist()))
    one = np.array([model.log_p(_known(words, known)) for words in sentences])
    whole = one + [sum(spelt.get(word, 0.0) for word in words) for words in sentences]
    n = np.array([len(words) for words in sentences], dtype=np.float64)
    # words seen once are known to the grammar, so only the even share has the grammar's unknown words
    event = "" if rare else str(Rate.of(one, n))
    return f"| {Rate.of(whole, n)} | {event} | | {time.process_time() - start:.1f} |"


def _known(words: Sequence[str], known: set[str]) -> Words:
    return tuple(word if word in known else UNKNOWN for word in words)


if __name__ == "__main__":
    main()

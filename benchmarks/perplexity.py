"""Perplexity of held-out sentences: Kneser-Ney n-grams of words beside a grammar, unknown words spelt alike.

    python benchmarks/perplexity.py --train gum/train.ptb --dev gum/dev.ptb --model gum.model

The n-grams are trained on the words of the grammar's training trees; words that the grammar does not know are unknown
to both and spelt by the grammar's own character model, so that both are distributions over all strings.
"""

import argparse
from collections import Counter, defaultdict

import numpy as np

from eigenparse.api.grammar import load
from eigenparse.batch.perplexity import Rate
from eigenparse.corpus.brackets import read_trees
from eigenparse.corpus.columns import sentences_of
from eigenparse.corpus.normalise import normalise
from eigenparse.inference.grammar.proper import proper_parts

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
    """Print a line for each order."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    for name in ("train", "dev", "model"):
        parser.add_argument(f"--{name}", required=True)
    args = parser.parse_args()
    train, dev = (sentences_of(normalise(read_trees(path))) for path in (args.train, args.dev))
    train, dev = [tuple(one) for one in train], [tuple(one) for one in dev]
    lexicon = proper_parts(load(args.model).latent)[0].lexicon
    count = Counter(word for words in train for word in words)
    unseen = sorted({word for words in dev for word in words if word not in count})
    spelt = dict(zip(unseen, np.log(lexicon.spelling.probabilities(unseen) @ lexicon.spelling.share)))
    n = np.array([len(words) for words in dev], dtype=np.float64)
    for order in (2, 3, 4):
        for rare in (1, 0):  # words seen once in training stand for unknown ones, or the even share does
            known = {word for word, number in count.items() if number > rare}
            model = KneserNey([_known(words, known) for words in train], order, known)
            logs = [
                model.log_p(_known(words, known)) + _spelling(words, known, spelt, lexicon) for words in dev
            ]
            print(f"order {order}, known from {rare + 1}: {Rate.of(np.array(logs), n)} per word", flush=True)


def _known(words: Words, known: set[str]) -> Words:
    return tuple(word if word in known else UNKNOWN for word in words)


def _spelling(words: Words, known: set[str], spelt: dict, lexicon) -> float:  # type: ignore[no-untyped-def,type-arg]
    """log p of the spellings of unknown words; those of training that count as unknown are spelt too."""
    new = [word for word in words if word not in known and word not in spelt]
    if new:
        p = lexicon.spelling.probabilities(new) @ lexicon.spelling.share
        spelt.update(zip(new, np.log(p)))
    return float(sum(spelt[word] for word in words if word not in known))


if __name__ == "__main__":
    main()

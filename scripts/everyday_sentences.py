"""Everyday sentences with trees, drawn from the small hand-written grammar in everyday.txt.

    python scripts/everyday_sentences.py 4000 > everyday.ptb

The grammar and its words are our own text.  The same number and seed give the same sentences.  Sentences of the tests
(tests/english/*.ptb) are left out, and so are sentences that were drawn before.
"""

import argparse
import itertools
import random
import re
from pathlib import Path

HERE = Path(__file__).parent
GRAMMAR = HERE / "everyday.txt"
TESTS = HERE.parent / "tests" / "english"
SEED = 1
VOWELS = "aeiou"
DEEPEST, LONGEST = 24, 14  # symbols above a word, words of a sentence
KEPT_LARGE = ("I", "OK")
NOT_DOUBLED = re.compile(
    r"(answer|cover|enter|follow|iron|listen|matter|offer|open|order|remember|travel|visit|w[ao]nder)$"
)

Choices = tuple[list[tuple[str, ...]], list[float]]  # what a symbol may become, and weights


def forms(verb: str) -> dict[str, str]:
    """The forms of a verb given as its base, past and participle if these are irregular: ``sing/sang/sung``."""
    base, *irregular = verb.split("/")
    stem = base[:-1] if base.endswith("e") else base
    if re.search(r"(?<![aeiou])[aeiou][bdgklmnprt]$", base.replace("qu", "q")) and not NOT_DOUBLED.match(
        base
    ):
        stem = base + base[-1]
    if irregular:
        past, participle = irregular[0], irregular[-1]
    else:
        past = participle = base[:-1] + "ied" if re.search(r"[^aeiou]y$", base) else stem + "ed"
    third = re.sub(r"([^aeiou])y$", r"\1ie", base) + ("es" if re.search(r"(s|x|z|ch|sh|o)$", base) else "s")
    ing = (base if base.endswith("ee") else base[:-2] + "y" if base.endswith("ie") else stem) + "ing"
    return {
        "VB": base,
        "VBP": base,
        "VBZ": "has" if base == "have" else third,
        "VBD": past,
        "VBN": participle,
        "VBG": ing,
    }


class Everyday:
    """A grammar of sentences, read from a file in the form that everyday.txt explains."""

    def __init__(self, path: Path = GRAMMAR) -> None:
        self.rules: dict[str, Choices] = {}
        self.lists: dict[str, list[str]] = {}
        for line in path.read_text("utf-8").split("\n"):
            if line.strip() and not line.startswith("#"):
                self._read(line)

    def _read(self, line: str) -> None:
        """One line of the file."""
        left, mark, right = re.split(r" (=|:) ", line, maxsplit=1)
        kind, _, name = left.rpartition(" ")
        if kind == "any":
            self.lists[name] = right.split()
        elif kind == "verbs":
            for verb in right.split():
                for tag, form in forms(verb).items():
                    self._add(f"{tag}.{name}", (f"{tag}/{form}",), 1.0)
        elif mark == ":":
            tag = left.partition(".")[0]
            for word in right.split():
                self._add(left, (word if "/" in word else f"{tag}/{word}",), 1.0)
        else:
            for choice in re.split(r"\|", right):
                self._read_choice(left, choice.split())

    def _read_choice(self, left: str, right: list[str]) -> None:
        """One right-hand side; a rule for every value of its variables."""
        weight = float(right.pop()) if right and re.fullmatch(r"[\d.]+", right[-1]) else 1.0
        rule = " ".join([left, *right])
        names = [name for name in self.lists if f"{{{name}}}" in rule]
        for values in itertools.product(*(self.lists[name] for name in names)):
            filled = rule
            for name, value in zip(names, values):
                filled = filled.replace(f"{{{name}}}", value)
            symbol, *parts = filled.split()
            self._add(symbol, tuple(parts), weight)

    def _add(self, symbol: str, right: tuple[str, ...], weight: float) -> None:
        choices, weights = self.rules.setdefault(symbol, ([], []))
        choices.append(right)
        weights.append(weight)

    def draw(self, symbol: str, chance: random.Random, words: list[list[str]], depth: int = 0) -> str:
        """A tree; its words, as tag and word, are added to a list.  Leaves are numbered places in that list."""
        tag, slash, word = symbol.partition("/")
        if slash:
            words.append([tag, word])
            return f"({tag} {{{len(words) - 1}}})"
        if depth > DEEPEST:
            raise RecursionError
        choices, weights = self.rules[symbol]
        (right,) = chance.choices(choices, weights)
        below = " ".join(filter(None, (self.draw(part, chance, words, depth + 1) for part in right)))
        label = symbol.partition(".")[0]
        is_leaf = len(right) == 1 and right[0].startswith(f"{label}/")
        return below if is_leaf or label.startswith("_") else f"({label} {below})"


def spelt(words: list[list[str]]) -> list[str]:
    """Words as they are written: large letters, a and an."""
    found = []
    for number, (tag, word) in enumerate(words):
        if tag == "DT" and word.lower() == "a" and words[number + 1][1][0].lower() in VOWELS:
            word = "an"
        if number == 0:
            word = word[0].upper() + word[1:]
        elif tag not in ("NNP", "NNPS", "NN") and word not in KEPT_LARGE:
            word = word.lower()
        found.append(word)
    return found


def held_out(folder: Path = TESTS) -> set[str]:
    """The words of the sentences of the tests, in small letters."""
    trees = "\n".join(path.read_text("utf-8") for path in sorted(folder.glob("*.ptb"))).split("\n")
    return {" ".join(re.findall(r" ([^ ()]+)\)", tree)).lower() for tree in trees}


def everyday_trees(number: int, seed: int = SEED) -> list[str]:
    """Different trees of everyday sentences."""
    grammar, chance, known = Everyday(), random.Random(seed), held_out()
    found: list[str] = []
    while len(found) < number:
        words: list[list[str]] = []
        try:
            tree = grammar.draw("TOP", chance, words)
        except RecursionError:
            continue
        sentence = spelt(words)
        key = " ".join(sentence).lower()
        if len(words) <= LONGEST and key not in known:
            known.add(key)
            found.append(tree.format(*sentence))
    return found


def main() -> None:
    arguments = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    arguments.add_argument("number", type=int)
    arguments.add_argument("--seed", type=int, default=SEED)
    given = arguments.parse_args()
    print("\n".join(everyday_trees(given.number, given.seed)))


if __name__ == "__main__":
    main()

"""Attachment, tags and speed of a dependency parser from tokens alone, and its tokens and sentences from raw text.

python benchmarks/english_dependencies.py FILE.conllu ... [--model en-ud]
"""

import argparse
import itertools
import time
from collections import Counter

from eigenparse.corpus.conllu import Conllu, read_conllu
from eigenparse.corpus.dependencies import from_tokens
from eigenparse.corpus.tokenise import split_sentences, tokenise
from eigenparse.evaluate.attachment import attachment
from eigenparse.inference.dependency.arcs import parse
from eigenparse.models.registry import load_model


def spans(pieces: list[str]) -> Counter[tuple[int, int]]:
    """Where pieces stand in a text whose white space is left out."""
    sizes = ["".join(piece.split()) for piece in pieces]
    ends = list(itertools.accumulate((len(piece) for piece in sizes), initial=0))
    return Counter(itertools.pairwise(ends))


def f1(gold: Counter[tuple[int, int]], guess: Counter[tuple[int, int]]) -> float:
    """Harmonic mean of precision and recall, in percent."""
    return 200.0 * (gold & guess).total() / (gold.total() + guess.total())


def document(corpus: Conllu, lines: list[str]) -> str:
    """The text lines joined by blanks, with blank lines between paragraphs where the file marks them."""
    marks = ("# newpar", "# newdoc")
    ends = ("\n\n" if any(line.startswith(marks) for line in text) else " " for text in corpus.text)
    return "".join(f"{end}{line}" for end, line in zip(ends, lines))


def raw_text(corpus: Conllu, style: dict[str, str]) -> tuple[float, float, float]:
    """F1 of tokens (of each ``# text`` line), of sentences (lines joined by blanks), of sentences in paragraphs."""
    lines = [next(line for line in text if line.startswith("# text = "))[9:] for text in corpus.text]
    forms = corpus.trees.strings("form")
    gold, guess = Counter[tuple[int, int]](), Counter[tuple[int, int]]()
    for number, (low, high) in enumerate(itertools.pairwise(corpus.trees.offsets.tolist())):
        tokens = [token for part in split_sentences(lines[number]) for token in tokenise(part, **style)]
        shift = number << 20
        gold.update({(a + shift, b + shift): n for (a, b), n in spans(forms[low:high]).items()})
        guess.update({(a + shift, b + shift): n for (a, b), n in spans(tokens).items()})
    joined, parted = (split_sentences(text) for text in (" ".join(lines), document(corpus, lines)))
    return f1(gold, guess), f1(spans(lines), spans(joined)), f1(spans(lines), spans(parted))


def main() -> None:
    """Print one block a file."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("files", nargs="+")
    options.add_argument("--model", default="en-ud")
    chosen = options.parse_args()
    model = load_model(chosen.model, "dependency")
    for path in chosen.files:
        corpus = read_conllu(path)
        gold = corpus.trees
        forms = gold.strings("form")
        bare = from_tokens([forms[a:b] for a, b in itertools.pairwise(gold.offsets.tolist())])
        parse(model, bare.select([0]))
        began = time.process_time()
        guess = parse(model, bare)
        speed = len(gold) / (time.process_time() - began)
        found = attachment(gold, guess).figures()
        right = {
            name: sum(a == b for a, b in zip(gold.strings(name), guess.strings(name))) / gold.n_words
            for name in ("upos", "xpos", "feats", "lemma")
        }
        tokens, cut, parted = raw_text(corpus, model.style)
        print(f"{path}: UAS {found['UAS']:.2f}, LAS {found['LAS']:.2f}, {speed:.0f} sentences/s; ", end="")
        print(", ".join(f"{name} {100 * share:.2f}" for name, share in right.items()), end="; ")
        print(f"raw text: tokens {tokens:.2f}, sentences {cut:.2f}, in paragraphs {parted:.2f}", flush=True)


if __name__ == "__main__":
    main()

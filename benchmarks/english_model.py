"""Figures of the bundled English model, as its model card gives them.

    python benchmarks/english_model.py DATA
    python benchmarks/english_model.py DATA --unpacked big.model   # also the loss of packing

DATA holds english-open-large, gum, ud-gum and craft.  Scores are EVALB COLLINS labelled F1 of trees parsed
from words alone, all lengths.  Genres are those of GUM's documents, found through ud-gum/dev.conllu.
Speed is CPU time of one process with kernels that have been loaded.
"""

import argparse
import os
import subprocess
import sys
import time
from collections import defaultdict
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from eigenparse.api.grammar import Grammar, load
from eigenparse.api.raw import conventions
from eigenparse.batch.tune_grammar import sentences_of
from eigenparse.corpus.brackets import format_trees, parse_trees, read_trees
from eigenparse.corpus.columns import Treebank
from eigenparse.corpus.conllu import read_conllu
from eigenparse.corpus.normalise import normalise
from eigenparse.corpus.tokenise import split_sentences, tokenise
from eigenparse.data import located
from eigenparse.decode.grammar.request import Request
from eigenparse.evaluate.brackets import score_brackets
from eigenparse.evaluate.counts import BracketCounts

Words = tuple[str, ...]
EVERYDAY = Path(__file__).parent.parent / "tests" / "english"
PARTS = ("text", "everyday", "english-open-large", "gum", "craft")


def parsed(grammar: Grammar, gold: Treebank) -> tuple[Treebank, float]:
    """Trees of the words of gold trees, and sentences a CPU second."""
    requests = [Request(words) for words in sentences_of(gold)]
    start = time.process_time()
    lines = [best[0].tree for best in grammar.stream(requests, detail=False)]
    return parse_trees("\n".join(lines)), len(requests) / (time.process_time() - start)


def genres(data: Path) -> dict[Words, str]:
    """The genre of every sentence of GUM's development documents."""
    found: dict[Words, str] = {}
    for block in read_conllu(data / "ud-gum" / "dev.conllu").text:
        name = next(line.split("GUM_")[1].split("_")[0] for line in block if line.startswith("# sent_id"))
        words = tuple(line.split("\t")[1] for line in block if line.partition("\t")[0].isdecimal())
        found[words] = name
    return found


def unescaped(words: Words) -> Words:
    return tuple(word.replace("-LRB-", "(").replace("-RRB-", ")") for word in words)


def by_genre(grammar: Grammar, gold: Treebank, data: Path) -> tuple[dict[str, BracketCounts], float]:
    """Counts of each genre and of all, and sentences a CPU second."""
    guess, speed = parsed(grammar, gold)
    known = genres(data)
    scores = score_brackets(gold, guess)
    groups: dict[str, list[int]] = defaultdict(list)
    for number, words in enumerate(sentences_of(gold)):
        groups[known.get(unescaped(words), "unknown")].append(number)
    table = {name: _subset(gold, guess, rows) for name, rows in sorted(groups.items())}
    return table | {"all": scores.all}, speed


def _subset(gold: Treebank, guess: Treebank, rows: list[int]) -> BracketCounts:
    return score_brackets(_select(gold, rows), _select(guess, rows)).all


def _select(treebank: Treebank, rows: list[int]) -> Treebank:
    lines = format_trees(treebank).decode("utf-8").split("\n")
    return parse_trees("\n".join(lines[i] for i in rows))


def tokens_f1(data: Path, keep: dict[str, str]) -> tuple[float, float]:
    """F1 of token boundaries, and of sentence boundaries in documents of the open genres, in percent."""
    tp = n_gold = n_guess = 0
    documents: dict[str, list[str]] = defaultdict(list)
    for block in read_conllu(data / "ud-gum" / "dev.conllu").text:
        text = next(line[9:] for line in block if line.startswith("# text = "))
        gold = [line.split("\t")[1] for line in block if line.partition("\t")[0].isdecimal()]
        guess = tokenise(text, quotes="keep", hyphens=keep["hyphens"])
        a, b = _places(gold), _places(guess)
        tp, n_gold, n_guess = tp + len(a & b), n_gold + len(a), n_guess + len(b)
        name = next(line.split("GUM_")[1].rsplit("-", 1)[0] for line in block if line.startswith("# sent_id"))
        documents[name].append(text)
    open_genres = ("academic", "bio", "court", "interview", "news", "voyage")
    hits = total = 0
    for name, texts in documents.items():
        if name.startswith(open_genres):
            found = [sentence for paragraph in paragraphs(texts) for sentence in split_sentences(paragraph)]
            hits, total = hits + len(_places(texts) & _places(found)), total + len(texts) + len(found)
    return 200 * tp / (n_gold + n_guess), 200 * hits / total


def paragraphs(texts: list[str]) -> list[str]:
    """Sentences put together; what does not end like one, as headings, is a paragraph of its own."""
    parts: list[list[str]] = [[]]
    for text in texts:
        is_sentence = text.rstrip("\"'”’)]").endswith((".", "!", "?", "…"))
        parts += [[]] if is_sentence else [[text], []]
        if is_sentence:
            parts[-2:] = [parts[-2] + [text]]
    return [" ".join(part) for part in parts if part]


def _places(parts: list[str]) -> set[tuple[int, int]]:
    """Where parts begin and end when blanks are left out."""
    places, at = set(), 0
    for part in parts:
        size = len("".join(part.split()))
        places.add((at, at + size))
        at += size
    return places


def start_up() -> tuple[float, float]:
    """Wall and CPU seconds of the command for one sentence, the second time."""
    command = [
        sys.executable,
        "-c",
        "from eigenparse.cli.main import main; main()",
        "parse",
        "The old man the boats.",
    ]
    subprocess.run(command, check=True, capture_output=True)
    start, before = time.perf_counter(), os.times()
    subprocess.run(command, check=True, capture_output=True)
    after = os.times()
    cpu = after.children_user + after.children_system - before.children_user - before.children_system
    return time.perf_counter() - start, cpu


def row(name: str, counts: BracketCounts) -> str:
    return (
        f"| {name} | {counts.f1:.2f} | {counts.precision:.2f} | {counts.recall:.2f} | {counts.exact:.1f} | "
        f"{100 * counts.tags / max(counts.words, 1):.2f} |"
    )


def craft_in_gum_conventions(path: Path) -> Treebank:
    """Trees of CRAFT as the model was trained on them."""
    sys.path.insert(0, str(Path(__file__).parent.parent / "scripts"))
    from train_english import craft_trees

    return craft_trees(path)


def text_figures(data: Path, grammar: Grammar) -> None:
    """Size, time to the first tree, tokens and sentences."""
    wall, cpu = start_up()
    print(
        f"en: {located('en').stat().st_size / 1e6:.2f} MB, one sentence in {wall:.2f} s ({cpu:.2f} s of CPU)"
    )
    tokens, sentences = tokens_f1(data, conventions(grammar))
    print(f"tokens F1 {tokens:.2f} (gum dev), sentences F1 {sentences:.2f} (its open genres)\n")


def genre_figures(grammar: Grammar, data: Path, folder: str) -> None:
    """A row a genre, and the speed."""
    gold = normalise(read_trees(data / folder / "dev.ptb"))
    table, speed = by_genre(grammar, gold, data)
    for name, counts in table.items():
        print(row(f"{folder}, {name}", counts), flush=True)
    print(f"{folder}: {len(gold)} sentences, {speed:.0f} a CPU second", flush=True)


def main() -> None:
    arguments = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    arguments.add_argument("data", type=Path)
    arguments.add_argument("--unpacked", type=Path)
    arguments.add_argument("--parts", nargs="+", choices=PARTS, default=PARTS)
    given = arguments.parse_args()
    grammar = load("en")
    grammar.parse_text("Kernels are loaded first.")
    if "text" in given.parts:
        text_figures(given.data, grammar)
    print("| | F1 | precision | recall | exact | tags |\n|---|---|---|---|---|---|")
    if "everyday" in given.parts:
        for path in sorted(EVERYDAY.glob("everyday*.ptb")):
            gold = normalise(read_trees(path))
            print(row(path.stem, score_brackets(gold, parsed(grammar, gold)[0]).all), flush=True)
    for folder in ("english-open-large", "gum"):
        if folder in given.parts:
            genre_figures(grammar, given.data, folder)
    if "craft" in given.parts:
        craft = craft_in_gum_conventions(given.data / "craft" / "dev.ptb")
        guess, speed = parsed(grammar, craft)
        print(row("craft, in GUM's conventions", score_brackets(craft, guess).all))
        print(f"craft: {len(craft)} sentences, {speed:.0f} a CPU second")
    if given.unpacked is not None:
        gold = normalise(read_trees(given.data / "english-open-large" / "dev.ptb"))
        guess, speed = parsed(load(given.unpacked), gold)
        print(row("english-open-large, before packing", score_brackets(gold, guess).all))


if __name__ == "__main__":
    main()

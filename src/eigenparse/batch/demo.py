"""What the demonstration does: a seed in; a comparison, two parses and their pictures out."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from eigenparse.arrays import FloatArray
from eigenparse.corpus.brackets import write_trees
from eigenparse.corpus.columns import Treebank, sentences_of
from eigenparse.corpus.files import write_whole
from eigenparse.corpus.transform import unbinarise
from eigenparse.decode.grammar.parser import Decoded, Parser, as_trees, decode, make_parser
from eigenparse.draw import draw_svg, draw_text, row_posteriors
from eigenparse.evaluate.brackets import score_brackets
from eigenparse.learn.grammar.members import single
from eigenparse.learn.grammar.options import GrammarOptions
from eigenparse.models.grammar.pcfg import LatentGrammar
from eigenparse.synthetic import english_grammar, latent_grammar, sample_treebank

Tell = Callable[[str], None]
N_TEST = 500
TEST_SEED = 1_000_000  # a seed that users are unlikely to choose for training
N_WARM, NOTICEABLE = 100, 5.0
WIDTH = 100
PAIR = (
    ("with-a-key", "the woman opened the box with a key ."),
    ("with-a-lid", "the woman opened the box with a lid ."),
)
SHOWN_TAGS, SHOWN_STATES, SHOWN_WORDS = ("VBD", "NN"), 5, 6


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the comparison."""

    name: str
    parser: Parser
    f1: float
    exact: float
    log_likelihood: FloatArray
    seconds: float


def parse_all(parser: Parser, sentences: Sequence[Sequence[str]]) -> tuple[list[Decoded], Treebank]:
    """Results and n-ary trees of sentences."""
    found = [decode(parser, words) for words in sentences]
    return found, unbinarise(as_trees(parser, sentences, [one.derivations[0] for one in found]))


def judge(name: str, grammar: LatentGrammar, gold: Treebank, seconds: float) -> Row:
    """Parse the held-out sentences and compare with the trees they came from."""
    parser, sentences = make_parser(grammar), sentences_of(gold)
    counts = score_brackets(gold, parse_all(parser, sentences)[1]).all
    return Row(name, parser, counts.f1, counts.exact, log_likelihoods(grammar, sentences), seconds)


def log_likelihoods(grammar: LatentGrammar, sentences: Sequence[Sequence[str]]) -> FloatArray:
    """log p of each sentence; minus infinity with a word that the grammar does not know."""
    known = set(grammar.skeleton.symbols[: grammar.skeleton.n_words])
    parser = make_parser(proper(grammar))
    return np.array(
        [decode(parser, words).log_total if known.issuperset(words) else -np.inf for words in sentences]
    )


def proper(grammar: LatentGrammar) -> LatentGrammar:
    """The same grammar with the words of every state summing to one.

    Learnt lexicons reserve weight for unknown words, so that their weights do not sum to one.
    """
    skeleton, members = grammar.skeleton, []
    for weights in grammar.members:
        width = np.diff(weights.entry_at)
        within = np.arange(weights.entry_weight.size) - np.repeat(weights.entry_at[:-1], width)
        state = np.repeat(weights.state_at[skeleton.entry_label], width) + within
        is_word = np.repeat(skeleton.entry_symbol < skeleton.n_words, width)
        total = np.bincount(
            state[is_word], weights.entry_weight[is_word], minlength=int(weights.state_at[-1])
        )
        share = weights.entry_weight / np.where(total > 0, total, 1.0)[state]
        members.append(replace(weights, entry_weight=share.astype(weights.entry_weight.dtype)))
    return replace(grammar, members=tuple(members))


def compare(train: Treebank, gold: Treebank, seed: int) -> list[Row]:
    """The plain grammar, the latent one, and the truth."""
    rows = []
    for name, method in (("plain PCFG", "pcfg"), ("latent (cluster + EM)", "cluster")):
        start = time.perf_counter()
        learnt = GrammarOptions(method=method, factor="right", judge=False, seed=seed).fit(train)
        rows.append(judge(name, learnt, gold, time.perf_counter() - start))
    truth = latent_grammar(english_grammar())
    truth = replace(
        truth, members=tuple(map(single, truth.members))
    )  # the type of learnt weights, so that the same compiled kernels are used
    return [*rows, judge("the true grammar", truth, gold, 0.0)]


def table(rows: Sequence[Row]) -> list[str]:
    """The comparison as lines; likelihoods over the sentences whose words every grammar knows."""
    common = np.all([np.isfinite(row.log_likelihood) for row in rows], axis=0)
    lines = [f"{'grammar':<24}{'F1':>8}{'exact':>8}{'log p/sentence':>17}{'learnt in':>12}"]
    for row in rows:
        learnt = f"{row.seconds:.1f} s" if row.seconds else "known"
        mean = row.log_likelihood[common].mean()
        lines.append(f"{row.name:<24}{row.f1:>8.2f}{row.exact:>7.1f}%{mean:>17.2f}{learnt:>12}")
    return lines


def attachment(treebank: Treebank) -> str:
    """Whether the first tree's prepositional phrase belongs to a noun or to a verb."""
    phrase = np.flatnonzero(np.array(treebank.labels)[treebank.label] == "PP")
    if not phrase.size:
        return "?"
    above: str = treebank.labels[treebank.label[treebank.parent[phrase[0]]]]
    return {"NP": "the noun", "VP": "the verb"}.get(above, above)


def parse_pair(rows: Sequence[Row], out: Path, tell: Tell) -> None:
    """Two sentences that differ in their last noun, parsed by both grammars and drawn."""
    for name, sentence in PAIR:
        tell(f"\n{sentence}")
        words, best = sentence.split(), {}
        for row, short in zip(rows[:2], ("pcfg", "latent")):
            found, tree = parse_all(row.parser, [words])
            best[short] = tree
            derivation = found[0].derivations[0]
            labels = [row.parser.labels[a] for a in derivation.label]
            posterior = row_posteriors(labels, derivation.posterior.tolist())
            title = f"{sentence} [{row.name}]"
            write_whole(
                out / f"{name}-{short}.svg", draw_svg(tree, posterior=posterior, title=title).encode()
            )
            tell(f"  {row.name:<24}joins it to {attachment(tree)}")
        tell("\n" + draw_text(best["latent"], width=WIDTH))


def found_classes(grammar: LatentGrammar, tag: str) -> list[str]:
    """Words that belong to one state of a tag and to few others, for the purest states."""
    skeleton, weights = grammar.skeleton, grammar.members[0]
    label = next((a for a, one in enumerate(skeleton.labels) if one.chain == (tag,)), -1)
    entries = np.flatnonzero((skeleton.entry_label == label) & (skeleton.entry_symbol < skeleton.n_words))
    if not entries.size:
        return []
    states = np.arange(int(weights.states[label]))
    weight = weights.entry_weight[weights.entry_at[entries][:, None] + states].astype(np.float64)
    merit = weight * weight / np.maximum(weight.sum(axis=1, keepdims=True), 1e-300)
    purity = merit.sum(axis=0) / np.maximum(weight.sum(axis=0), 1e-300)
    lines = []
    for state in sorted(np.argsort(-purity, kind="stable")[:SHOWN_STATES]):
        top = np.argsort(-merit[:, state], kind="stable")[:SHOWN_WORDS]
        words = [skeleton.symbols[skeleton.entry_symbol[entries[e]]] for e in top]
        lines.append(f"  {tag + ', state ' + str(state + 1):<16}{' '.join(words)}")
    return lines


def run_demo(out: Path, *, seed: int, n_trees: int, tell: Tell) -> None:
    """The demonstration from beginning to end."""
    start = time.perf_counter()
    out.mkdir(parents=True, exist_ok=True)
    train, gold = sample_treebank(n_trees, seed), sample_treebank(N_TEST, TEST_SEED + seed)
    write_trees(train, out / "train.ptb")
    write_trees(gold, out / "test.ptb")
    tell(f"{n_trees} trees to learn from and {N_TEST} to parse, from a grammar whose states stay hidden.\n")
    compare(sample_treebank(N_WARM, seed), sample_treebank(N_WARM // 10, seed), seed)
    ready = time.perf_counter() - start
    if ready > NOTICEABLE:
        tell(f"(The first run compiles its kernels: {ready:.0f} s.  Later ones begin at once.)\n")
    rows = compare(train, gold, seed)
    for line in table(rows):
        tell(line)
    plain, latent, truth = (row.f1 for row in rows)
    share = 100 * (latent - plain) / (truth - plain)
    tell(f"\nThe latent grammar makes up {share:.0f}% of what the plain one misses.")
    tell("Some of the classes it found, in trees that never mention them:")
    for line in (line for tag in SHOWN_TAGS for line in found_classes(rows[1].parser.grammar, tag)):
        tell(line)
    tell("\nTwo sentences that look alike to the plain grammar; the latent one draws:")
    parse_pair(rows, out, tell)
    tell(f"\nTrees and pictures are in {out}/.  {time.perf_counter() - start:.0f} s in all.")

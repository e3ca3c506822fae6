"""Tagging and chunking: accuracy, F1, training seconds and tokens per second of every method, as a table.

python benchmarks/sequence_tagging.py DATA [--corpus conll2000|wsj-sample|gum] [--sweep [--figure FILE.svg]] [--seeds 3]
"""

import argparse
import pathlib
import time
from itertools import pairwise

import numpy as np

from eigenparse.corpus.label_sources import read_labelled
from eigenparse.evaluate.tagging import count_tagging
from eigenparse.inference.tagger.chain import tag_ids
from eigenparse.learn.tagger.base import labelled
from eigenparse.learn.tagger.learner import TaggerOptions

CORPORA = {
    "conll2000": ("train.txt", "test.txt"),
    "wsj-sample": ("train.ptb", "dev.ptb"),
    "gum": ("train.ptb", "dev.ptb"),
}
ROWS = (
    ("unigram", 1, "class", 1),
    ("hmm", 1, "class", 1),
    ("spectral", 8, "class", 1),
    ("spectral", 16, "class", 1),
    ("em", 16, "class", 1),
    ("hmm", 1, "loglinear", 1),
    ("spectral", 8, "loglinear", 1),
    ("spectral", 16, "loglinear", 1),
    ("em", 16, "loglinear", 1),
    ("em", 8, "loglinear", 4),
)
SWEEP = tuple(
    (method, m, emission, 1)
    for emission in ("class", "loglinear")
    for method, sizes in (("hmm", (1,)), ("spectral", (1, 2, 4, 8, 16, 32)))
    for m in sizes
)


def measure(train, test, row, seed):
    """Accuracy, F1, CPU seconds of training and tokens per second of tagging."""
    method, states, emission, members = row
    options = TaggerOptions(method=method, states=states, emission=emission, ensemble=members, seed=seed)
    clock = time.process_time()
    model = options.fit(labelled(train, "label"))
    trained = time.process_time() - clock
    blind = test.without("label")
    tag_ids(model, blind.take(0, 5))
    clock = time.process_time()
    guess = tag_ids(model, blind)
    speed = test.n_tokens / (time.process_time() - clock)
    names, gold, ends = model.labels, test.column("label").strings(), test.offsets.tolist()
    labels = [names[k] for k in guess]
    counts = count_tagging([gold[i:j] for i, j in pairwise(ends)], [labels[i:j] for i, j in pairwise(ends)])
    return 100 * counts.accuracy, 100 * counts.chunk.f1, trained, speed


def draw(means, corpus, path):
    """The figure of the sweep: accuracy over the number of states, the bigram HMM as a dashed line."""
    from matplotlib.figure import Figure

    emissions = sorted({emission for _, _, emission, _ in means})
    figure = Figure(figsize=(4 * len(emissions), 3.2), layout="constrained")
    for panel, emission in zip(figure.subplots(1, len(emissions), squeeze=False)[0], emissions, strict=True):
        points = [
            (m, mean[0])
            for (method, m, kind, _), mean in means.items()
            if (method, kind) == ("spectral", emission)
        ]
        panel.plot(*zip(*points, strict=True), marker="o", label="spectral")
        panel.axhline(means["hmm", 1, emission, 1][0], linestyle="--", color="grey", label="bigram HMM")
        panel.set(
            xscale="log",
            xticks=[m for m, _ in points],
            xlabel="states per label",
            title=f"{emission} emission",
        )
        panel.set_xticklabels([str(m) for m, _ in points])
        panel.minorticks_off()
        panel.set_ylabel(f"{corpus}: accuracy")
        panel.legend()
    figure.savefig(path)


def main():
    """Print the table of one corpus."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=pathlib.Path)
    parser.add_argument("--corpus", choices=sorted(CORPORA), default="conll2000")
    parser.add_argument("--sweep", action="store_true", help="the bigram HMM, and spectral at 1 to 32 states")
    parser.add_argument("--figure", type=pathlib.Path, help="with --sweep: draw it there")
    parser.add_argument("--emission", help="only rows with this emission")
    parser.add_argument("--seeds", type=int, default=1)
    options = parser.parse_args()
    files = [options.data / options.corpus / name for name in CORPORA[options.corpus]]
    train, test = (read_labelled(path) for path in files)
    print(
        "| method | states | emission | models | accuracy | F1 | train CPU s | tokens/s | accuracy by seed |"
    )
    print("|---|---|---|---|---|---|---|---|---|")
    means = {}
    for row in SWEEP if options.sweep else ROWS:
        method, states, emission, members = row
        if options.emission not in (None, emission):
            continue
        found = [measure(train, test, row, 100 * seed) for seed in range(options.seeds)]
        mean = means[row] = np.mean(found, axis=0)
        print(
            f"| {method} | {states} | {emission} | {members} | {mean[0]:.2f} | {mean[1]:.2f} "
            f"| {mean[2]:.1f} | {mean[3]:,.0f} | {', '.join(f'{one[0]:.2f}' for one in found)} |",
            flush=True,
        )
    if options.figure:
        draw(means, options.corpus, options.figure)


if __name__ == "__main__":
    main()

"""Write phrases of the training trees into the bundled English model, for the page and `eigenparse info`.

    python scripts/examples_english.py [MODEL]

A model that `scripts/train_english.py` wrote has them already; nothing else of the model changes.
"""

import sys
from pathlib import Path

from eigenparse.api.trees import binarisation_of
from eigenparse.learn.grammar.examples import with_examples
from eigenparse.models.grammar.kind import GRAMMARS
from eigenparse.models.registry import load_model, save_model
from train_english import DATA, TARGET, gold_trees

if __name__ == "__main__":
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else TARGET
    grammar = load_model(path, *GRAMMARS)
    shown = with_examples(grammar, gold_trees(DATA), binarisation_of(grammar))
    save_model(shown, path, "lpcfg", packed=True)
    print(f"{path.name}: {len(shown.report['examples'])} phrases, {path.stat().st_size / 1e6:.2f} MB")

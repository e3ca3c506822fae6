"""Add phrases that show the states of the bundled English grammar: phrases of our own everyday sentences only.

    python scripts/english_phrases.py [MODEL]

Writes the same model again with the phrases in its header; its weights stay as they are, to the byte.  Training
(train_english.py) does the same, so this is for a model file that has none.
"""

import json
import sys
import zlib
from pathlib import Path
from typing import Any

import numpy as np

from eigenparse.api.trees import binarisation_of
from eigenparse.corpus.brackets import parse_trees
from eigenparse.corpus.normalise import normalise
from eigenparse.learn.grammar.examples import with_examples
from eigenparse.models.container import read_container, write_container
from eigenparse.models.grammar.pcfg import LatentGrammar
from eigenparse.models.registry import load_model
from everyday_sentences import everyday_trees

EVERYDAY = 8000  # sentences of our own
TARGET = Path(__file__).parent.parent / "src" / "eigenparse" / "data" / "en.eig"


def with_phrases(grammar: LatentGrammar) -> LatentGrammar:
    """The grammar with examples from everyday sentences in its report."""
    trees = normalise(parse_trees("\n".join(everyday_trees(EVERYDAY))))
    return with_examples(grammar, trees, binarisation_of(grammar))


def with_header(about: dict[str, Any], packed: Any, report: dict[str, Any]) -> tuple[dict[str, Any], Any]:
    """The parts of a packed file whose first part, the header, has more in its report; all others are as before."""
    name, _, _, method, size = about["layout"][0]
    if (name, method) != ("header", "zlib"):
        raise SystemExit("the header is not the first part; pack the model again")
    header = json.loads(zlib.decompress(packed[:size].tobytes()))
    header["report"] |= report
    content = json.dumps(header, ensure_ascii=False, sort_keys=True).encode("utf-8")
    piece = np.frombuffer(zlib.compress(content, 6), dtype=np.uint8)
    first = [name, piece.dtype.str, [len(content)], method, piece.size]
    return about | {"layout": [first, *about["layout"][1:]]}, np.concatenate([piece, packed[size:]])


def main() -> None:
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else TARGET
    phrases = with_phrases(load_model(path)).report["examples"]
    kind, about, arrays = read_container(path)
    about, packed = with_header(about, arrays["packed"], {"examples": phrases})
    write_container(path, kind=kind, header=about, arrays={"packed": packed})
    print(f"{path.name}: {len(phrases)} phrases, {path.stat().st_size / 1e6:.2f} MB")


if __name__ == "__main__":
    main()

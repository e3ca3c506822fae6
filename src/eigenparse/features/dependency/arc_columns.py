"""Words and templates in, hashed integer columns out: what the arc kernels read.

Keys are stable 64-bit hashes of text, so a parser needs no vocabulary; features of unseen words have weight zero.
"""

import functools
import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from eigenparse.arrays import AnyArray
from eigenparse.corpus.dependencies import Dependencies
from eigenparse.corpus.word_classes import kind_and_ending
from eigenparse.errors import OptionError
from eigenparse.features.dependency.templates import (
    ATTRIBUTES,
    CODES,
    JUDGE_ATTRIBUTES,
    JUDGE_CODES,
    JUDGE_ROLES,
    LABEL_ATTRIBUTES,
    ROLES,
)
from eigenparse.features.dependency.word_classes import WordClasses
from eigenparse.features.keys import key_of, key_table
from eigenparse.kernels.dependency.arc_features import MANY_TAGS, N_CODES, PAD, Templates, Words
from eigenparse.kernels.dependency.pruning import Pruning

UNIVERSAL_TAGS = tuple(
    "ADJ ADP ADV AUX CCONJ DET INTJ NOUN NUM PART PRON PROPN PUNCT SCONJ SYM VERB X _".split()  # noqa: SIM905
)
CLASSES = {"VERB": 1, "AUX": 1, "PUNCT": 2, "CCONJ": 3, "SCONJ": 3}
ATOM = re.compile(r"([a-z])([+-]\d)?\.([a-z])")


def _tag_slot(tag: str) -> int:
    """Bit of a tag in sets of tags; tags outside the universal ones share the remaining bits."""
    if tag in UNIVERSAL_TAGS:
        return UNIVERSAL_TAGS.index(tag)
    return len(UNIVERSAL_TAGS) + key_of("slot", tag) % (MANY_TAGS - len(UNIVERSAL_TAGS))


def arc_columns(trees: Dependencies, classes: WordClasses | None = None) -> Words:
    """Columns of all sentences; heads and relations are not looked at."""
    symbols = trees.symbols
    forms, upos, xpos = symbols["form"], symbols["upos"], symbols["xpos"]
    coarse = key_table(upos, "p")[trees.upos]
    fine = np.where(
        np.array([tag == "_" for tag in xpos], dtype=bool)[trees.xpos],
        key_table(upos, "t")[trees.upos],
        key_table(xpos, "t")[trees.xpos],
    )
    keys = np.stack(
        [
            key_table([form.lower() for form in forms], "w")[trees.form],
            coarse,
            fine,
            key_table(symbols["feats"], "f")[trees.feats],
            key_table([kind_and_ending(form) for form in forms], "x")[trees.form],
            *_class_keys(forms, classes)[:, trees.form],
        ]
    )
    tags = np.array([_tag_slot(tag) for tag in upos], dtype=np.int64)[trees.upos]
    kinds = np.array([CLASSES.get(tag, 0) for tag in upos], dtype=np.int64)[trees.upos]
    return Words(np.ascontiguousarray(keys), tags, kinds, trees.offsets)


def _class_keys(forms: Sequence[str], classes: WordClasses | None) -> AnyArray:
    """(2, forms) keys of fine and coarse classes."""
    if classes is None:
        return np.zeros((2, len(forms)), dtype=np.uint64)
    found = classes.of(forms)
    names = [key_table([str(k) for k in range(n)], salt) for n, salt in zip(classes.sizes, "kg")]
    return np.stack([table[ids] for table, ids in zip(names, found)])


def with_structure(columns: Words, head: AnyArray) -> Words:
    """The same columns and three more attributes that need a tree: outer children, grandparent."""
    keys, offsets = columns.keys, columns.offsets
    n = keys.shape[1]
    start = np.repeat(offsets[:-1], np.diff(offsets))
    parent = np.where(head > 0, start + head - 1, -1)
    own = keys[0] * np.uint64(key_of("own") | 1) + keys[2]
    leftmost = np.full(n + 1, key_of("childless"), dtype=np.uint64)
    rightmost = leftmost.copy()
    rows = np.arange(n)
    leftmost[parent[::-1]] = own[::-1]
    rightmost[parent] = own
    # Only children on their own side count: a leftmost child to the right is none.
    first = np.full(n + 1, n, dtype=np.int64)
    last = np.full(n + 1, -1, dtype=np.int64)
    first[parent[::-1]], last[parent] = rows[::-1], rows
    leftmost[:n][first[:n] > rows] = key_of("childless")
    rightmost[:n][last[:n] < rows] = key_of("childless")
    tag = np.append(keys[1], np.uint64(key_of("root")))
    above = tag[parent] + (parent > rows).astype(np.uint64) * np.uint64(key_of("side"))
    more = np.stack([leftmost[:n], rightmost[:n], above])
    return Words(np.ascontiguousarray(np.concatenate([keys, more])), columns.tags, columns.classes, offsets)


def compile_templates(
    templates: Sequence[str],
    pair_templates: Sequence[str] = (),
    *,
    bits: int,
    attributes: Mapping[str, str] = ATTRIBUTES,
    roles: str = ROLES,
    conjoined: str = CODES,
) -> Templates:
    """Templates as integer tables; the hash depends on their text only, not on their order."""
    return _compiled(tuple(templates), tuple(pair_templates), bits, tuple(attributes), roles, conjoined)


@functools.lru_cache(maxsize=16)
def _compiled(
    templates: tuple[str, ...],
    pair_templates: tuple[str, ...],
    bits: int,
    attributes: tuple[str, ...],
    roles: str,
    conjoined: str,
) -> Templates:
    rows = sorted((conjoined.index(code), text) for text in templates for code in text.partition(":")[0])
    blocks = np.searchsorted([code for code, _ in rows], np.arange(5)).astype(np.int64)
    atoms = [
        atom
        for r, (code, text) in enumerate(rows)
        for atom in _atoms(r, text.partition(":")[2], code, attributes, roles)
    ]
    pairs = [atom for r, text in enumerate(pair_templates) for atom in _atoms(r, text, 9, attributes, roles)]
    codes = [[key_of("code", str(side), str(code)) for code in range(N_CODES)] for side in (0, 1)]
    edges = [
        [key_of("edge", name, place) for place in ("before", "root", "after", "none")] for name in attributes
    ]
    return Templates(
        atoms=np.array([a[:4] for a in atoms], dtype=np.int64).reshape(-1, 4),
        coefficients=np.array([a[4] for a in atoms], dtype=np.uint64),
        blocks=blocks,
        pair_atoms=np.array([a[:4] for a in pairs], dtype=np.int64).reshape(-1, 4),
        pair_coefficients=np.array([a[4] for a in pairs], dtype=np.uint64),
        n_pair=len(pair_templates),
        codes=np.array(codes, dtype=np.uint64),
        edge_keys=np.array(edges, dtype=np.uint64),
        tag_keys=np.array([key_of("tag", str(b)) for b in range(MANY_TAGS)], dtype=np.uint64),
        shift=np.uint64(64 - bits),
    )


def pruning_of(pruner: Any) -> Pruning:
    """Templates and weights of a pruner as kernels take them; None: nothing is pruned."""
    if pruner is None:
        return Pruning(compile_templates((), bits=1), np.zeros(0, dtype=np.float32))
    return Pruning(compile_templates(pruner.templates, bits=pruner.bits), pruner.weights)


def _atoms(row: int, text: str, code: int, names: tuple[str, ...], roles: str) -> list[tuple[Any, ...]]:
    """(row, role, offset, attribute, coefficient) of each atom of one template."""
    found = []
    for atom in text.split():
        match = ATOM.fullmatch(atom)
        if not match or match[1] not in roles or match[3] not in names or abs(int(match[2] or 0)) > PAD:
            raise OptionError(
                f"template {text.strip()!r}: {atom!r} is not role, offset within {PAD} and attribute; "
                f"write it like m-1.p with roles {', '.join(roles)} and attributes {', '.join(names)}"
            )
        coefficient = key_of("atom", str(code), text.strip(), atom) | 1
        found.append((row, roles.index(match[1]), int(match[2] or 0), names.index(match[3]), coefficient))
    return found


def label_templates(templates: Sequence[str], *, bits: int) -> Templates:
    """Templates of the labeller, which may also look at the tree."""
    return compile_templates(templates, bits=bits, attributes=LABEL_ATTRIBUTES)


def judge_templates(templates: Sequence[str], *, bits: int) -> Templates:
    """Templates of the judge, which look at the believed tree."""
    given: dict[str, Any] = {"attributes": JUDGE_ATTRIBUTES, "roles": JUDGE_ROLES, "conjoined": JUDGE_CODES}
    return compile_templates(templates, bits=bits, **given)


def with_relations(columns: Words, relation: AnyArray, names: Sequence[str]) -> Words:
    """The same columns and one more attribute: the relation (T,) of each word, into names."""
    more = key_table(names, "r")[relation]
    return columns._replace(keys=np.concatenate([columns.keys, more[None]]))

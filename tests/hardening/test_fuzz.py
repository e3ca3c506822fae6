"""Spoilt inputs are read or refused with a sentence, whatever they hold; `benchmarks/fuzz.py` runs for longer."""

import os
import pathlib
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import partial

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.hardening.model_targets import CHAIN_VERBS, KINDS, TAGGER_VERBS, model_targets, use, write_inputs
from tests.hardening.targets import TEXTS, Target, refused_or_read, spoil, spoil_json, spoil_model

from eigenparse.models import container
from eigenparse.models.dependency.kind import PLAIN_TREES, SPLIT_HEADS
from eigenparse.models.grammar.kind import PACKED
from eigenparse.models.grammar.packed import unpack_parts
from eigenparse.models.registry import BUILT_IN, kind_named
from eigenparse.models.schema import Array, Schema
from eigenparse.models.vectors.kind import PLAIN, WITH_STATISTICS

N_CASES = int(os.environ.get("EIGENPARSE_FUZZ", "40"))
FOUND = pathlib.Path(__file__).parent / "found"
edits = st.lists(
    st.tuples(st.integers(0, 7), st.integers(0, 65535), st.integers(0, 65535)), min_size=1, max_size=6
)
bounded = settings(
    max_examples=N_CASES,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Target]:
    """A small model of every kind."""
    return {target.name: target for target in model_targets(tmp_path_factory.mktemp("models"))}


@pytest.mark.parametrize("target", TEXTS, ids=lambda target: target.name)
@bounded
@given(data=st.data())
def test_texts(target: Target, tmp_path: pathlib.Path, data: st.DataObject) -> None:
    path = tmp_path / "input"
    spoiled = target.tamper if target.tamper is not None and data.draw(st.booleans()) else spoil
    path.write_bytes(spoiled(data.draw(st.sampled_from(target.seeds)), data.draw(edits)))
    refused_or_read(target.read, path)


def names_of(schema: Schema, prefix: str = "") -> Iterator[str]:
    """Names of all arrays that a schema knows, with {} for numbers."""
    yield from (prefix + row.name for row in schema.rows if isinstance(row, Array))
    for part in schema.parts:
        yield from names_of(part.schema, prefix + part.prefix)


CHOSEN = {"deptree": (PLAIN_TREES, SPLIT_HEADS), "vectors": (PLAIN, WITH_STATISTICS)}
NEVER_WRITTEN = {"other{}.span_filter.weights", "other{}.span_filter.common", "top"}


def test_every_array_of_every_kind_is_spoilt(models: dict[str, Target], tmp_path: pathlib.Path) -> None:
    """A new array, or a new kind, belongs into one of the small models."""
    kinds = [kind for name in BUILT_IN if (kind := kind_named(name)) is not None]
    spoilt: dict[str, set[str]] = {kind.name: set() for kind in kinds}
    for target in models.values():
        (tmp_path / "one").write_bytes(target.seeds[0])
        kind, header, arrays = container.read_container(tmp_path / "one")
        spoilt[kind] |= arrays.keys()
        if kind == PACKED.name:
            spoilt["lpcfg"] |= unpack_parts(header, arrays)[1].keys()
    for kind in kinds:
        for name in [name for schema in CHOSEN.get(kind.name, (kind.schema,)) for name in names_of(schema)]:
            pattern = re.compile(re.escape(name).replace(r"\{\}", ".+"))
            assert name in NEVER_WRITTEN or any(map(pattern.fullmatch, spoilt[kind.name])), (kind.name, name)


@pytest.mark.parametrize("kind", KINDS)
@bounded
@given(changes=edits, sealed=st.booleans())
def test_models(
    kind: str,
    models: dict[str, Target],
    tmp_path: pathlib.Path,
    changes: list[tuple[int, int, int]],
    sealed: bool,
) -> None:
    """Byte changes meet the checksum; sealed ones have a right checksum and wrong contents."""
    path, content = tmp_path / "input.model", models[kind].seeds[0]
    path.write_bytes(spoil_model(content, changes[:2]) if sealed else spoil(content, changes))
    refused_or_read(models[kind].read, path)


@pytest.mark.thorough
def test_kernels_that_check_every_index(tmp_path: pathlib.Path) -> None:
    """Two kinds whose kernels are quickly compiled; the benchmark alone does this for all of them."""
    script = pathlib.Path(__file__).parent.parent.parent / "benchmarks" / "fuzz.py"
    command = [sys.executable, script, "--models", "150", "--only", "hmm em,deptree", "--findings", tmp_path]
    checked = {**os.environ, "NUMBA_BOUNDSCHECK": "1"}
    done = subprocess.run(command, env=checked, capture_output=True, text=True, timeout=800)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Target]]:
    """A service and its routes."""
    pytest.importorskip("fastapi")
    from tests.hardening.http_targets import http_targets

    with http_targets(tmp_path_factory.mktemp("service")) as targets:
        yield {target.name: target for target in targets}


@pytest.mark.parametrize("route", ["http parse", "http tag", "http score"])
@bounded
@given(data=st.data(), changes=edits, sealed=st.booleans())
def test_bodies(
    route: str,
    service: dict[str, Target],
    tmp_path: pathlib.Path,
    data: st.DataObject,
    changes: list[tuple[int, int, int]],
    sealed: bool,
) -> None:
    """Bytes that are no JSON, and JSON that is no request."""
    target = service[route]
    path, content = tmp_path / "body", data.draw(st.sampled_from(target.seeds))
    path.write_bytes(spoil_json(content, changes[:2]) if sealed else spoil(content, changes))
    refused_or_read(target.read, path)


@pytest.mark.parametrize("path", sorted(FOUND.glob("*")), ids=lambda path: path.name)
def test_inputs_that_once_broke_a_reader(path: pathlib.Path, tmp_path: pathlib.Path) -> None:
    """Files are called after their target."""
    write_inputs(tmp_path)
    readers = {target.name.replace(" ", "-"): target.read for target in TEXTS} | {
        "backoff-tagger": partial(use, folder=tmp_path, verbs=TAGGER_VERBS),
        "hmm-impossible": partial(use, folder=tmp_path, verbs=CHAIN_VERBS[:3]),
        "hmm-sums": partial(use, folder=path.parent, verbs=("info MODEL",)),
        "rhmm-sums": partial(use, folder=tmp_path, verbs=("merge MODEL MODEL --out written",)),
        "split-heads": partial(
            use, folder=path.parent, verbs=(f"score MODEL {path.parent / 'conllu-whole'}",)
        ),
    }
    read = next(reader for name, reader in readers.items() if path.name.startswith(name))
    refused_or_read(read, path)

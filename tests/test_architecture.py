"""The shape of the package: who may import whom, no import cycles, and functions that stay small."""

import ast
import functools
import pathlib
from collections.abc import Collection, Iterator

import pytest

PACKAGE = pathlib.Path(__file__).parent.parent / "src" / "eigenparse"
TESTS = pathlib.Path(__file__).parent
MOST_PARAMETERS, MOST_LINES, MOST_VERB_LINES = 8, 60, 150

BASE = {"errors", "arrays", "threads"}
LEARNING = BASE | {"corpus", "features", "spectral", "models", "inference", "run", "work"}
# Data flows one way: every package may import only the packages named here.  "" is the package itself, which
# holds the version.
MAY_IMPORT = {
    "errors": set(),
    "threads": set(),
    "arrays": {"errors"},
    "run": {"errors"},
    "kernels": set(),
    "data": set(),
    "corpus": BASE | {"kernels"},
    "features": BASE | {"kernels", "corpus"},
    "spectral": BASE | {"kernels"},
    "models": BASE | {"kernels", "corpus", "features", "data"},
    "work": BASE | {"corpus", "models", "run"},
    "inference": BASE | {"kernels", "corpus", "features", "models", "run"},
    "decode": BASE | {"kernels", "corpus", "features", "models", "inference", "run"},
    "learn": LEARNING | {"kernels"},
    "evaluate": BASE | {"kernels", "corpus"},
    "draw": BASE | {"corpus", "decode"},
    "synthetic": BASE | {"corpus", "models", "inference"},
    "report": BASE | {"corpus", "evaluate"},
    "plot": BASE | {"report"},
    "experiments": LEARNING | {"learn", "decode", "evaluate", "synthetic", "report"},
    "batch": LEARNING
    | {"", "api", "data", "decode", "draw", "evaluate", "learn", "plot", "report", "synthetic"},
    "estimators": LEARNING | {"learn", "decode"},
    "api": LEARNING | {"", "data", "decode", "learn", "evaluate", "draw", "plot", "report"},
    "integrations": BASE | {"corpus", "decode", "models", "api"},
    "serve": BASE | {"", "corpus", "data", "decode", "inference", "models", "draw", "batch", "api"},
    # Verbs read arguments, call and print: no features, kernels, inference or decoding of their own.
    "cli": BASE
    | {"", "corpus", "data", "models", "learn", "work", "evaluate", "draw", "plot", "synthetic", "report"}
    | {"experiments", "batch", "api", "serve"},
    "__main__": {"cli"},
    "": BASE | {"api", "batch", "corpus", "decode", "evaluate", "models", "estimators"},
}

# Functions that may have more parameters, each with the reason; none may have more lines.
VERB = "a verb has one parameter for each option of the command line"
EXCEPTIONS: dict[str, str] = {
    "cli.parse.parse": VERB,
    "cli.reproduce_dhillon2012.dhillon2012": VERB,
    "cli.reproduce_matejovicova2018.matejovicova2018": VERB,
    "cli.reproduce_stratos2013.stratos2013": VERB,
    "cli.serve.serve": VERB,
}


@functools.cache
def sources(package: pathlib.Path) -> dict[str, ast.Module]:
    """Syntax trees by module name: ``corpus.files``, ``corpus`` for an ``__init__``, "" for the package."""
    found = {}
    for path in sorted(package.rglob("*.py")):
        parts = path.relative_to(package).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        found[name] = ast.parse(path.read_text(encoding="utf-8"))
    return found


def imports(tree: ast.AST) -> Iterator[tuple[str, int]]:
    """What a module imports at any depth, and the line; imports for type checkers alone do not run."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            continue
        if isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from ((f"{node.module}.{alias.name}", node.lineno) for alias in node.names)
        else:
            yield from imports(node)


def reached(modules: dict[str, ast.Module], name: str) -> Iterator[tuple[str, int]]:
    """The modules of ours that a module imports, and the line."""
    for wanted, line in imports(modules[name]):
        if wanted == "eigenparse" or wanted.startswith("eigenparse."):
            parts = wanted.split(".")[1:]
            while parts and ".".join(parts) not in modules:
                parts.pop()  # a name inside a module, or of a package that is not here
            yield (".".join(parts) or wanted.split(".")[1] if "." in wanted else ""), line


def layer(module: str) -> str:
    """The package at the top that a module belongs to."""
    top = module.partition(".")[0]
    return "" if top not in MAY_IMPORT else top


def upward_imports(package: pathlib.Path) -> list[str]:
    """Every import that leaves the allowance of its package."""
    modules = sources(package)
    found = []
    for name in modules:
        own = layer(name)
        for target, line in reached(modules, name):
            if layer(target) not in MAY_IMPORT[own] | {own}:
                found.append(f"{name} -> {layer(target)} (line {line})")
    return found


def cycles(package: pathlib.Path) -> list[tuple[str, ...]]:
    """Groups of modules that import each other, by whatever way, imports inside functions included."""
    modules = sources(package)
    after = {name: {target for target, _ in reached(modules, name)} & modules.keys() for name in modules}
    grown = True
    while grown:  # the transitive closure
        grown = False
        for name, targets in after.items():
            more = set().union(*(after[target] for target in targets)) - targets
            if more:
                after[name] = targets | more
                grown = True
    groups = {
        tuple(sorted(other for other in after[name] if name in after[other]))
        for name in modules
        if name in after[name]
    }
    return sorted(groups)


def large_functions(package: pathlib.Path, exceptions: Collection[str] = EXCEPTIONS) -> dict[str, str]:
    """Functions with too many parameters or lines, and how large they are."""
    found = {}
    for name, tree in sources(package).items():
        for node in ast.walk(tree):
            if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                continue
            given = node.args.posonlyargs + node.args.args + node.args.kwonlyargs
            size = sum(one.arg not in ("self", "cls") for one in given)
            lines = (node.end_lineno or node.lineno) - node.lineno + 1
            allowed = f"{name}.{node.name}" in exceptions
            if (size > MOST_PARAMETERS and not allowed) or lines > MOST_LINES:
                found[f"{name}.{node.name}"] = f"{size} parameters, {lines} lines"
    return found


def test_every_package_has_its_allowance() -> None:
    tops = {path.name.removesuffix(".py") for path in PACKAGE.iterdir()} - {
        "__init__",
        "__pycache__",
        "py.typed",
    }
    assert tops == MAY_IMPORT.keys() - {""}


def test_no_package_imports_upwards() -> None:
    assert upward_imports(PACKAGE) == []


def test_allowances_have_no_cycle() -> None:
    """The packages can be put in a row in which each imports only those before it."""
    left, placed = {name: set(allowed) for name, allowed in MAY_IMPORT.items()}, set()
    left[""] = {"errors"}  # the public names are imported when they are first used
    while left:
        ready = {name for name, allowed in left.items() if allowed <= placed}
        assert ready, f"these packages import each other: {sorted(left)}"
        placed |= ready
        left = {name: allowed for name, allowed in left.items() if name not in ready}


def test_no_module_imports_itself_on_some_way() -> None:
    assert cycles(PACKAGE) == []


def test_functions_stay_small() -> None:
    assert large_functions(PACKAGE) == {}
    assert large_functions(PACKAGE, ()).keys() == EXCEPTIONS.keys()


def test_verbs_stay_short() -> None:
    long = {
        path.name
        for path in (PACKAGE / "cli").rglob("*.py")
        if len(path.read_text(encoding="utf-8").splitlines()) > MOST_VERB_LINES
    }
    assert long == set()


def test_no_test_module_imports_another() -> None:
    found = [
        f"{path.relative_to(TESTS)}:{line} imports {name}"
        for path in sorted(TESTS.rglob("*.py"))
        for name, line in imports(ast.parse(path.read_text(encoding="utf-8")))
        if any(part.startswith("test_") for part in name.split(".")[:-1])
    ]
    assert found == []


@pytest.fixture
def house(tmp_path: pathlib.Path) -> pathlib.Path:
    """A package with one fault of each sort."""
    files = {
        "kernels/bad.py": "from eigenparse.cli import main\n",
        "corpus/one.py": "def f():\n    from eigenparse.corpus.two import g\n",
        "corpus/two.py": "from eigenparse.corpus import three\n",
        "corpus/three.py": "import eigenparse.corpus.one\n",
        "models/wide.py": f"def f({', '.join('abcdefghi')}): ...\n",
        "models/long.py": "class C:\n    def f(self):\n" + "        pass\n" * MOST_LINES,
        "models/fine.py": f"def f(self, {', '.join('abcdefgh')}):\n" + "    pass\n" * (MOST_LINES - 1),
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def test_the_checks_see_violations(house: pathlib.Path) -> None:
    assert upward_imports(house) == ["kernels.bad -> cli (line 1)"]
    assert cycles(house) == [("corpus.one", "corpus.three", "corpus.two")]
    assert set(large_functions(house)) == {"models.wide.f", "models.long.f"}

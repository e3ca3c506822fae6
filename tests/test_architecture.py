"""Data flows one way: each layer may import only the layers named here."""

import ast
import pathlib

PACKAGE = pathlib.Path(__file__).parent.parent / "src" / "eigenparse"

BASE = {"errors", "arrays"}
MAY_IMPORT = {
    "errors": set(),
    "arrays": {"errors"},
    "run": {"errors"},
    "kernels": set(),
    "corpus": BASE | {"kernels"},
    "features": BASE | {"kernels", "corpus"},
    "spectral": BASE | {"kernels"},
    "data": set(),
    "work": BASE | {"corpus", "models", "run"},
    "models": BASE | {"corpus", "features", "data"},
    "inference": BASE | {"kernels", "corpus", "features", "models", "run"},
    "decode": BASE | {"kernels", "corpus", "features", "models", "inference", "run"},
    "learn": BASE | {"kernels", "corpus", "features", "spectral", "models", "inference", "run", "work"},
    "evaluate": BASE | {"kernels", "corpus"},
    "draw": BASE | {"corpus", "decode"},
    "synthetic": BASE | {"corpus", "models", "inference"},
    "plot": BASE | {"report"},
    "report": BASE | {"corpus", "evaluate"},
    "experiments": BASE
    | {
        "corpus",
        "features",
        "spectral",
        "models",
        "inference",
        "decode",
        "learn",
        "evaluate",
        "synthetic",
        "report",
        "run",
        "work",
    },
}
OUTSIDE = {"__init__", "batch", "cli", "serve", "api", "estimators", "integrations"}


def reached(node: ast.AST) -> set[str]:
    """Parts of our package that an import statement reaches."""
    if isinstance(node, ast.Import):
        names = [alias.name for alias in node.names]
    elif isinstance(node, ast.ImportFrom):
        names = [f"{node.module}.{alias.name}" for alias in node.names]
    else:
        names = []
    return {name.split(".")[1] for name in names if name.startswith("eigenparse.")}


def upward_imports(package: pathlib.Path) -> list[str]:
    """Every import that leaves its layer's allowance."""
    found = []
    for path in sorted(package.rglob("*.py")):
        layer = path.relative_to(package).parts[0].removesuffix(".py")
        if layer in OUTSIDE:
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            for target in reached(node) - MAY_IMPORT[layer] - {layer}:
                found.append(f"{layer} -> {target} ({path.name}:{getattr(node, 'lineno', 0)})")
    return found


def test_no_layer_imports_upwards() -> None:
    assert upward_imports(PACKAGE) == []


def test_the_check_sees_a_violation(tmp_path: pathlib.Path) -> None:
    (tmp_path / "kernels").mkdir()
    (tmp_path / "kernels" / "bad.py").write_text("from eigenparse.cli import main\n")
    assert upward_imports(tmp_path) == ["kernels -> cli (bad.py:1)"]

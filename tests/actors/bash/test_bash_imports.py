"""The layers of `actors/bash`, and its one entry point, checked in the source."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

pytestmark = pytest.mark.quick

ROOT = Path(__file__).parents[3]
PACKAGE = "actors.bash"
ENTRY_POINT = f"{PACKAGE}.parse"
LAYERS = ("syntax", "effects", "programs", "command_parser", "parse")


def read_imports(path: Path) -> Iterator[str]:
    """List the imported modules, including those imported in functions and for type checking."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or ""
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def find_layer(module: str) -> int:
    return LAYERS.index(module.split(".")[2])


def test_each_layer_imports_only_layers_below_it() -> None:
    modules = {
        ".".join(path.relative_to(ROOT).with_suffix("").parts): path
        for path in sorted((ROOT / "actors" / "bash").rglob("*.py"))
    }
    violations = [
        f"{module} imports {name}"
        for module, path in modules.items()
        for name in read_imports(path)
        if name.startswith(f"{PACKAGE}.") and find_layer(name) > find_layer(module)
    ]
    assert violations == []


def test_other_packages_import_only_the_entry_point() -> None:
    violations = [
        f"{path.relative_to(ROOT)} imports {name}"
        for package in ("actors", "messages", "shell")
        for path in sorted((ROOT / package).rglob("*.py"))
        if not path.is_relative_to(ROOT / "actors" / "bash")
        for name in read_imports(path)
        if name.startswith(PACKAGE)
        and not (name == ENTRY_POINT or name.startswith(f"{ENTRY_POINT}."))
    ]
    assert violations == []

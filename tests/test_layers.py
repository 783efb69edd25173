"""The layout and import rules of the source tree, read from the source.

Imports at the top, in a function and under `TYPE_CHECKING` are all checked.
"""

import ast
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

pytestmark = pytest.mark.quick

ROOT = Path(__file__).parent.parent
SOURCE_PACKAGES = ("messages", "actors", "shell")
ALLOWED_TOP_LEVEL = {*SOURCE_PACKAGES, "tests", "pyproject.toml", "README.md", "LICENSE", "uv.lock"}
BUILD_OUTPUTS = {"build", "dist", "__pycache__"}
MAX_FILE_LINES = 500
"""A longer file says why in its docstring, after `Long because`."""
MAX_FUNCTION_LINES = 80

LAYERS = {
    "": ("messages", "actors", "shell"),
    "actors": (
        *("runtime", "redaction", "paths"),
        *("sessions", "models", "bash"),
        "permissions",
        "sandbox",
        "tools",
        "snapshots",
        "prompt_context",
        *("approvals", "agents"),
        "placement",
        *("supervisor", "wiring"),
    ),
    "shell": (
        *("startup", "text", "help", "config", "process", "console", "view", "headless"),
        *("sessions", "commands", "repl", "cli"),
    ),
}
"""Packages by their parent, in order: each imports only packages to its left."""

FORBIDDEN_IMPORTS = (
    ("actors.agents.turn", "actors.runtime"),
    ("actors.agents.turn", "actors.agents.effect_handlers"),
    ("actors.agents.turn", "actors.agents.restore"),
    ("actors.agents.turn", "actors.agents.agent"),
    ("actors.agents.restore", "actors.agents.agent"),
    ("actors.agents.effect_handlers", "actors.agents.agent"),
)
"""Rules between packages that have no order."""

PYKKA_MODULES = {
    "actors.runtime.cell",
    "actors.runtime.event_loop_actor",
    "actors.runtime.pykka_envelope",
    "actors.runtime.thread_cell",
}
LOOSE_SHELL_MODULES = {"shell.main", "shell._boot"}
SAME_NAME_IN_SIBLINGS: dict[str, str] = {
    "__init__": "every package has one",
}
"""Base names that sibling packages may share, with the reason."""


@dataclass(frozen=True)
class SourceModule:
    """One source file."""

    name: str
    """Dotted; that of the package for `__init__.py`."""
    package: str
    """The package of its folder."""
    base_name: str
    line_count: int
    tree: ast.Module
    imported_names: tuple[str, ...]

    def imports_from(self, package: str) -> bool:
        return any(is_inside(name, package) for name in self.imported_names)


def is_inside(name: str, package: str) -> bool:
    return name == package or name.startswith(f"{package}.")


def parse_module(path: Path) -> SourceModule:
    text = path.read_text()
    parts = path.relative_to(ROOT).with_suffix("").parts
    tree = ast.parse(text)
    return SourceModule(
        name=".".join(parts).removesuffix(".__init__"),
        package=".".join(parts[:-1]),
        base_name=parts[-1],
        line_count=text.count("\n"),
        tree=tree,
        imported_names=tuple(find_imported_names(tree)),
    )


def find_imported_names(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"relative import of {node.module}"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


@cache
def load_modules() -> tuple[SourceModule, ...]:
    paths = (path for folder in SOURCE_PACKAGES for path in sorted((ROOT / folder).rglob("*.py")))
    return tuple(parse_module(path) for path in paths)


@cache
def find_package_imports() -> dict[tuple[str, str], list[str]]:
    """Return the imports between packages, by importing and imported package."""
    modules = {module.name: module for module in load_modules()}
    imports: dict[tuple[str, str], list[str]] = defaultdict(list)
    for module in load_modules():
        for name in module.imported_names:
            target = modules.get(name) or modules.get(name.rpartition(".")[0])
            if target is not None and target.package != module.package:
                imports[module.package, target.package].append(f"{module.name} -> {target.name}")
    return imports


def list_imports(importing: str, imported: str) -> list[str]:
    """Return the imports from one package, subpackages included, to another."""
    return [
        f"{module.name} -> {name}"
        for module in load_modules()
        if is_inside(module.name, importing)
        for name in module.imported_names
        if is_inside(name, imported)
    ]


def list_imports_against_order(parent: str, order: Iterable[str]) -> list[str]:
    names = [f"{parent}.{name}".lstrip(".") for name in order]
    return [
        line
        for index, importing in enumerate(names)
        for imported in names[index + 1 :]
        for line in list_imports(importing, imported)
    ]


# Folders.


def test_the_top_level_holds_only_the_known_entries() -> None:
    names = {entry.name for entry in ROOT.iterdir() if not entry.name.startswith(".")}
    assert names - ALLOWED_TOP_LEVEL - BUILD_OUTPUTS == set()


@pytest.mark.parametrize("parent", LAYERS)
def test_every_package_is_listed_in_the_import_order(parent: str) -> None:
    folder = ROOT / parent.replace(".", "/")
    packages = {path.parent.name for path in folder.glob("*/__init__.py")} - {"tests"}
    assert packages == set(LAYERS[parent])


def test_only_main_and_boot_are_loose_modules_in_shell() -> None:
    loose = {module.name for module in load_modules() if module.package == "shell"}
    assert loose - {"shell"} == LOOSE_SHELL_MODULES


def test_the_parts_of_the_screen_form_no_import_cycle() -> None:
    """Imports under `TYPE_CHECKING` are included."""
    screen = [module for module in load_modules() if module.name.startswith("shell.repl.")]
    imports = {
        module.name: [other.name for other in screen if module.imports_from(other.name)]
        for module in screen
    }
    TopologicalSorter(imports).prepare()  # raises CycleError


def test_sibling_packages_share_no_module_name() -> None:
    packages: dict[tuple[str, str], list[str]] = defaultdict(list)
    for module in load_modules():
        if module.base_name not in SAME_NAME_IN_SIBLINGS:
            parent = module.package.rpartition(".")[0]
            packages[parent, module.base_name].append(module.name)
    assert [names for names in packages.values() if len(names) > 1] == []


# Imports.


@pytest.mark.parametrize("parent", LAYERS)
def test_a_package_imports_only_packages_to_its_left(parent: str) -> None:
    assert list_imports_against_order(parent, LAYERS[parent]) == []


@pytest.mark.parametrize(("importing", "imported"), FORBIDDEN_IMPORTS)
def test_a_forbidden_import_between_packages_does_not_exist(importing: str, imported: str) -> None:
    assert list_imports(importing, imported) == []


@pytest.mark.parametrize("package", SOURCE_PACKAGES)
def test_no_source_package_imports_the_tests(package: str) -> None:
    assert list_imports(package, "tests") == []


def test_no_two_packages_import_each_other() -> None:
    imports = find_package_imports()
    assert [
        (*imports[package, other], *imports[other, package])
        for package, other in imports
        if package < other and (other, package) in imports
    ] == []


def test_the_imports_between_packages_form_no_cycle() -> None:
    graph: dict[str, set[str]] = defaultdict(set)
    for importing, imported in find_package_imports():
        graph[importing].add(imported)
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(f"cycle: {' <- '.join(error.args[1])}")


def test_simulation_invariants_do_not_import_the_simulation() -> None:
    modules = map(parse_module, (ROOT / "tests/simulation/invariants").glob("*.py"))
    assert [
        f"{module.name} -> {name}"
        for module in modules
        for name in module.imported_names
        if is_inside(name, "tests.simulation")
        and not is_inside(name, "tests.simulation.invariants")
    ] == []


def test_in_shell_only_main_imports_what_starts_actors() -> None:
    assert [
        f"{module.name} -> {name}"
        for module in load_modules()
        if is_inside(module.name, "shell") and module.name != "shell.main"
        for name in module.imported_names
        if is_inside(name, "actors.runtime") and not is_inside(name, "actors.runtime.actor")
    ] == []


def test_only_the_cell_modules_import_pykka() -> None:
    modules = {module.name for module in load_modules() if module.imports_from("pykka")}
    assert modules <= PYKKA_MODULES


def test_only_the_models_package_imports_the_sdk() -> None:
    modules = (module.name for module in load_modules() if module.imports_from("anthropic"))
    assert [name for name in modules if not is_inside(name, "actors.models")] == []


def test_random_values_come_only_from_a_seeded_generator() -> None:
    """Ids come from addresses and counters, which lets a simulation's seed replay exactly."""
    assert [
        f"{module.name} -> {name}"
        for module in load_modules()
        for name in module.imported_names
        if (is_inside(name, "random") or is_inside(name, "uuid")) and name != "random.Random"
    ] == []


# Sizes.


def test_a_file_over_the_line_limit_says_why() -> None:
    assert [
        f"{module.name}: {module.line_count} lines"
        for module in load_modules()
        if module.line_count > MAX_FILE_LINES
        and "Long because" not in (ast.get_docstring(module.tree) or "")
    ] == []


def test_no_function_is_over_the_line_limit() -> None:
    assert [
        f"{module.name}.{node.name}: {lines} lines"
        for module in load_modules()
        for node in ast.walk(module.tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (lines := (node.end_lineno or 0) - node.lineno + 1) > MAX_FUNCTION_LINES
    ] == []

"""The layout is the architecture: rooms, arrows and sizes, read off the source."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

pytestmark = pytest.mark.quick

ROOT = Path(__file__).parent.parent
PACKAGES = ("messages", "actors", "shell")
ALLOWED_TOP_LEVEL = {*PACKAGES, "tests", "pyproject.toml", "README.md", "LICENSE", "uv.lock"}
BUILD_OUTPUTS = {"build", "dist", "__pycache__"}
MAX_FILE_LINES = 500
"""In lines; a longer one says in its first docstring, after `Long because`, why it is still one."""
MAX_FUNCTION_LINES = 60


@dataclass(frozen=True)
class SourceModule:
    name: str
    line_count: int
    tree: ast.Module
    imports: tuple[str, ...]

    @property
    def package(self) -> str:
        return self.name.partition(".")[0]

    def imports_from(self, package: str) -> bool:
        return any(is_inside_package(name, package) for name in self.imports)


def is_inside_package(name: str, package: str) -> bool:
    return name == package or name.startswith(f"{package}.")


def parse_module(path: Path) -> SourceModule:
    text = path.read_text()
    name = ".".join(path.relative_to(ROOT).with_suffix("").parts)
    tree = ast.parse(text)
    return SourceModule(
        name.removesuffix(".__init__"), text.count("\n"), tree, tuple(find_imports(tree))
    )


def find_imports(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"a relative import of {node.module}"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


@cache
def load_modules() -> tuple[SourceModule, ...]:
    found = (path for room in PACKAGES for path in sorted((ROOT / room).rglob("*.py")))
    return tuple(parse_module(path) for path in found)


def modules_importing(package: str) -> list[str]:
    return [module.name for module in load_modules() if module.imports_from(package)]


def test_the_rooms_are_not_empty() -> None:
    assert {module.package for module in load_modules()} == set(PACKAGES)


def test_the_top_level_holds_the_rooms_and_little_else() -> None:
    names = {entry.name for entry in ROOT.iterdir() if not entry.name.startswith(".")}
    assert names - ALLOWED_TOP_LEVEL - BUILD_OUTPUTS == set()


@pytest.mark.parametrize(
    ("room", "forbidden"),
    [
        ("messages", "actors"),
        ("messages", "shell"),
        ("actors", "shell"),
        ("shell.view", "shell.repl"),
        ("shell.view", "shell.config"),
        ("shell.view", "shell.commands"),
        ("shell.commands", "shell.repl"),
        ("shell.config", "shell.view"),
        ("shell.config", "shell.repl"),
    ],
)
def test_no_import_goes_against_the_arrows(room: str, forbidden: str) -> None:
    assert [name for name in modules_importing(forbidden) if is_inside_package(name, room)] == []


@pytest.mark.parametrize("room", PACKAGES)
def test_no_room_imports_the_tests(room: str) -> None:
    assert [name for name in modules_importing("tests") if is_inside_package(name, room)] == []


def test_the_runtime_knows_no_agent() -> None:
    runtime = [
        module for module in load_modules() if is_inside_package(module.name, "actors.runtime")
    ]
    assert [
        f"{module.name} imports {name}"
        for module in runtime
        for name in module.imports
        if is_inside_package(name, "actors") and not is_inside_package(name, "actors.runtime")
    ] == []


def test_in_the_shell_only_main_reaches_for_what_starts_actors() -> None:
    others = (m for m in load_modules() if m.package == "shell" and m.name != "shell.main")
    assert [
        f"{module.name} imports {name}"
        for module in others
        for name in module.imports
        if is_inside_package(name, "actors.runtime")
        and not is_inside_package(name, "actors.runtime.actor")
    ] == []


def test_only_the_cells_and_their_actor_type_import_pykka() -> None:
    assert set(modules_importing("pykka")) <= {
        "actors.runtime.cell",
        "actors.runtime.event_loop_actor",
        "actors.runtime.thread_cell",
    }


def test_only_the_models_import_the_sdk() -> None:
    assert [
        name
        for name in modules_importing("anthropic")
        if not is_inside_package(name, "actors.models")
    ] == []


def test_no_actor_draws_what_a_seed_could_not_repeat() -> None:
    """Ids come from addresses and counters; a generator of its own is given its seed."""
    drawing = [
        f"{module.name} imports {name}"
        for module in load_modules()
        for name in module.imports
        if is_inside_package(name, "random") or is_inside_package(name, "uuid")
    ]
    assert [each for each in drawing if not each.endswith(" random.Random")] == []


def test_no_file_is_long_without_saying_why() -> None:
    long = (module for module in load_modules() if module.line_count > MAX_FILE_LINES)
    assert [
        f"{module.name}: {module.line_count} lines"
        for module in long
        if "Long because" not in (ast.get_docstring(module.tree) or "")
    ] == []


def test_no_function_is_long() -> None:
    assert [
        f"{module.name}.{node.name}: {lines} lines"
        for module in load_modules()
        for node in ast.walk(module.tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (lines := (node.end_lineno or 0) - node.lineno + 1) > MAX_FUNCTION_LINES
    ] == []

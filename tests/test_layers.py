"""The layout is the architecture: rooms, arrows and sizes, read off the source."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

pytestmark = pytest.mark.quick

ROOT = Path(__file__).parent.parent
ROOMS = ("messages", "actors", "shell")
TOP_LEVEL = {*ROOMS, "tests", "pyproject.toml", "README.md", "LICENSE", "uv.lock"}
MADE_BY_TOOLS = {"build", "dist", "__pycache__"}
LONGEST_FILE = 500
"""In lines; a longer one says in its first docstring, after `Long because`, why it is still one."""
LONGEST_FUNCTION = 60


@dataclass(frozen=True)
class Module:
    name: str
    lines: int
    tree: ast.Module
    imports: tuple[str, ...]

    @property
    def room(self) -> str:
        return self.name.partition(".")[0]

    def imports_from(self, package: str) -> bool:
        return any(is_in(name, package) for name in self.imports)


def is_in(name: str, package: str) -> bool:
    return name == package or name.startswith(f"{package}.")


def read(path: Path) -> Module:
    text = path.read_text()
    name = ".".join(path.relative_to(ROOT).with_suffix("").parts)
    tree = ast.parse(text)
    return Module(name.removesuffix(".__init__"), text.count("\n"), tree, tuple(imported(tree)))


def imported(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"a relative import of {node.module}"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


@cache
def modules() -> tuple[Module, ...]:
    found = (path for room in ROOMS for path in sorted((ROOT / room).rglob("*.py")))
    return tuple(read(path) for path in found)


def importing(package: str) -> list[str]:
    return [module.name for module in modules() if module.imports_from(package)]


def test_the_rooms_are_not_empty() -> None:
    assert {module.room for module in modules()} == set(ROOMS)


def test_the_top_level_holds_the_rooms_and_little_else() -> None:
    names = {entry.name for entry in ROOT.iterdir() if not entry.name.startswith(".")}
    assert names - TOP_LEVEL - MADE_BY_TOOLS == set()


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
    assert [name for name in importing(forbidden) if is_in(name, room)] == []


@pytest.mark.parametrize("room", ROOMS)
def test_no_room_imports_the_tests(room: str) -> None:
    assert [name for name in importing("tests") if is_in(name, room)] == []


def test_the_runtime_knows_no_agent() -> None:
    runtime = [module for module in modules() if is_in(module.name, "actors.runtime")]
    assert [
        f"{module.name} imports {name}"
        for module in runtime
        for name in module.imports
        if is_in(name, "actors") and not is_in(name, "actors.runtime")
    ] == []


def test_in_the_shell_only_main_reaches_for_what_starts_actors() -> None:
    others = (m for m in modules() if m.room == "shell" and m.name != "shell.main")
    assert [
        f"{module.name} imports {name}"
        for module in others
        for name in module.imports
        if is_in(name, "actors.runtime") and not is_in(name, "actors.runtime.actor")
    ] == []


def test_one_module_imports_pykka() -> None:
    assert set(importing("pykka")) <= {"actors.runtime.cell"}


def test_only_the_models_import_the_sdk() -> None:
    assert [name for name in importing("anthropic") if not is_in(name, "actors.models")] == []


def test_no_actor_draws_what_a_seed_could_not_repeat() -> None:
    """Ids come from addresses and counters; a generator of its own is given its seed."""
    drawing = [
        f"{module.name} imports {name}"
        for module in modules()
        for name in module.imports
        if is_in(name, "random") or is_in(name, "uuid")
    ]
    assert [each for each in drawing if not each.endswith(" random.Random")] == []


def test_no_file_is_long_without_saying_why() -> None:
    long = (module for module in modules() if module.lines > LONGEST_FILE)
    assert [
        f"{module.name}: {module.lines} lines"
        for module in long
        if "Long because" not in (ast.get_docstring(module.tree) or "")
    ] == []


def test_no_function_is_long() -> None:
    assert [
        f"{module.name}.{node.name}: {lines} lines"
        for module in modules()
        for node in ast.walk(module.tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (lines := (node.end_lineno or 0) - node.lineno + 1) > LONGEST_FUNCTION
    ] == []

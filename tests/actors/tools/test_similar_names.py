"""A path that does not exist gets suggestions."""

from dataclasses import replace

import pytest

from actors.tools.similar_names import MAX_SUGGESTIONS, suggest_names
from tests.actors.tools.tool_caller import ToolCaller

pytestmark = pytest.mark.quick


@pytest.fixture
def project(caller: ToolCaller) -> ToolCaller:
    (caller.root / "src" / "app").mkdir(parents=True)
    for name in ("README.md", "src/app/main.py", "src/app/models.py", "src/app/odd\nname.txt"):
        caller.write_file(name, "")
    return caller


@pytest.mark.parametrize(
    ("path", "hint"),
    [
        ("src/app/mian.py", "; did you mean src/app/main.py?"),
        ("readme.md", "; did you mean README.md?"),
        ("src/apps/main.py", "; did you mean src/app/main.py?"),
        ("app/main.py", "; did you mean src/app/main.py?"),
        ("src/apps/none.py", ""),
        ("src/app/oddname.txt", "; did you mean src/app/odd\\nname.txt?"),
        ("wholly/different", ""),
        ("README.md/below", ""),
    ],
)
def test_similar_existing_paths_are_suggested(project: ToolCaller, path: str, hint: str) -> None:
    assert suggest_names(project.root / path, project.context.workspace) == hint


def test_suggestions_are_few_and_relative_to_the_directory(project: ToolCaller) -> None:
    for number in range(9):
        project.write_file(f"src/app/part{number}.py", "")
    workspace = replace(project.context.workspace, cwd=project.root / "src")
    hint = suggest_names(project.root / "src" / "app" / "part.py", workspace)
    assert hint.count("app/part") == MAX_SUGGESTIONS
    assert "src/" not in hint


def test_every_tool_that_takes_a_path_suggests_names(project: ToolCaller) -> None:
    for name, arguments in (
        ("read", {}),
        ("ls", {}),
        ("glob", {"pattern": "*"}),
        ("grep", {"pattern": "x"}),
        ("edit", {"old_string": "x", "new_string": "y"}),
    ):
        error = project.expect_error(name, path="src/app/mian.py", **arguments)
        assert error.endswith("; did you mean src/app/main.py?")

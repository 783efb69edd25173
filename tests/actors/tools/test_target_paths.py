from pathlib import Path

import pytest

from actors.paths.workspace import Workspace
from actors.tools.target_paths import escape_control_characters, resolve_path
from actors.tools.tool import ToolError

pytestmark = pytest.mark.quick


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    root = tmp_path.resolve() / "project"
    (root / "src").mkdir(parents=True)
    return Workspace(root=root, cwd=root / "src")


def test_a_relative_path_starts_at_the_working_directory(workspace: Workspace) -> None:
    assert resolve_path("app.py", workspace) == workspace.cwd / "app.py"
    assert resolve_path("../app.py", workspace) == workspace.root / "app.py"


def test_a_tilde_is_replaced_by_the_home_folder(workspace: Workspace) -> None:
    assert resolve_path("~/notes.txt", workspace) == Path.home().resolve() / "notes.txt"


def test_links_are_resolved_before_a_missing_tail(workspace: Workspace, tmp_path: Path) -> None:
    (workspace.cwd / "out").symlink_to(tmp_path)

    resolved = resolve_path("out/new/file.txt", workspace)

    assert resolved == tmp_path.resolve() / "new" / "file.txt"
    assert workspace.to_target(resolved) == str(resolved)


def test_a_link_to_itself_resolves_to_itself(workspace: Workspace) -> None:
    (workspace.cwd / "loop").symlink_to("loop")
    assert resolve_path("loop", workspace) == workspace.cwd / "loop"


@pytest.mark.parametrize(
    ("path", "problem"),
    [
        ("", "the path is empty"),
        ("a\0b", "the path contains a NUL character"),
        ("a\ud800b", "the path is not valid Unicode"),
        ("a" * 256, "a name in the path is longer than 255 bytes"),
        ("ä" * 128, "a name in the path is longer than 255 bytes"),
        ("a/" * 2_048, "the path is longer than 4,095 bytes"),
        ("~nobody-of-that-name/x", "no such home directory"),
    ],
)
def test_text_that_cannot_be_a_path_is_rejected(
    path: str, problem: str, workspace: Workspace
) -> None:
    with pytest.raises(ToolError, match=problem):
        resolve_path(path, workspace)


def test_a_link_to_an_invalid_name_is_rejected(workspace: Workspace) -> None:
    (workspace.cwd / "odd").symlink_to(b"\xff".decode("utf-8", "surrogateescape"))
    with pytest.raises(ToolError, match="not valid Unicode"):
        resolve_path("odd", workspace)


def test_a_name_cannot_fake_or_reorder_lines() -> None:
    assert escape_control_characters("a\nb\x1b[2J\u202e ü") == "a\\nb\\x1b[2J\\u202e ü"

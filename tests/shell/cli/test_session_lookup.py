"""A session is found by a unique prefix of its id."""

from pathlib import Path

import pytest

from shell.cli.session_lookup import find_session
from shell.startup.errors import StartError
from tests.shell.sessions.saved_sessions import write_session

pytestmark = pytest.mark.quick


@pytest.mark.parametrize("id_prefix", ["20260101-000000-aaaa", "20260101-000000-a", "20260101-00"])
def test_a_unique_prefix_of_an_id_is_enough(tmp_path: Path, id_prefix: str) -> None:
    folder = tmp_path / "projects" / "current"
    path = write_session(folder, "20260101-000000-aaaa")
    write_session(folder, "20260102-000000-bbbb")
    if id_prefix.endswith("aaaa"):
        write_session(folder, "20260101-000000-aaaa-longer")

    assert find_session(folder, id_prefix) == path


@pytest.mark.parametrize(
    ("id_prefix", "problem"),
    [
        ("2026", "2026 matches 2 sessions: 2026010"),
        ("20260101-000000-abaa", "sessions here: 20260101-000000-aaaa"),
        ("../projects/other/2025", "there is no session ../projects/other/2025; sessions here: "),
        ("2025", "it belongs to /other; start greenroom there"),
        ("", "the session id is empty; sessions here: "),
        ("*", "there is no session *; sessions here: "),
    ],
)
def test_an_unknown_session_is_an_error_with_candidates(
    tmp_path: Path, id_prefix: str, problem: str
) -> None:
    folder, other = tmp_path / "projects" / "current", tmp_path / "projects" / "other"
    write_session(folder, "20260101-000000-aaaa")
    write_session(folder, "20260102-000000-bbbb")
    write_session(other, "20250101-000000-cccc")

    with pytest.raises(StartError) as raised:
        find_session(folder, id_prefix)
    assert problem in str(raised.value)


def test_a_workspace_without_sessions_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(StartError, match="this workspace has no sessions yet"):
        find_session(tmp_path / "projects" / "current", "2026")

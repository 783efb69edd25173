import fcntl
import os
from pathlib import Path

import pytest

from actors.sessions import state_paths
from actors.sessions.session_summaries import find_free_session

pytestmark = pytest.mark.quick

NOON_S = 1_700_000_000.9


def create_session_file(project: Path, session_id: str, modified_s: int = 0) -> Path:
    path = state_paths.session_path(project, session_id)
    path.write_bytes(b"{}\n")
    os.utime(path, (modified_s, modified_s))
    return path


def test_greenroom_home_holds_state_and_configuration(tmp_path: Path) -> None:
    environ = {"GREENROOM_HOME": str(tmp_path)}
    assert state_paths.state_folder(environ) == state_paths.config_folder(environ) == tmp_path


def test_a_relative_home_is_made_absolute() -> None:
    assert state_paths.state_folder({"GREENROOM_HOME": "here"}) == Path.cwd() / "here"


@pytest.mark.parametrize("environ", [{}, {"GREENROOM_HOME": ""}])
def test_the_default_folders_are_those_of_the_platform(environ: dict[str, str]) -> None:
    assert state_paths.state_folder(environ).is_absolute()
    assert "greenroom" in state_paths.state_folder(environ).parts
    assert "greenroom" in state_paths.config_folder(environ).parts


@pytest.mark.parametrize(
    ("root", "prefix"),
    [
        ("/home/me/My Project", "my-project-"),
        ("/srv/..%2f; rm -rf", "2f-rm-rf-"),
        ("/home/me/\u4e2d\u6587", "root-"),
        ("/", "root-"),
        ("/x/" + "a" * 200, "a" * 40 + "-"),
        ("/x/\udcff", "root-"),
    ],
)
def test_a_slug_is_a_safe_name_and_digest(root: str, prefix: str) -> None:
    slug = state_paths.slug(Path(root))
    assert slug.startswith(prefix)
    digest = slug.removeprefix(prefix)
    assert len(digest) == 8
    assert set(digest) <= set("0123456789abcdef")


def test_folders_with_the_same_name_have_different_slugs() -> None:
    assert state_paths.slug(Path("/a/app")) != state_paths.slug(Path("/b/app"))


def test_a_projects_folder_is_inside_the_state_folder(tmp_path: Path) -> None:
    root = Path("/a/app")
    assert state_paths.project_folder(tmp_path, root) == tmp_path / "projects" / state_paths.slug(
        root
    )


def test_session_ids_sort_by_their_start_time() -> None:
    assert state_paths.make_session_id(NOON_S, "00ff") == "20231114-221320-00ff"
    assert state_paths.make_session_id(NOON_S, "ffff") < state_paths.make_session_id(
        NOON_S + 1, "0000"
    )


def test_the_newest_session_was_written_to_last(tmp_path: Path) -> None:
    old = create_session_file(tmp_path, "20230101-000000-ffff", modified_s=900)
    idle = create_session_file(tmp_path, "20230101-000001-ffff", modified_s=100)
    used = create_session_file(tmp_path, "20230101-000001-0000", modified_s=200)
    assert state_paths.list_session_files(tmp_path) == (old, used, idle)
    assert find_free_session(tmp_path) == old


def test_a_session_that_is_open_elsewhere_is_not_continued(tmp_path: Path) -> None:
    newest = create_session_file(tmp_path, "20230101-000000-ffff", modified_s=900)
    free = create_session_file(tmp_path, "20230101-000001-ffff", modified_s=100)
    with newest.open() as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        assert find_free_session(tmp_path) == free
        with free.open() as also_held:
            fcntl.flock(also_held, fcntl.LOCK_EX)
            assert find_free_session(tmp_path) == newest


def test_files_that_are_not_sessions_are_not_listed(tmp_path: Path) -> None:
    (tmp_path / "20230101-000000-aaaa.jsonl").touch()
    (tmp_path / "20230101-000000-bbbb.jsonl.torn-12").write_bytes(b"x")
    (tmp_path / "grants.json").write_bytes(b"{}")
    assert state_paths.list_session_files(tmp_path) == ()
    assert find_free_session(tmp_path) is None
    assert find_free_session(tmp_path / "missing") is None


def test_only_regular_files_are_listed_as_sessions(tmp_path: Path) -> None:
    session = create_session_file(tmp_path, "20230101-000000-aaaa")
    (tmp_path / "z.jsonl").symlink_to(tmp_path / "nowhere")
    (tmp_path / "y.jsonl").symlink_to(session)
    (tmp_path / "x.jsonl").symlink_to("x.jsonl")
    (tmp_path / "w.jsonl").mkdir()
    os.mkfifo(tmp_path / "v.jsonl")
    assert state_paths.list_session_files(tmp_path) == (session,)


def test_own_files_are_listed_whether_they_exist_or_not(tmp_path: Path) -> None:
    own_files = state_paths.list_own_files({"GREENROOM_HOME": str(tmp_path)})

    assert {tmp_path / "projects", tmp_path / "config.toml", tmp_path / "agents"} <= set(own_files)
    assert tmp_path not in own_files

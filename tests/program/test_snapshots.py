"""Snapshots of the workspace, taken by the real program."""

import subprocess
from pathlib import Path

import pytest

from actors.models.scripted_reply import ScriptedCall
from messages.snapshots import SnapshotTaken
from tests.program.program_harness import YOLO, Program
from tests.scripted_server import respond_text


@pytest.fixture
def repository(program: Program) -> Path:
    """A repository with one commit, in which the program runs."""
    root = program.repository
    (root / "a.txt").write_text("one\n")
    settings = ["-c", "user.name=t", "-c", "user.email=t@localhost"]
    for words in (["init", "-q"], ["add", "."], ["commit", "-qm", "first"]):
        subprocess.run(["git", *settings, *words], cwd=root, check=True, timeout=30)
    return root


def list_snapshots(program: Program) -> list[SnapshotTaken]:
    records = program.records()
    return [record for record in records if isinstance(record, SnapshotTaken)]


def test_a_command_is_kept_between_two_snapshots(program: Program, repository: Path) -> None:
    change = ScriptedCall("bash", {"command": "echo two > a.txt"})
    look = ScriptedCall("bash", {"command": "cat a.txt"})
    with program.serve(respond_text("", look, change), respond_text("Done.")):
        assert program.run("-p", "Go.", *YOLO).exit_status == 0
    before, after = list_snapshots(program)
    assert (before.moment, after.moment) == ("before", "after")
    (folder,) = program.state_folder.glob("projects/*/snapshots")
    diff = subprocess.run(
        ["git", "--git-dir", folder, "diff", before.commit, after.commit],
        capture_output=True,
        check=True,
        timeout=30,
    )
    assert diff.stdout.decode().endswith("-one\n+two\n")
    assert (repository / "a.txt").read_text() == "two\n"


def test_a_turn_that_only_reads_takes_no_snapshot(program: Program, repository: Path) -> None:
    look = ScriptedCall("bash", {"command": "cat a.txt"})
    with program.serve(respond_text("", look), respond_text("Done.")):
        assert program.run("-p", "Go.", *YOLO).exit_status == 0
    assert list_snapshots(program) == []
    assert not list(program.state_folder.glob("projects/*/snapshots"))
    assert (repository / "a.txt").exists()

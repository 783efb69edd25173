"""Summaries of session files with valid, damaged and foreign content."""

import os
from pathlib import Path

import pytest

from actors.sessions.session_log import SessionLog
from actors.sessions.session_summaries import (
    SessionSummary,
    list_session_summaries,
    summarize_session,
)
from messages.address import PRIMARY, ROOT
from messages.content import Usage
from messages.journal import Record, SessionHeader, SessionOpened
from messages.turns import TurnCompleted, TurnStarted

pytestmark = pytest.mark.quick

RECORDS: tuple[Record, ...] = (
    SessionHeader(session_id="a", workspace="/work"),
    SessionOpened(run=1, pid=1, version="0"),
    TurnStarted(turn=1, prompt='First "prompt".\nOf two lines.'),
    TurnCompleted(turn=1, text="Yes.", stop_reason="end_turn", usage=Usage()),
    TurnStarted(turn=2, prompt="Second."),
)


def create_session(folder: Path, *records: Record, name: str = "a") -> SessionLog:
    path = folder / f"{name}.jsonl"
    return SessionLog.create(path, [(record, PRIMARY) for record in records], lambda: 0.0)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    log = create_session(tmp_path, *RECORDS)
    log.close()
    return log.path


def test_a_summary_has_the_first_prompt_and_turns(path: Path) -> None:
    status = path.stat()

    assert summarize_session(path) == SessionSummary(
        path,
        "available",
        status.st_size,
        status.st_mtime,
        workspace="/work",
        first_prompt='First "prompt".\nOf two lines.',
        turn_count=2,
    )


def test_turns_of_subagents_are_not_counted(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    child = PRIMARY.child("general-1")
    entries = [(record, PRIMARY) for record in RECORDS] + [(RECORDS[2], child), (RECORDS[4], child)]
    SessionLog.create(path, entries, lambda: 0.0).close()

    assert summarize_session(path).turn_count == 2


def test_an_open_session_is_locked_and_remains_locked(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    log = SessionLog.create(path, [(record, ROOT) for record in RECORDS], lambda: 0.0)

    assert summarize_session(log.path).state == summarize_session(log.path).state == "locked"
    log.close()
    assert summarize_session(log.path).state == "available"
    SessionLog.open(log.path, lambda: 0.0)[0].close()


def test_a_session_with_an_unfinished_record_is_available(path: Path) -> None:
    data = path.read_bytes()
    for torn in (b'{"type":"turn_started","tu', b'{"type":"turn_started","turn":3\n'):
        path.write_bytes(data + torn)
        assert summarize_session(path).state == "available"


@pytest.mark.parametrize("index", range(len(RECORDS) - 1))
def test_a_session_with_a_changed_record_is_damaged(path: Path, index: int) -> None:
    lines = path.read_bytes().split(b"\n")
    lines[index] = lines[index].replace(b'"by"', b'"By"')
    path.write_bytes(b"\n".join(lines))

    summary = summarize_session(path)

    assert summary.state == "damaged"
    assert summary.problem == f"damaged at line {index + 1} of 5"


@pytest.mark.parametrize(
    "content",
    [
        b"\n",
        b"\0" * 5_000,
        b"{}\n{}\n{}\n",
        b"\xff\xfe\n" * 3,
        b"[" * 100_000,
        b'{"type":"turn_started"\n' * 3,
    ],
)
def test_a_file_is_listed_whatever_its_content(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "odd.jsonl"
    path.write_bytes(content)
    path.chmod(0o600)

    (summary,) = list_session_summaries(tmp_path)

    assert (summary.state, summary.session_id) == ("unusable", "odd")
    assert summary.problem


def test_a_session_that_others_can_write_is_unusable(path: Path, tmp_path: Path) -> None:
    path.chmod(0o666)
    os.mkfifo(tmp_path / "pipe.jsonl")
    (tmp_path / "link.jsonl").symlink_to(path)

    (summary,) = list_session_summaries(tmp_path)

    assert summary.state == "unusable"
    assert "other users can write" in summary.problem
    assert summarize_session(tmp_path / "gone.jsonl").state == "unusable"


def test_every_prefix_of_a_session_is_listed(path: Path) -> None:
    data = path.read_bytes()
    for length in range(1, len(data), 7):
        path.write_bytes(data[:length])
        summarize_session(path)

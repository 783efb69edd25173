"""What a list of sessions says of each file, whatever is in it."""

import os
from pathlib import Path

import pytest

from actors.sessions.session_index import SessionSummary, list_session_summaries, summarize_session
from actors.sessions.session_log import SessionLog
from messages.address import PRIMARY
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
    return SessionLog.create(path, [(each, PRIMARY) for each in records], lambda: 0.0)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    log = create_session(tmp_path, *RECORDS)
    log.close()
    return log.path


def test_a_session_is_told_by_its_first_prompt_and_its_turns(path: Path) -> None:
    status = path.stat()

    assert summarize_session(path) == SessionSummary(
        path,
        "free",
        status.st_size,
        status.st_mtime,
        workspace="/work",
        first_prompt='First "prompt".\nOf two lines.',
        turn_count=2,
    )


def test_one_that_is_open_is_held_and_to_look_does_not_let_go_of_it(tmp_path: Path) -> None:
    log = create_session(tmp_path, *RECORDS)

    assert summarize_session(log.path).state == summarize_session(log.path).state == "held"
    log.close()
    assert summarize_session(log.path).state == "free"
    SessionLog.open(log.path, lambda: 0.0)[0].close()


def test_the_last_record_may_be_unfinished(path: Path) -> None:
    data = path.read_bytes()
    for torn in (b'{"type":"turn_started","tu', b'{"type":"turn_started","turn":3\n'):
        path.write_bytes(data + torn)
        assert summarize_session(path).state == "free"


@pytest.mark.parametrize("at", range(len(RECORDS) - 1))
def test_a_record_that_was_changed_makes_it_broken(path: Path, at: int) -> None:
    lines = path.read_bytes().split(b"\n")
    lines[at] = lines[at].replace(b'"by"', b'"By"')
    path.write_bytes(b"\n".join(lines))

    found = summarize_session(path)

    assert found.state == "broken"
    assert ("line" if at else "does not begin") in found.problem


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
def test_whatever_a_file_holds_it_is_listed(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "odd.jsonl"
    path.write_bytes(content)
    path.chmod(0o600)

    (found,) = list_session_summaries(tmp_path)

    assert (found.state, found.session_id) == ("broken", "odd")
    assert found.problem


def test_what_others_may_write_to_is_broken_and_what_is_no_file_is_no_session(
    path: Path, tmp_path: Path
) -> None:
    path.chmod(0o666)
    os.mkfifo(tmp_path / "pipe.jsonl")
    (tmp_path / "link.jsonl").symlink_to(path)

    (found,) = list_session_summaries(tmp_path)

    assert found.state == "broken"
    assert "others may write" in found.problem
    assert summarize_session(tmp_path / "gone.jsonl").state == "broken"


def test_every_cut_of_a_session_is_listed(path: Path) -> None:
    data = path.read_bytes()
    for length in range(1, len(data), 7):
        path.write_bytes(data[:length])
        summarize_session(path)

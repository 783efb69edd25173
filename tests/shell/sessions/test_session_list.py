"""Rows and previews of saved sessions."""

from pathlib import Path

import pytest

from messages.content import TextBlock, Usage
from messages.turns import ReplyCompleted, TurnStarted
from shell.sessions.session_list import (
    SessionRow,
    build_preview,
    list_sessions,
)
from shell.sessions.session_names import save_session_name
from tests.shell.sessions.saved_sessions import write_session

pytestmark = pytest.mark.quick


def test_a_row_is_one_line_without_control_characters(tmp_path: Path) -> None:
    path = write_session(tmp_path, "one", TurnStarted(turn=1, prompt="A\x1b[2J\n\n   B\u202e"))
    (tmp_path / "two.jsonl").write_bytes(b"broken\n")
    (tmp_path / "two.jsonl").chmod(0o600)
    now_s = path.stat().st_mtime + 7_200

    saved, broken = sorted(list_sessions(tmp_path, now_s), key=lambda row: row.session_id)

    assert saved == SessionRow(path, "one", "2 h", saved.size, 1, "available", "A^[[2J B<U+202E>")
    assert broken.state == "unusable"
    assert "session header" in broken.title


def test_a_name_replaces_the_first_prompt_as_title(tmp_path: Path) -> None:
    path = write_session(tmp_path, "one", TurnStarted(turn=1, prompt="A"))
    write_session(tmp_path, "two", TurnStarted(turn=1, prompt="B"))
    assert save_session_name(path, "Apples\x1b[2J") == ""
    titles = {row.session_id: row.title for row in list_sessions(tmp_path, 0.0)}
    assert titles == {"one": "Apples^[[2J", "two": "B"}

    (tmp_path / "names.json").write_text("broken")
    assert {row.title for row in list_sessions(tmp_path, 0.0)} == {"A", "B"}


def test_a_preview_shows_the_last_messages_or_the_problem(tmp_path: Path) -> None:
    turns = [TurnStarted(turn=number, prompt=f"Prompt {number}\x07") for number in range(1, 9)]
    reply = ReplyCompleted(
        turn=8,
        content=(TextBlock(text="x" * 5_000),),
        stop_reason="end_turn",
        usage=Usage(),
        model="m",
    )
    preview = build_preview(write_session(tmp_path, "one", *turns, reply))

    assert preview.startswith("> Prompt 4^G\n\n")
    assert preview.endswith("x…")
    assert build_preview(write_session(tmp_path, "two")) == "(no messages)"
    assert "gone" in build_preview(tmp_path / "gone.jsonl")

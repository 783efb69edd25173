"""A session as a document, a row and a preview."""

from pathlib import Path

import pytest

from actors.sessions.session_log import SessionLog
from messages.address import PRIMARY
from messages.content import TextBlock, ThinkingBlock, ToolUseBlock, Usage
from messages.journal import Record, SessionHeader
from messages.turns import ReplyCompleted, ToolEnded, TurnFailed, TurnInterrupted, TurnStarted
from shell.cli.arguments import StartError
from shell.cli.session_lookup import find_session
from shell.sessions.export_formats import records_to_markdown
from shell.sessions.session_list import (
    SessionRow,
    build_preview,
    format_duration,
    format_size,
    list_sessions,
)

pytestmark = pytest.mark.quick


def reply(*content: TextBlock | ThinkingBlock | ToolUseBlock) -> ReplyCompleted:
    return ReplyCompleted(turn=1, content=content, stop_reason="tool_use", usage=Usage(), model="m")


RECORDS: tuple[Record, ...] = (
    SessionHeader(session_id="20260101-000000-abcd", workspace="/work"),
    TurnStarted(turn=1, prompt="Run it."),
    reply(
        ThinkingBlock(thinking="hidden"),
        TextBlock(text="I will."),
        ToolUseBlock(id="c1", name="bash", input={"command": "cat a\ncat b"}),
        ToolUseBlock(id="c2", name="read", input={"path": "é.txt", "limit": 3}),
    ),
    ToolEnded(
        turn=1, call_id="c1", tool="bash", title="bash cat a", status="ok", text="````\nout\n````\n"
    ),
    ToolEnded(turn=1, call_id="c2", tool="read", title="read", status="denied", text="No."),
    TurnInterrupted(turn=1, partial_text="Half"),
    TurnStarted(turn=2, prompt=" "),
    TurnFailed(turn=2, reason="unreachable", detail="nobody there"),
)


def test_a_session_reads_as_markdown_in_which_no_text_ends_its_own_fence() -> None:
    assert (
        records_to_markdown(RECORDS)
        == """\
# Session 20260101-000000-abcd

Workspace: `/work`

## You

Run it.

## Greenroom

I will.

### bash: ok

```text
cat a
cat b
```

`````text
````
out
````
`````

### read: denied

```text
{
  "path": "é.txt",
  "limit": 3
}
```

```text
No.
```

## Greenroom

Half

*Interrupted.*

## You

(nothing)

*Failed: nobody there*
"""
    )


def write_session(folder: Path, session_id: str, *records: Record) -> Path:
    path = folder / f"{session_id}.jsonl"
    first = SessionHeader(session_id=session_id, workspace=f"/{folder.name}")
    log = SessionLog.create(path, [(each, PRIMARY) for each in (first, *records)], lambda: 0.0)
    log.close()
    return path


def test_a_row_fits_on_a_line_and_draws_nothing(tmp_path: Path) -> None:
    path = write_session(tmp_path, "one", TurnStarted(turn=1, prompt="A\x1b[2J\n\n   B\u202e"))
    (tmp_path / "two.jsonl").write_bytes(b"broken\n")
    (tmp_path / "two.jsonl").chmod(0o600)
    now_s = path.stat().st_mtime + 7_200

    two, one = sorted(list_sessions(tmp_path, now_s), key=lambda row: row.session_id, reverse=True)

    assert one == SessionRow(path, "one", "2 h", one.size, 1, "available", "A^[[2J B<U+202E>")
    assert two.state == "unusable"
    assert "session header" in two.title


def test_a_preview_shows_the_last_that_was_said_or_why_it_cannot(tmp_path: Path) -> None:
    turns = [TurnStarted(turn=number, prompt=f"Prompt {number}\x07") for number in range(1, 9)]
    shown = build_preview(
        write_session(tmp_path, "one", *turns, reply(TextBlock(text="x" * 5_000)))
    )

    assert shown.startswith("> Prompt 4^G\n\n")
    assert shown.endswith("x…")
    assert build_preview(write_session(tmp_path, "two")) == "(nothing was said)"
    assert "gone" in build_preview(tmp_path / "gone.jsonl")


def test_ages_and_sizes_are_told_in_their_largest_unit() -> None:
    spans = (-5, 0, 59, 60, 3_599, 3_600, 86_399, 86_400, 10**9)
    assert [format_duration(each) for each in spans] == [
        *("0 s", "0 s", "59 s", "1 min", "59 min", "1 h", "23 h", "1 d", "11574 d")
    ]
    assert [format_size(100), format_size(2_048), format_size(3 << 20)] == [
        "0.1 KiB",
        "2.0 KiB",
        "3.0 MiB",
    ]


@pytest.mark.parametrize("given", ["20260101-000000-aaaa", "20260101-000000-a", "20260101-00"])
def test_the_beginning_of_an_id_is_enough_when_only_one_has_it(tmp_path: Path, given: str) -> None:
    here = tmp_path / "projects" / "here"
    path = write_session(here, "20260101-000000-aaaa")
    write_session(here, "20260102-000000-bbbb")
    write_session(here, "20260101-000000-aaaa-longer") if given.endswith("aaaa") else None

    assert find_session(here, given) == path


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ("2026", "2026 is the beginning of 2 sessions: 2026010"),
        ("20260101-000000-abaa", "there are: 20260101-000000-aaaa"),
        ("../projects/there/2025", "there is no session ../projects/there/2025; there are: "),
        ("2025", "it is one of /there: start there"),
        ("", "which session? there are: "),
        ("*", "there is no session *; there are: "),
    ],
)
def test_what_is_no_session_is_told_with_what_could_be_meant(
    tmp_path: Path, given: str, told: str
) -> None:
    here, there = tmp_path / "projects" / "here", tmp_path / "projects" / "there"
    write_session(here, "20260101-000000-aaaa")
    write_session(here, "20260102-000000-bbbb")
    write_session(there, "20250101-000000-cccc")

    with pytest.raises(StartError) as raised:
        find_session(here, given)
    assert told in str(raised.value)


def test_a_workspace_without_sessions_says_so(tmp_path: Path) -> None:
    with pytest.raises(StartError, match="this workspace has none yet"):
        find_session(tmp_path / "projects" / "here", "2026")

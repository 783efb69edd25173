"""A session as a Markdown or JSON document."""

import json
from pathlib import Path

import pytest

from actors.sessions.log_reader import parse_damaged_log
from messages.compaction import Compacted
from messages.content import TextBlock, ThinkingBlock, ToolUseBlock, Usage
from messages.journal import Record, SessionHeader
from messages.reviews import CustomTarget, ReviewEnded, ReviewFinding, ReviewOutput
from messages.turns import (
    Attachment,
    ReplyCompleted,
    ToolEnded,
    TurnFailed,
    TurnInterrupted,
    TurnStarted,
)
from shell.sessions.export_formats import records_to_markdown, session_to_json, session_to_markdown
from tests.actors.sessions.sample_records import make_log_lines

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
    TurnFailed(turn=2, reason="unreachable", detail="no server"),
)


def test_no_text_ends_its_own_fence_in_markdown() -> None:
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

(empty)

*Failed: no server*
"""
    )


def test_damaged_records_are_named_where_they_were() -> None:
    lines = make_log_lines(5)
    data = b"".join([*lines[:3], b"\0\n", lines[4]])
    contents = parse_damaged_log(Path("s.jsonl"), data)
    notice = "Record 4 cannot be read: the checksum does not match."

    prompts = session_to_markdown(contents).split("## You")
    assert [notice in prompt for prompt in prompts] == [False, True, False]
    records = json.loads(session_to_json(contents))
    assert [record.get("seq") for record in records] == [1, 2, 3, None, 5]
    assert records[3] == {
        "type": "damaged_records",
        "line": 4,
        "first_seq": 4,
        "last_seq": 4,
        "detail": notice,
    }


def test_the_result_of_a_review_is_exported() -> None:
    output = ReviewOutput(findings=(ReviewFinding(title="[P1] Check it", body="Why.", priority=1),))
    ended = ReviewEnded(
        id="r", target=CustomTarget(instructions="all"), status="completed", output=output
    )
    text = records_to_markdown((*RECORDS, ended))
    assert text.endswith('## Review\n\nReview of "all" · 1 finding\n\n1. P1  Check it\n   Why.\n')


def test_a_compacted_session_is_exported_with_all_messages() -> None:
    compacted = Compacted(
        number=1,
        trigger="user",
        method="local",
        message_count=3,
        summary="s",
        ledger="l",
        tokens_before=150_000,
        tokens_after=12_000,
    )
    text = records_to_markdown((*RECORDS, compacted))
    assert text.startswith(records_to_markdown(RECORDS).rstrip())
    assert "compacted from about 150k to 12k tokens" in text


def test_the_attached_files_of_a_prompt_are_named() -> None:
    attachments = (
        Attachment(mention="a.py", summary="3 lines", text="…"),
        Attachment(mention=".env", problem="reading it needs approval", text="…"),
    )
    started = TurnStarted(turn=1, prompt="See @a.py and @.env", attachments=attachments)
    assert records_to_markdown([started]) == (
        "## You\n\nSee @a.py and @.env\n\n*Attached @a.py (3 lines).*\n\n"
        "*@.env was not attached (reading it needs approval).*\n"
    )

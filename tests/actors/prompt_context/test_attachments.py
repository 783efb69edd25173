"""What is attached for a mention, with real files."""

import asyncio
import os
from pathlib import Path

import pytest

from actors.prompt_context.attachments import (
    MAX_ATTACHMENTS,
    MAX_TOTAL_CHARS,
    PlannedAttachment,
    plan_attachments,
    plan_listing,
    read_attachments,
)
from messages.policy import PermissionRequest
from messages.turns import Attachment
from tests.actors.tools.tool_caller import ToolCaller

pytestmark = pytest.mark.quick


@pytest.fixture
def caller(tmp_path: Path) -> ToolCaller:
    return ToolCaller(tmp_path.resolve())


def plan(caller: ToolCaller, *mentions: str) -> tuple[PlannedAttachment | Attachment, ...]:
    return asyncio.run(plan_attachments(mentions, caller.context))


def attach(caller: ToolCaller, *mentions: str) -> list[Attachment]:
    """Attach everything that exists, as if all of it were allowed."""
    planned = plan(caller, *mentions)
    to_read = tuple(item for item in planned if isinstance(item, PlannedAttachment))
    read = iter(asyncio.run(read_attachments(to_read, caller.context)))
    return [next(read) if isinstance(item, PlannedAttachment) else item for item in planned]


def split_text(attachment: Attachment) -> tuple[str, str]:
    """Return the header and the content of what the model reads."""
    lines = attachment.text.split("\n")
    assert (lines[0], lines[-1]) == ("<attachment>", "</attachment>")
    return lines[1], "\n".join(lines[2:-1])


def test_a_file_is_attached_as_read_returns_it(caller: ToolCaller) -> None:
    caller.write_file("a.py", "one\ntwo\nthree\n")

    (attachment,) = attach(caller, "a.py,")

    header, content = split_text(attachment)
    assert header == 'The user attached @a.py. Result of read {"path": "a.py"}:'
    assert content == caller.call("read", path="a.py")
    assert (attachment.mention, attachment.summary, attachment.problem) == ("a.py", "3 lines", "")
    assert list(attachment.observed_files) == list(caller.observed_files.values())


def test_only_the_mentioned_lines_of_a_file_are_attached(caller: ToolCaller) -> None:
    caller.write_file("a.py", "".join(f"{number}\n" for number in range(1, 101)))

    lines, line = attach(caller, "a.py:10-40", "a.py:7")

    _, content = split_text(lines)
    first, *_, last, note = content.split("\n")
    assert (first, last) == ("    10\t10", "    40\t40")
    assert note == "[lines 10-40 of 100; to continue, use offset=41]"
    assert (lines.summary, line.summary) == ("31 lines", "1 line")


def test_a_folder_is_attached_as_its_listing(caller: ToolCaller) -> None:
    (caller.root / "src").mkdir()
    for number in range(1_200):
        (caller.root / "src" / f"{number}.py").touch()

    (attachment,) = attach(caller, "src/")

    assert split_text(attachment)[1] == caller.call("ls", path="src")
    assert attachment.summary == "1,000 entries, truncated"


def test_a_file_with_spaces_is_attached_from_quotes(caller: ToolCaller) -> None:
    caller.write_file("my notes.md", "x\n")
    (attachment,) = attach(caller, '"my notes.md":1')
    assert (attachment.mention, attachment.summary) == ('"my notes.md":1', "1 line")


def test_a_file_mentioned_twice_is_attached_once(caller: ToolCaller) -> None:
    caller.write_file("a.py", "x\n")
    assert len(attach(caller, "a.py", "./a.py", "a.py.")) == 1


@pytest.mark.parametrize(
    "word",
    ["dataclass", "app.route", "pytest.fixture", "alice", "types/node", "a/core", "a:"],
)
def test_a_word_that_is_no_path_is_left_out(caller: ToolCaller, word: str) -> None:
    caller.write_file("app.py", "x\n")
    assert plan(caller, word) == ()


@pytest.mark.parametrize(
    "word", ["missing.py", "src/missing", "lib/missing.c", "./x", "/x/y", "~/x/y/z", '"x"', "x:3"]
)
def test_a_missing_file_is_reported_to_user_and_model(caller: ToolCaller, word: str) -> None:
    caller.write_file("app.py", "x\n")
    (caller.root / "src").mkdir()

    (attachment,) = attach(caller, word)

    assert "no such file" in attachment.problem
    assert split_text(attachment) == (f"@{word} was not attached ({attachment.problem}).", "")


def test_what_cannot_be_shown_as_text_is_reported(caller: ToolCaller) -> None:
    caller.write_file("a.bin", b"\x7fELF\0\0")
    os.mkfifo(caller.root / "pipe")

    binary, pipe, past_end = attach(caller, "a.bin", "./pipe", "a.bin:9")

    assert "cannot be shown as text" in binary.problem
    assert "is a named pipe" in pipe.problem
    assert past_end.problem


def test_the_attachments_of_a_prompt_are_bounded(caller: ToolCaller) -> None:
    line = "x" * 100 + "\n"
    for number in range(MAX_ATTACHMENTS + 1):
        caller.write_file(f"{number}.txt", line * 600)

    attachments = attach(caller, *(f"{number}.txt" for number in range(MAX_ATTACHMENTS + 1)))

    attached = [attachment for attachment in attachments if not attachment.problem]
    assert sum(len(attachment.text) for attachment in attached) <= MAX_TOTAL_CHARS
    assert "in all" in attachments[len(attached)].problem
    assert attachments[-1].problem == f"a prompt has at most {MAX_ATTACHMENTS} attachments"


def test_links_are_planned_as_the_files_they_name(caller: ToolCaller, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("x")
    (caller.root / "a.py").symlink_to(tmp_path / "secret")

    (planned,) = plan(caller, "a.py")

    assert isinstance(planned, PlannedAttachment)
    target = str(tmp_path.resolve() / "secret")
    assert planned.plan.requests == (PermissionRequest(permission="read", target=target),)


def test_the_listing_of_the_environment_has_no_header(caller: ToolCaller) -> None:
    caller.write_file("a.py", "x\n")
    listing = asyncio.run(plan_listing(caller.context))
    assert listing is not None
    (read,) = asyncio.run(read_attachments((listing,), caller.context))
    assert read.text == "a.py"

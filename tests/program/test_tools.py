"""The tools that search, read, ask and take notes, in the real program."""

import os
from collections.abc import Mapping
from pathlib import Path

from pydantic import JsonValue

from actors.models.scripted_reply import ScriptedCall
from actors.tools.write import NOT_READ
from shell.headless.headless_console import NO_USER_REASON
from tests.program.program_harness import STREAM_JSON, Program, request_messages, tool_results
from tests.program.repl_harness import open_repl, quit_repl
from tests.scripted_server import respond_text

HOSTILE_NAME = "a\x1b[2J\u202eb\n.txt"
TEN_MB = 10_000_000


def run_calls(
    program: Program, *calls: tuple[str, Mapping[str, JsonValue]], mode: str = "default"
) -> list[str]:
    """Run these calls from one reply and return the results, errors marked."""
    blocks = (ScriptedCall(name, dict(arguments)) for name, arguments in calls)
    with program.serve(respond_text("", *blocks), respond_text("Done.")) as server:
        done = program.run("-p", "Go.", "--allow-denials", "--permission-mode", mode, *STREAM_JSON)
    assert done.exit_status == 0
    results = tool_results(request_messages(server)[-1])
    assert len(results) == len(calls)
    return [f"error: {text}" if failed else text for text, failed in results]


def test_searches_report_matches_and_count_omissions(program: Program) -> None:
    folder = program.repository
    (folder / "many").mkdir()
    for number in range(5_000):
        (folder / "many" / f"{number:04}.txt").write_text("hay\n")
    (folder / "many" / "4999.txt").write_text("needle\n")
    (folder / HOSTILE_NAME).write_text("needle\n")
    (folder / ".env").write_text("KEY=needle\n")
    (folder / "long.txt").write_bytes(b"needle" * (TEN_MB // 6))
    (folder / "wide.txt").write_bytes("needle\n".encode("utf-16"))
    (folder / "ignored.txt").write_text("needle\n")
    (folder / ".gitignore").write_text("ignored.txt\n")
    (folder / "out").symlink_to("/etc/passwd")
    os.mkfifo(folder / "pipe")
    matches, secret, names, outside, invalid, piped = run_calls(
        program,
        ("grep", {"pattern": "needle"}),
        ("grep", {"pattern": "needle", "path": ".env"}),
        ("glob", {"pattern": "many/*.txt"}),
        ("grep", {"pattern": "root", "path": "/etc"}),
        ("grep", {"pattern": "("}),
        ("grep", {"pattern": "x", "path": "pipe"}),
    )
    assert matches.splitlines() == [
        "a\\x1b[2J\\u202eb\\n.txt:1:needle",
        "many/4999.txt:1:needle",
        "[skipped: 1 binary file, 1 file with a matching line of 4 MiB or more]",
        (
            "[skipped: 1 ignored by .gitignore, 2 entries that are not regular files "
            "(symbolic links, pipes or devices)]"
        ),
        "[skipped: 1 file that may not be read without approval; use read for one of them]",
    ]
    assert "KEY" not in matches + secret
    assert names.splitlines()[-2:][0] == (
        "[truncated: the newest 500 of 5,000 files; use a more specific pattern]"
    )
    assert outside.startswith("error: Denied: ")
    assert invalid.startswith("error: invalid regular expression")
    assert piped == "error: pipe is a named pipe, not a directory or a regular file"


def test_read_explains_what_it_cannot_show(program: Program) -> None:
    folder = program.repository
    (folder / "image.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(90))
    (folder / "data").write_bytes(bytes(range(256)))
    (folder / "wide.txt").write_bytes("wörld\n".encode("utf-16"))
    (folder / "latin.txt").write_bytes(b"caf\xe9\n")
    (folder / "long.txt").write_bytes(b"x" * TEN_MB)
    (folder / "lines.txt").write_text("one\ntwo\nthree\n")
    (folder / HOSTILE_NAME).write_text("fine\n")
    os.mkfifo(folder / "pipe")
    names = ("image.png", "data", "wide.txt", "pipe", "latin.txt", "long.txt", HOSTILE_NAME)
    image, data, wide, pipe, latin, long, hostile, second, past, none = run_calls(
        program,
        *(("read", {"path": name}) for name in names),
        ("read", {"path": "lines.txt", "offset": 2, "limit": 1}),
        ("read", {"path": "lines.txt", "offset": 9}),
        ("read", {"path": "lines.txt", "offset": 0}),
    )
    assert image == "error: image.png cannot be shown as text: it is a PNG image, 98 bytes"
    assert data == "error: data cannot be shown as text: it is a binary file, 256 bytes"
    assert "UTF-16 text (convert it with `iconv" in wide
    assert pipe.endswith("pipe is a named pipe, not a regular file")
    assert "not valid UTF-8" in latin
    assert len(long) < TEN_MB / 1000
    assert "10,000,000 bytes" in long
    assert hostile == "     1\tfine"
    assert "     2\ttwo" in second
    assert "one" not in second
    assert past.startswith("error: offset 9 is past the end")
    assert none.startswith("error: Not run: invalid arguments for read: offset")


def test_todos_help_and_questions_in_a_headless_run(program: Program) -> None:
    todo: dict[str, JsonValue] = {"content": "mend it", "status": "in_progress"}
    todos, invalid, help_text, question, empty = run_calls(
        program,
        ("todo_write", {"todos": [todo]}),
        ("todo_write", {"todos": [{"text": "no such key"}]}),
        ("help", {}),
        ("question", {"questions": [{"question": "Which?", "choices": [{"label": "A"}]}]}),
        ("question", {"questions": []}),
    )
    assert todos == "To-do list updated: 0 of 1 completed."
    assert "todos.0.content: Field required" in invalid
    assert "--add-dir" in help_text
    assert "/model" in help_text
    assert question.startswith("error: Denied: ")
    assert NO_USER_REASON in question
    assert empty.startswith("error: Not run: ")
    assert "todos_updated" in program.record_types()


def test_questions_and_approvals_are_answered_on_the_screen(
    program: Program, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "a.txt").write_text("needle\n")
    (outside / ".env").write_text("KEY=needle\n")
    questions: JsonValue = [
        {"question": "Which color?", "choices": [{"label": "Red"}, {"label": "Blue"}]},
        {"question": "Any wishes?"},
    ]
    todo: JsonValue = [{"content": "mend \x1b[2Jit", "status": "in_progress"}]
    answers = (
        respond_text("", ScriptedCall("todo_write", {"todos": todo})),
        respond_text("", ScriptedCall("question", {"questions": questions})),
        respond_text("", ScriptedCall("grep", {"pattern": "needle", "path": str(outside)})),
        respond_text("Done."),
    )
    with program.serve(*answers) as server, open_repl(program, "Go.") as terminal:
        terminal.wait_for_text("Enter or a number: answer")
        terminal.type("2")
        terminal.wait_for_text("Enter sends this answer")
        terminal.type("as you")
        terminal.wait_for_text("reply: as you")
        terminal.type("\x1b")
        terminal.wait_for_text("Tab: answer in your own words")
        terminal.type("\t")
        terminal.wait_for_text("reply: as you")
        terminal.type(" like\r")
        terminal.wait_for_text("Press a key to answer")
        terminal.type("y")
        terminal.wait_for_text("Done.")
        quit_repl(terminal)
    results = [
        text for message in request_messages(server)[2::2] for text, _ in tool_results(message)
    ]
    assert "Blue" in results[1]
    assert "as you like" in results[1]
    assert "a.txt:1:needle" in results[2]
    assert "KEY" not in results[2]


def test_calls_as_other_coding_agents_make_them_work(program: Program) -> None:
    (program.repository / "src").mkdir()
    (program.repository / "src" / "app.py").write_text("one\ntwo\n")
    (program.repository / "unread.md").write_text("old")
    edited, listed, missing, refused = run_calls(
        program,
        (
            "edit",
            {"file_path": "src/app.py", "old_str": "two", "new_str": "2", "instruction": "Count."},
        ),
        ("bash", {"command": "cat app.py", "workdir": "src", "timeout": 5_000}),
        ("read", {"filePath": "src/ap.py"}),
        ("write", {"file_path": "unread.md", "content": "new"}),
        mode="auto-edit",
    )
    assert edited.splitlines() == [
        "changed src/app.py (+1 -1 lines)",
        "     1\tone",
        "     2\t2",
        (
            "[ignored unknown arguments: instruction; edit takes: path, old_string, new_string, "
            "replace_all]"
        ),
    ]
    assert listed.startswith("one\n2\n[ignored unknown arguments: timeout; bash takes: command,")
    assert missing.endswith("no such file or directory; did you mean src/app.py?")
    assert refused == f"error: {NOT_READ.format(path='unread.md')}"

"""Thinking of earlier replies, sent to a server that accepts it only where nothing has changed."""

import pytest

from actors.models.scripted_reply import ReplyPlan
from tests.program.preloaded_program import PreloadedProgram
from tests.program.program_harness import Program
from tests.signing_server import SigningServer, list_thinking

PROGRAM_TYPE = PreloadedProgram

FIRST = ReplyPlan("One.", thinking="first")
SECOND = ReplyPlan("Two.", thinking="second")
THIRD = ReplyPlan("Three.", thinking="third")


@pytest.mark.parametrize(
    "options",
    [
        ("--agent", "explore"),
        ("--add-dir", "/"),
        ("--max-depth", "0"),
        ("--model", "claude-opus-5-5"),
        ("--trust",),
    ],
    ids=lambda options: options[0],
)
def test_a_session_continues_after_its_prompt_has_changed(
    program: Program, options: tuple[str, ...]
) -> None:
    (program.repository / "AGENTS.md").write_text("Use tabs.\n")
    with SigningServer(FIRST, SECOND, THIRD) as server:
        program.server = server
        program.run("-p", "Begin.")
        changed = program.run("-p", "Go on.", "--continue", *options)
        again = program.run("-p", "And then?", "--continue", *options)
    assert (changed.stdout, again.stdout) == (b"Two.\n", b"Three.\n")
    assert server.mismatches == []
    thinking = [list_thinking(body["messages"]) for body in server.accepted]
    assert thinking == [[], [], ["second"]]


def test_a_fork_around_damage_sends_no_thinking_that_does_not_fit(program: Program) -> None:
    with SigningServer(FIRST, SECOND, THIRD, ReplyPlan("Four.", thinking="fourth")) as server:
        program.server = server
        for prompt in ("Begin.", "Go on.", "And then?"):
            program.run("-p", prompt, "--continue")
        session = program.session_file
        session.write_bytes(session.read_bytes().replace(b"Go on.", b"Go in."))
        forked = program.run("-p", "Finally?", "--fork", session.stem)
    assert forked.stdout == b"Four.\n"
    assert server.mismatches == []
    assert list_thinking(server.accepted[-1]["messages"]) == []

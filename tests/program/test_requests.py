"""What goes over the wire: a prefix that stays the same to the byte, the model, the server."""

import json
from typing import Any

import pytest

from actors.models.names import ALIASES, DEFAULT_MODEL
from actors.models.reply_plan import Event, ScriptedCall
from tests.program.program import YOLO, Program
from tests.scripted_server import ScriptedServer, says, streams

THINKING: Event = {"type": "thinking", "thinking": "", "signature": ""}
REDACTED: Event = {"type": "redacted_thinking", "data": "c2VjcmV0IMOk"}


def thoughtful() -> list[Event]:
    """A reply that thinks, in the open and not, before it calls."""
    call: Event = {"type": "tool_use", "id": "toolu_t", "name": "ls", "input": {}}
    return [
        {"type": "message_start", "message": {"id": "m", "model": "m", "usage": {}}},
        {"type": "content_block_start", "index": 0, "content_block": THINKING},
        delta(0, {"type": "thinking_delta", "thinking": "Hm, “ä” \\ \u2028 "}),
        delta(0, {"type": "signature_delta", "signature": "RXJ2"}),
        delta(0, {"type": "signature_delta", "signature": "b29k+/=="}),
        {"type": "content_block_stop", "index": 0},
        {"type": "content_block_start", "index": 1, "content_block": REDACTED},
        {"type": "content_block_stop", "index": 1},
        {"type": "content_block_start", "index": 2, "content_block": call},
        delta(2, {"type": "input_json_delta", "partial_json": '{"path": "."}'}),
        {"type": "content_block_stop", "index": 2},
        {"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {}},
        {"type": "message_stop"},
    ]


def delta(index: int, said: Event) -> Event:
    return {"type": "content_block_delta", "index": index, "delta": said}


def test_each_request_begins_with_the_bytes_of_the_one_before_also_after_a_resume(
    program: Program,
) -> None:
    answers = (
        streams(thoughtful()),
        says("And.", ScriptedCall("bash", {"command": "echo ü", "timeout_s": 2.50})),
        says("So."),
        says("", ScriptedCall("ls", {}), ScriptedCall("read", {"path": "missing"})),
        says("Again."),
        says("Last."),
    )
    with program.serve(*answers) as server:
        for number, more in enumerate(((), ("--continue",), ("--continue",))):
            done = program.run("-p", f"Prompt {number}.", *YOLO, *more)
            assert done.status == 0, done.err
    assert len(server.asked) == len(answers)
    for before, after in zip(server.asked, server.asked[1:], strict=False):
        assert value_of(before.raw, "tools") == value_of(after.raw, "tools")
        assert value_of(before.raw, "system") == value_of(after.raw, "system")
        said = value_of(before.raw, "messages").rstrip(b"]}")
        assert value_of(after.raw, "messages").startswith(said)
    whole = {"type": "thinking", "thinking": "Hm, “ä” \\ \u2028 ", "signature": "RXJ2b29k+/=="}
    for asked in server.asked[1:]:
        body: Any = asked.body
        assert body["messages"][1]["content"][:2] == [whole, REDACTED]


def test_the_prefix_is_marked_to_be_cached_and_has_nothing_that_varies(program: Program) -> None:
    with program.serve(says("One."), says("Two.")) as server:
        program.run("-p", "Hi.")
        program.run("-p", "Hi.")
    first, second = server.asked
    assert first.raw == second.raw, "another session in the same folder asks the same"
    assert first.raw.count(b'"cache_control"') == 2
    body: Any = first.body
    assert body["system"][-1]["cache_control"] == {"type": "ephemeral"}


def test_nothing_in_a_project_says_where_requests_go(program: Program) -> None:
    """Neither a `.env` file nor a `.netrc` of the folder is read, whatever it holds."""
    with ScriptedServer() as decoy, program.serve(says("Here.")) as server:
        lines = (
            f"ANTHROPIC_BASE_URL={decoy.base_url}",
            "ANTHROPIC_API_KEY=sk-of-the-project",
            f"HTTP_PROXY={decoy.base_url}",
            f"ALL_PROXY={decoy.base_url}",
            "GREENROOM_MODEL=of-the-project",
        )
        for name in (".env", ".envrc", ".env.local"):
            (program.repository / name).write_text("\n".join(lines))
        netrc = "machine 127.0.0.1 login project password sk-of-the-project\n"
        (program.repository / ".netrc").write_text(netrc)
        done = program.run("-p", "Hi.")
    assert (done.status, done.out) == (0, b"Here.\n")
    assert (decoy.connections, len(server.asked)) == (0, 1)
    assert b"of-the-project" not in server.asked[0].raw
    assert "of-the-project" not in str(server.asked[0].headers)


@pytest.mark.parametrize(
    ("words", "environment", "model"),
    [
        ((), {}, DEFAULT_MODEL),
        (("--model", "opus"), {"GREENROOM_MODEL": "haiku"}, ALIASES["opus"]),
        ((), {"GREENROOM_MODEL": "haiku"}, ALIASES["haiku"]),
        (("--model", "mine/own-7b"), {}, "mine/own-7b"),
    ],
)
def test_the_model_is_the_one_that_was_named(
    program: Program, words: tuple[str, ...], environment: dict[str, str], model: str
) -> None:
    with program.serve(says("Here.")) as server:
        program.run("-p", "Hi.", *words, environment=environment)
    assert server.asked[0].body["model"] == model


def value_of(raw: bytes, key: str) -> bytes:
    """The bytes of one value of the request's object."""
    text = raw.decode()
    start = text.index(f'"{key}":') + len(f'"{key}":')
    _, end = json.JSONDecoder().raw_decode(text, start)
    return text[start:end].encode()

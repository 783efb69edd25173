"""Requests to the model: the stable prefix, the model name and the server."""

import json
from typing import Any

import pytest

from actors.models.model_names import DEFAULT_MODEL, MODEL_ALIASES
from actors.models.scripted_reply import ScriptedCall, StreamEvent
from tests.program.preloaded_program import PreloadedProgram
from tests.program.program_harness import YOLO, Program
from tests.scripted_server import ScriptedServer, respond_events, respond_text

PROGRAM_TYPE = PreloadedProgram

THINKING: StreamEvent = {"type": "thinking", "thinking": "", "signature": ""}
REDACTED: StreamEvent = {"type": "redacted_thinking", "data": "c2VjcmV0IMOk"}


def thinking_reply() -> list[StreamEvent]:
    """Return a reply with visible and redacted thinking before a call."""
    call: StreamEvent = {"type": "tool_use", "id": "toolu_t", "name": "ls", "input": {}}
    return [
        {"type": "message_start", "message": {"id": "m", "model": "m", "usage": {}}},
        {"type": "content_block_start", "index": 0, "content_block": THINKING},
        delta_event(0, {"type": "thinking_delta", "thinking": "Hm, “ä” \\ \u2028 "}),
        delta_event(0, {"type": "signature_delta", "signature": "RXJ2"}),
        delta_event(0, {"type": "signature_delta", "signature": "b29k+/=="}),
        {"type": "content_block_stop", "index": 0},
        {"type": "content_block_start", "index": 1, "content_block": REDACTED},
        {"type": "content_block_stop", "index": 1},
        {"type": "content_block_start", "index": 2, "content_block": call},
        delta_event(2, {"type": "input_json_delta", "partial_json": '{"path": "."}'}),
        {"type": "content_block_stop", "index": 2},
        {"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {}},
        {"type": "message_stop"},
    ]


def delta_event(index: int, delta: StreamEvent) -> StreamEvent:
    return {"type": "content_block_delta", "index": index, "delta": delta}


def test_each_request_starts_with_the_previous_one(
    program: Program,
) -> None:
    answers = (
        respond_events(thinking_reply()),
        respond_text("And.", ScriptedCall("bash", {"command": "echo ü", "timeout_s": 2.50})),
        respond_text("So."),
        respond_text("", ScriptedCall("ls", {}), ScriptedCall("read", {"path": "missing"})),
        respond_text("Again."),
        respond_text("Last."),
    )
    with program.serve(*answers) as server:
        for number, arguments in enumerate(((), ("--continue",), ("--continue",))):
            done = program.run("-p", f"Prompt {number}.", *YOLO, *arguments)
            assert done.exit_status == 0, done.stderr
    assert len(server.requests) == len(answers)
    for before, after in zip(server.requests, server.requests[1:], strict=False):
        assert raw_value(before.raw_body, "tools") == raw_value(after.raw_body, "tools")
        assert raw_value(before.raw_body, "system") == raw_value(after.raw_body, "system")
        prefix = raw_value(before.raw_body, "messages").rstrip(b"]}")
        assert raw_value(after.raw_body, "messages").startswith(prefix)
    thinking = {"type": "thinking", "thinking": "Hm, “ä” \\ \u2028 ", "signature": "RXJ2b29k+/=="}
    for request in server.requests[1:]:
        body: Any = request.body
        assert body["messages"][1]["content"][:2] == [thinking, REDACTED]


def test_the_prefix_is_cached_and_never_varies(program: Program) -> None:
    with program.serve(respond_text("One."), respond_text("Two.")) as server:
        program.run("-p", "Hi.")
        program.run("-p", "Hi.")
    first, second = server.requests
    assert first.raw_body == second.raw_body, (
        "a new session in the same folder sends the same bytes"
    )
    assert first.raw_body.count(b'"cache_control"') == 2
    body: Any = first.body
    assert body["system"][-1]["cache_control"] == {"type": "ephemeral", "ttl": "1h"}


def test_a_project_cannot_redirect_requests(program: Program) -> None:
    """Neither `.env` nor `.netrc` in the folder is read."""
    with ScriptedServer() as decoy, program.serve(respond_text("Here.")) as server:
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
    assert (done.exit_status, done.stdout) == (0, b"Here.\n")
    assert (decoy.connection_count, len(server.requests)) == (0, 1)
    assert b"of-the-project" not in server.requests[0].raw_body
    assert "of-the-project" not in str(server.requests[0].headers)


@pytest.mark.parametrize(
    ("arguments", "environment", "model"),
    [
        ((), {}, DEFAULT_MODEL),
        ((), {"GREENROOM_MODEL": ""}, DEFAULT_MODEL),
        (("--model", "opus"), {"GREENROOM_MODEL": "haiku"}, MODEL_ALIASES["opus"]),
        ((), {"GREENROOM_MODEL": "haiku"}, MODEL_ALIASES["haiku"]),
        (("--model", "mine/own-7b"), {}, "mine/own-7b"),
    ],
)
def test_the_request_has_the_configured_model(
    program: Program, arguments: tuple[str, ...], environment: dict[str, str], model: str
) -> None:
    with program.serve(respond_text("Here.")) as server:
        program.run("-p", "Hi.", *arguments, environment=environment)
    assert server.requests[0].body["model"] == model


def raw_value(raw: bytes, key: str) -> bytes:
    """Return the bytes of one value of the request object."""
    text = raw.decode()
    start = text.index(f'"{key}":') + len(f'"{key}":')
    _, end = json.JSONDecoder().raw_decode(text, start)
    return text[start:end].encode()

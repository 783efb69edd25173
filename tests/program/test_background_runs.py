"""A headless run waits for its background agents and reports them."""

import json
import threading

from tests.program.program_harness import Program, request_messages
from tests.scripted_server import (
    RecordedRequest,
    ScriptedResponse,
    ScriptedServer,
    respond_text,
    respond_tool_call,
)

BACKGROUND = respond_tool_call(
    "task", description="look", prompt="look", subagent_type="general", background=True
)


class BackgroundServer(ScriptedServer):
    """Answers the subagent only when it is told to."""

    def __init__(self) -> None:
        super().__init__(respond=self._choose)
        self.may_answer_subagent = threading.Event()

    def choose_response(self, request: RecordedRequest) -> ScriptedResponse:
        """Record a request and return its response."""
        response = super().choose_response(request)
        if "x-greenroom-subagent" in request.headers:
            assert self.may_answer_subagent.wait(20)
        return response

    @staticmethod
    def _choose(request: RecordedRequest) -> ScriptedResponse:
        text = json.dumps(request.body["messages"])
        if "x-greenroom-subagent" in request.headers:
            return respond_text("It is in a.py.")
        if "<task_notification>" in text:
            return respond_text("Found it.")
        return respond_text("Started.") if "tool_result" in text else BACKGROUND


def test_a_headless_run_waits_for_its_background_agents(program: Program) -> None:
    program.server = server = BackgroundServer()
    with server:
        running = program.start("-p", "Go.", "--output-format", "stream-json")
        running.wait_for('"type":"turn_completed"')
        server.may_answer_subagent.set()
        done = running.wait()
        messages = request_messages(server)
    result = done.json_lines[-1]
    assert (done.exit_status, result["result"]) == (0, "Found it.")
    assert "waiting for background agents: general-1" in done.stderr
    assert result["background"] == [
        {"agent": "/primary/general-1", "description": "look", "status": "completed"}
    ]
    assert [message["role"] for message in messages] == ["user", "assistant"] * 2 + ["user"]

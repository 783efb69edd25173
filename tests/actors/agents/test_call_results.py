"""What the model reads as the results of its calls, with real actors and the built-in tools."""

import pytest
from pydantic import JsonValue

from messages.content import ToolUseBlock
from tests.actors.agents.scripted_agents import (
    RunningSession,
    SessionFixture,
    make_task_call,
    wait_for_completion,
)

pytestmark = pytest.mark.quick


def make_call(call_id: str, name: str, **arguments: JsonValue) -> ToolUseBlock:
    return ToolUseBlock(id=call_id, name=name, input=arguments)


def get_results(running: RunningSession) -> list[str]:
    """Run the turn to its end; return the results of its last calls."""
    running.prompt()
    wait_for_completion(running)
    return running.scripted_agents.get_last_results("begin")


def test_ignored_arguments_are_named_in_every_result(sessions: SessionFixture) -> None:
    task = make_task_call("t", "look")
    calls = (
        make_call("l", "ls", path=".", ignore=["*.pyc"]),
        task.model_copy(update={"input": {**task.input, "model": "haiku"}}),
        make_call("r", "read", file_path="none", pages="1"),
    )
    results = get_results(sessions.start_session({"begin": [calls, "done"], "look": ["seen"]}))

    assert results[0] == "(empty directory)\n[ignored unknown arguments: ignore; ls takes: path]"
    assert "[ignored unknown arguments: model; task takes: description," in results[1]
    assert results[2].startswith("none: no such file")
    assert "[ignored unknown arguments: pages; read takes: path," in results[2]

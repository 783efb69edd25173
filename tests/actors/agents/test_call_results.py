"""What the model reads as the results of its calls, with real actors and the built-in tools."""

import os
from pathlib import Path
from typing import Any, cast

import pytest
from pydantic import JsonValue

from actors.agents.turn.call_completion import INTERRUPTED_WHILE_RUNNING
from actors.agents.turn.call_lifecycle import OUTPUT_HEADER
from actors.tools.write import NOT_READ
from messages.approvals import ExecApprovalRequest, ShowApproval
from messages.content import ToolUseBlock
from messages.turns import TurnInterrupted
from tests.actors.agents.scripted_agents import (
    RunningSession,
    SessionFixture,
    make_task_call,
    wait_for_completion,
    wait_for_turn_end,
)

pytestmark = pytest.mark.quick


def make_call(call_id: str, name: str, **arguments: JsonValue) -> ToolUseBlock:
    return ToolUseBlock(id=call_id, name=name, input=arguments)


def get_results(running: RunningSession) -> list[str]:
    """Run the turn to its end; return the results of its last calls."""
    running.prompt()
    wait_for_completion(running)
    return running.scripted_agents.get_last_results("begin")


def write_file(folder: Path, name: str, text: str) -> Path:
    path = folder / "work" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    return path


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
    assert results[2].startswith("none: no such file or directory")
    assert "[ignored unknown arguments: pages; read takes: path," in results[2]


def test_a_resumed_agent_knows_which_files_it_has_read(
    sessions: SessionFixture, tmp_path: Path
) -> None:
    for name in ("same.txt", "changed.txt", "other.txt"):
        write_file(tmp_path, name, "old")
    reads = (
        make_call("r1", "read", path="same.txt"),
        make_call("r2", "read", path="changed.txt"),
    )
    first = sessions.start_session({"begin": [reads, "done"]})
    get_results(first)
    sessions.close()
    write_file(tmp_path, "changed.txt", "changed by someone else")

    writes = tuple(
        make_call(name, "write", path=name, content="new")
        for name in ("same.txt", "changed.txt", "other.txt")
    )
    second = sessions.start_session(
        {"again": [writes, "done"]}, mode="auto-edit", resume_path=first.session.log.path
    )
    second.prompt("again", turn=2)
    wait_for_completion(second)
    assert second.scripted_agents.get_last_results("again") == [
        "changed same.txt (+1 -1 lines)",
        "changed.txt has changed since you last read it; read it again",
        NOT_READ.format(path="other.txt"),
    ]


def test_a_directory_outside_the_workspace_asks_like_a_cd(sessions: SessionFixture) -> None:
    inside: dict[str, JsonValue] = {"command": "pwd", "cwd": "sub"}
    outside: dict[str, JsonValue] = {"command": "pwd", "cwd": ".."}
    running = sessions.start_session(
        {"begin": [(make_call("i", "bash", **inside), make_call("o", "bash", **outside)), "done"]}
    )
    folder = write_file(sessions.folder, "sub/x", "").parent
    running.prompt()
    shown = running.user.wait_for(ShowApproval)
    assert isinstance(shown.request, ExecApprovalRequest)
    assert shown.request.command == f"cd {sessions.folder} && pwd"
    assert "outside the workspace" in shown.request.reason
    running.user.submit_decision(shown.request.id, "no")
    wait_for_completion(running)
    results = running.scripted_agents.get_last_results("begin")
    assert results == [str(folder), "Denied by the user."]


def test_output_before_an_interrupt_reaches_the_model(
    sessions: SessionFixture, tmp_path: Path
) -> None:
    command = f"echo begin; echo reached > {tmp_path}/pipe; sleep 1000"
    os.mkfifo(tmp_path / "pipe")
    running = sessions.start_session(
        {"begin": [make_call("b", "bash", command=command)], "more": ["done"]}, mode="yolo"
    )
    running.prompt()
    assert (tmp_path / "pipe").read_text() == "reached\n"
    running.cancel()
    assert isinstance(wait_for_turn_end(running), TurnInterrupted)

    running.prompt("more", turn=2)
    wait_for_completion(running)
    (result,) = [
        block["content"]
        for message in running.scripted_agents.requests[-1].messages
        for block in cast("Any", message["content"])
        if block["type"] == "tool_result"
    ]
    assert result == f"{INTERRUPTED_WHILE_RUNNING}\n{OUTPUT_HEADER}\nbegin"


def test_commands_that_only_read_run_in_parallel(sessions: SessionFixture) -> None:
    first, second = (sessions.folder / "work" / name for name in ("first", "second"))
    first.parent.mkdir()
    os.mkfifo(first)
    os.mkfifo(second)
    calls = (
        make_call("a", "bash", command="cat first"),
        make_call("b", "bash", command="cat second"),
        make_call("c", "bash", command="echo c > third"),
    )
    running = sessions.start_session({"begin": [calls, "done"]}, mode="yolo")
    running.prompt()
    second.write_text("b")  # waits until the second command reads, while the first one waits
    first.write_text("a")
    wait_for_completion(running)
    assert running.scripted_agents.get_last_results("begin") == ["a", "b", "(no output)"]
    assert (first.parent / "third").read_text() == "c\n"

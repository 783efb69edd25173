"""An agent cannot use a grant for a script that it rewrote."""

from typing import Any

from messages.approvals import ShowApproval
from messages.turns import TurnCompleted
from tests.actors.agents.scripted_agents import SessionFixture, make_tool_use, wait_for_completion


def test_an_agent_that_rewrites_a_granted_script_asks_again(sessions: SessionFixture) -> None:
    lines: dict[str, list[Any]] = {
        "begin": [
            make_tool_use("c1", "write", path="run.sh", content="echo good\n"),
            make_tool_use("c2", "bash", command="bash run.sh"),
            make_tool_use("c3", "bash", command="bash run.sh"),
            make_tool_use("c4", "write", path="run.sh", content="touch started\n"),
            make_tool_use("c5", "bash", command="bash run.sh"),
            "end",
        ]
    }
    running = sessions.start_session(lines, mode="auto-edit")
    running.prompt()
    running.user.submit_decision(running.user.wait_for(ShowApproval).request.id, "session")
    shown = running.user.wait_for(ShowApproval).request
    assert shown.call_id == "c5"
    running.user.submit_decision(shown.id, "no")
    assert isinstance(wait_for_completion(running), TurnCompleted)
    assert not (sessions.folder / "work" / "started").exists()

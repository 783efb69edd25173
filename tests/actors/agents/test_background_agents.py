"""Background agents with real actors, journal, engine and broker; only the model is scripted."""

import asyncio
import threading
from typing import Any

import pytest

from actors.agents.definition.definition import Definition
from messages.address import PRIMARY
from messages.approvals import ApprovalDecided, ApprovalWithdrawn, ShowApproval
from messages.content import ToolUseBlock
from messages.subagents import (
    CancelSubagent,
    ContinueSubagent,
    MoveToBackground,
    NotificationDelivered,
    SubagentBackgrounded,
    SubagentEnded,
    SubagentsPaused,
)
from messages.turns import (
    StartTurn,
    ToolEnded,
    ToolStarted,
    TurnCompleted,
    TurnInterrupted,
    TurnNumberTaken,
    TurnStarted,
)
from tests.actors.agents.scripted_agents import (
    RunningSession,
    SessionFixture,
    make_task_call,
    make_tool_use,
    never_reply,
    reply_after,
    wait_for_completion,
)
from tests.actors.agents.test_subagent_lifecycle import crash_at

pytestmark = pytest.mark.quick

NOTIFICATION = """\
<task_notification>
A background task has ended.
task_id: general-1
<task_result>
{text}
</task_result>
</task_notification>"""


def make_background_call(call_id: str, prompt: str, agent: str = "general") -> ToolUseBlock:
    """Return a `task` call whose subagent runs in the background."""
    call = make_task_call(call_id, prompt, agent)
    return call.model_copy(update={"input": {**call.input, "background": True}})


def get_last_text(running: RunningSession) -> str:
    """Return the last user text of the primary agent's last request."""
    requests = running.scripted_agents.requests
    last = [request for request in requests if not request.headers][-1]
    content: Any = last.messages[-1]["content"]
    return str(content[-1]["text"])


def wait_for(running: RunningSession, kind: type[Any]) -> Any:  # noqa: ANN401  (any message)
    """Return the next message of this type from the primary agent."""
    while True:
        sender, message = running.user.next_from()
        if sender == PRIMARY and isinstance(message, kind):
            return message


def test_a_background_task_outlives_the_turn_and_wakes_its_parent(
    sessions: SessionFixture,
) -> None:
    finish = threading.Event()
    running = sessions.start_session(
        {
            "begin": [make_background_call("t1", "look"), "started", "I have the result"],
            "look": [reply_after(finish, "found <task_result>it</task_result>")],
        }
    )
    running.prompt()
    assert wait_for_completion(running).text == "started"
    assert running.scripted_agents.get_last_results("begin")[0].startswith("task_id: general-1\n")
    assert running.agents == [PRIMARY.child("general-1")]

    finish.set()
    own_turn = wait_for(running, TurnStarted)
    assert (own_turn.turn, own_turn.prompt, own_turn.has_prompt) == (2, "", False)
    assert wait_for_completion(running).text == "I have the result"
    text = NOTIFICATION.format(text="found &lt;task_result>it&lt;/task_result>")
    assert get_last_text(running) == text
    delivered = [r for r in running.records() if isinstance(r, NotificationDelivered)]
    assert [record.text for record in delivered] == [text]
    assert running.agents == []


def test_a_notification_arrives_with_the_results_of_the_next_calls(
    sessions: SessionFixture,
) -> None:
    ended = threading.Event()

    async def call_when_ended() -> ToolUseBlock:
        await asyncio.to_thread(ended.wait)
        return make_tool_use("c", "ls")

    running = sessions.start_session(
        {
            "begin": [make_background_call("t1", "look"), call_when_ended, "done"],
            "look": ["seen"],
        }
    )
    running.prompt()
    wait_for(running, SubagentEnded)
    ended.set()
    assert wait_for_completion(running).text == "done"
    request = running.scripted_agents.requests[-1]
    content: Any = request.messages[-1]["content"]
    assert [block["type"] for block in content] == ["tool_result", "text"]
    assert content[1]["text"] == NOTIFICATION.format(text="seen")


def test_interrupting_the_turn_does_not_end_a_background_task(sessions: SessionFixture) -> None:
    finish, started = threading.Event(), threading.Event()
    running = sessions.start_session(
        {
            "begin": [make_background_call("t1", "look"), never_reply, "told"],
            "look": [reply_after(finish, "seen", started)],
        }
    )
    running.prompt()
    wait_for(running, ToolEnded)
    assert started.wait(30)
    running.cancel()
    wait_for(running, TurnInterrupted)
    finish.set()
    assert wait_for_completion(running).text == "told"
    assert get_last_text(running) == NOTIFICATION.format(text="seen")


def test_a_prompt_whose_turn_number_is_taken_is_sent_again(sessions: SessionFixture) -> None:
    running = sessions.start_session(
        {
            "begin": [make_background_call("t1", "look"), "started", "told"],
            "look": ["seen"],
            "next": ["and more"],
        }
    )
    running.prompt()
    turns = [wait_for_completion(running).text, wait_for_completion(running).text]
    assert turns == ["started", "told"]
    running.prompt("next", turn=2)
    taken = wait_for(running, TurnNumberTaken)
    assert (taken.prompt.turn, taken.prompt.text, taken.next_turn) == (2, "next", 3)
    running.prompt("next", turn=3)
    assert wait_for_completion(running).text == "and more"


def test_only_agents_that_outlive_their_turn_start_background_tasks(
    sessions: SessionFixture,
) -> None:
    always = Definition(name="always", system_prompt="", mode="subagent", background=True)
    running = sessions.start_session(
        {
            "begin": [make_task_call("t1", "inner"), "done"],
            "inner": [
                (make_background_call("a", "x"), make_task_call("b", "y", "always")),
                "tried",
            ],
        },
        always,
    )
    running.prompt()
    wait_for_completion(running)
    results = running.scripted_agents.get_last_results("inner")
    assert "call task without background" in results[0]
    assert "start another type, since always always runs in the background" in results[1]
    tools = {
        str(tool["name"])
        for request in running.scripted_agents.requests
        for tool in request.tools
        if request.headers
    }
    assert {"task"} == tools & {"task", "task_output", "task_stop"}


def test_the_output_and_the_stop_of_a_background_task(sessions: SessionFixture) -> None:
    always = Definition(name="always", system_prompt="", mode="subagent", background=True)
    running = sessions.start_session(
        {
            "begin": [
                make_task_call("t1", "look", "always"),
                make_tool_use("o", "task_output", task_id="always-1"),
                make_tool_use("s", "task_stop", task_id="always-1"),
                *("done", "told"),
            ],
            "look": [never_reply],
        },
        always,
    )
    running.prompt()
    ends = [wait_for(running, ToolEnded) for _ in range(3)]
    assert "still running" in ends[1].text
    assert "is being stopped" in ends[2].text
    ended = wait_for(running, SubagentEnded)
    assert ended.status == "cancelled"
    assert "was stopped before it finished" in ended.notification


BUBBLER = Definition(name="bubbler", system_prompt="", mode="subagent", bubbles=True)
TOUCH = make_tool_use("b", "bash", command="touch made")


def test_a_bubbling_agent_asks_and_gets_no_lasting_grant(sessions: SessionFixture) -> None:
    second = make_tool_use("b2", "bash", command="touch made")
    running = sessions.start_session(
        {
            "begin": [make_background_call("t1", "touch", "bubbler"), "started", "told"],
            "touch": [TOUCH, second, "touched"],
        },
        BUBBLER,
    )
    running.prompt()
    request = running.user.wait_for(ShowApproval).request
    assert request.available_decisions == ("once", "no")
    assert request.grants == ()
    running.user.submit_decision(request.id, "project")
    again = running.user.wait_for(ShowApproval).request
    running.user.submit_decision(again.id, "no")
    wait_for(running, NotificationDelivered)
    decided = [record for record in running.records() if isinstance(record, ApprovalDecided)]
    assert [record.decision for record in decided] == ["once", "no"]
    assert (sessions.folder / "work" / "made").exists()


def test_other_background_agents_are_denied_what_would_ask(sessions: SessionFixture) -> None:
    question = make_tool_use("q", "question")
    question = question.model_copy(
        update={"input": {"questions": [{"question": "Which?", "header": "h", "choices": []}]}}
    )
    running = sessions.start_session(
        {
            "begin": [make_background_call("t1", "touch"), "started", "told"],
            "touch": [make_task_call("in", "nested"), question, "could not"],
            "nested": [TOUCH, "denied"],
        }
    )
    running.prompt()
    wait_for(running, NotificationDelivered)
    results = [
        record
        for record in running.records()
        if isinstance(record, ToolEnded) and record.call_id in ("b", "q")
    ]
    assert [record.status for record in results] == ["denied", "denied"]
    assert all("only agents with approval_mode: bubble" in record.text for record in results)
    assert running.user.shown_ids == []


def test_a_request_from_below_a_bubbling_agent_is_shown(sessions: SessionFixture) -> None:
    running = sessions.start_session(
        {
            "begin": [make_background_call("t1", "touch", "bubbler"), "started", "told"],
            "touch": [make_task_call("in", "nested"), "done"],
            "nested": [TOUCH, "touched"],
        },
        BUBBLER,
    )
    running.prompt()
    request = running.user.wait_for(ShowApproval).request
    assert request.agent == "/primary/bubbler-1/general-1"
    running.user.submit_decision(request.id)
    assert "done" in wait_for(running, NotificationDelivered).text


@pytest.mark.parametrize("agent", ["general", "bubbler"])
def test_moving_to_the_background_applies_the_same_rule(
    sessions: SessionFixture, agent: str
) -> None:
    running = sessions.start_session(
        {
            "begin": [make_task_call("t1", "touch", agent), "moved", "told"],
            "touch": [TOUCH, "tried"],
        },
        BUBBLER,
    )
    running.prompt()
    first = running.user.wait_for(ShowApproval).request
    assert "session" in first.available_decisions
    running.user.tell(PRIMARY, MoveToBackground())
    if agent == "bubbler":
        moved = running.user.wait_for(ShowApproval).request
        assert (moved.id, moved.available_decisions) == (first.id, ("once", "no"))
        running.user.submit_decision(first.id, "session")
    assert "tried" in wait_for(running, NotificationDelivered).text
    ended = {r.call_id: r for r in running.records() if isinstance(r, ToolEnded)}
    assert "moved it to the background" in ended["t1"].text
    assert ended["b"].status == ("ok" if agent == "bubbler" else "denied")
    assert len([r for r in running.records() if isinstance(r, SubagentBackgrounded)]) == 1


def test_stopping_an_agent_withdraws_its_request_first(sessions: SessionFixture) -> None:
    running = sessions.start_session(
        {
            "begin": [make_background_call("t1", "touch", "bubbler"), "started", "told"],
            "touch": [TOUCH],
        },
        BUBBLER,
    )
    running.prompt()
    running.user.wait_for(ShowApproval)
    child = PRIMARY.child("bubbler-1")
    running.user.tell(PRIMARY, CancelSubagent(child=child))
    wait_for(running, NotificationDelivered)
    wait_for_completion(running)  # then all records are on disk
    kinds = [type(record) for record in running.records()]
    assert kinds.index(ApprovalWithdrawn) < kinds.index(TurnInterrupted)
    ended = [record for record in running.records() if isinstance(record, SubagentEnded)]
    assert [(record.child, record.status) for record in ended] == [(child, "cancelled")]


def test_stopping_an_interactive_agent_stops_its_background_tasks(
    sessions: SessionFixture,
) -> None:
    helper = Definition(name="helper", system_prompt="", mode="subagent", interactive=True)
    running = sessions.start_session(
        {
            "begin": [make_task_call("t1", "outer", "helper"), "done"],
            "outer": [make_background_call("t2", "inner"), "started", "woken"],
            "inner": [never_reply],
        },
        helper,
    )
    running.prompt()
    wait_for_completion(running)
    outer = PRIMARY.child("helper-1")
    running.user.tell(PRIMARY, CancelSubagent(child=outer))
    ended = running.user.wait_for(SubagentEnded)
    assert (ended.child, ended.status) == (outer.child("general-1"), "cancelled")
    assert running.scripted_agents.lines_by_prompt["outer"] == ["woken"]


def close_and_resume(
    sessions: SessionFixture, running: RunningSession, lines: dict[str, list[Any]]
) -> RunningSession:
    """Close a session, which suspends its agents, and resume it."""
    path = running.session.log.path
    sessions.close()
    return sessions.start_session(lines, BUBBLER, resume_path=path)


def test_a_resumed_session_pauses_its_background_tasks(sessions: SessionFixture) -> None:
    started = threading.Event()
    running = sessions.start_session(
        {
            "begin": [make_background_call("t1", "look"), "started"],
            "look": [make_tool_use("c", "bash", command="echo a"), reply_after(started, "")],
        },
        mode="yolo",
    )
    running.prompt()
    wait_for_completion(running)
    while running.scripted_agents.lines_by_prompt["look"]:
        running.user.next()
    started.set()
    child = PRIMARY.child("general-1")
    resumed = close_and_resume(sessions, running, {"begin": ["told"], "look": ["seen"]})
    assert wait_for(resumed, SubagentsPaused).agents == (child,)
    assert resumed.agents == []
    resumed.user.tell(PRIMARY, ContinueSubagent(child=child))
    assert wait_for_completion(resumed).text == "told"
    assert "seen" in get_last_text(resumed)
    calls = [r for r in resumed.records() if isinstance(r, ToolStarted) and r.call_id == "c"]
    assert len(calls) == 1


def test_a_parked_request_keeps_its_id_over_a_resume(sessions: SessionFixture) -> None:
    running = sessions.start_session(
        {
            "begin": [make_background_call("t1", "touch", "bubbler"), "started"],
            "touch": [TOUCH],
        },
        BUBBLER,
    )
    running.prompt()
    first = running.user.wait_for(ShowApproval).request
    resumed = close_and_resume(sessions, running, {"begin": ["told"], "touch": ["touched"]})
    again = resumed.user.wait_for(ShowApproval).request
    assert (again.id, again.available_decisions) == (first.id, ("once", "no"))
    resumed.user.submit_decision(again.id)
    assert "touched" in wait_for(resumed, NotificationDelivered).text


def test_an_undelivered_notification_is_sent_once_after_a_resume(
    sessions: SessionFixture,
) -> None:
    ended = threading.Event()
    running = sessions.start_session(
        {"begin": [make_background_call("t1", "look"), reply_after(ended, "x")], "look": ["seen"]}
    )
    running.prompt()
    wait_for(running, SubagentEnded)
    resumed = close_and_resume(
        sessions, running, {"begin": [make_tool_use("c", "ls"), "done", "end"], "next": ["so"]}
    )
    ended.set()
    assert wait_for_completion(resumed).text == "done"
    resumed.prompt("next", turn=2)
    assert wait_for_completion(resumed).text == "so"
    request = resumed.scripted_agents.requests[-1]
    assert str(request.messages).count("<task_notification>") == 1


def test_a_paused_task_is_continued_by_another_task_or_stopped(sessions: SessionFixture) -> None:
    running = sessions.start_session(
        {
            "begin": [
                (make_background_call("t1", "look"), make_background_call("t2", "see")),
                "started",
            ],
            "look": [never_reply],
            "see": [never_reply],
        }
    )
    running.prompt()
    wait_for_completion(running)
    resumed = close_and_resume(
        sessions,
        running,
        {
            "begin": ["told"],
            "next": [make_task_call("t3", "more", task_id="general-1"), "done"],
            "look": ["looked"],
            "more": ["done"],
        },
    )
    wait_for(resumed, SubagentsPaused)
    resumed.user.tell(PRIMARY, CancelSubagent(child=PRIMARY.child("general-2")))
    assert wait_for_completion(resumed).text == "told"
    resumed.prompt("next", turn=3)
    assert wait_for_completion(resumed).text == "done"
    ended = [record for record in resumed.records() if isinstance(record, SubagentEnded)]
    ends = {(r.child.name, r.task_number): (r.status, bool(r.notification)) for r in ended}
    assert ends == {
        ("general-1", 1): ("cancelled", False),
        ("general-1", 2): ("completed", False),
        ("general-2", 1): ("cancelled", True),
    }


def test_a_crash_of_the_parent_ends_background_tasks_with_a_notification(
    sessions: SessionFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    running = sessions.start_session(
        {
            "begin": [make_background_call("t1", "touch", "bubbler"), "started", "told"],
            "touch": [TOUCH],
        },
        BUBBLER,
    )
    running.prompt()
    assert wait_for_completion(running).text == "started"
    while not running.user.shown_ids:
        running.user.next()
    crash_at(monkeypatch, PRIMARY, StartTurn, times=1)
    running.prompt("lost", turn=99)
    assert "was stopped" in wait_for(running, NotificationDelivered).text
    while wait_for_completion(running).text != "told":
        pass
    assert running.user.shown_ids == []
    assert running.agents == []


def test_fifty_background_agents_all_ask_and_all_are_answered(sessions: SessionFixture) -> None:
    count = 50
    calls = tuple(
        make_background_call(f"t{number}", f"part {number}", "bubbler") for number in range(count)
    )
    lines: dict[str, list[Any]] = {f"part {number}": [TOUCH, "done"] for number in range(count)}
    running = sessions.start_session(
        {"begin": [calls, *["told"] * count], **lines}, BUBBLER, slot_limit=count
    )
    running.prompt()
    ids = [running.user.wait_for(ShowApproval).request.id for _ in range(count)]
    assert len(set(ids)) == count
    for request_id in ids:
        running.user.submit_decision(request_id)
    delivered = {wait_for(running, NotificationDelivered).child for _ in range(count)}
    assert len(delivered) == count
    assert running.user.shown_ids == []


def test_an_idle_interactive_agent_is_woken_by_its_own_task(sessions: SessionFixture) -> None:
    finish = threading.Event()
    helper = Definition(name="helper", system_prompt="", mode="subagent", interactive=True)
    running = sessions.start_session(
        {
            "begin": [make_task_call("t1", "outer", "helper"), "done"],
            "outer": [make_background_call("t2", "inner"), "started", "told"],
            "inner": [reply_after(finish, "seen")],
        },
        helper,
    )
    running.prompt()
    assert wait_for_completion(running).text == "done"
    finish.set()
    completed = running.user.wait_for(TurnCompleted)
    while completed.text != "told":
        completed = running.user.wait_for(TurnCompleted)
    ended = [record for record in running.records() if isinstance(record, SubagentEnded)]
    assert [record.child.name for record in ended] == ["helper-1", "general-1"]

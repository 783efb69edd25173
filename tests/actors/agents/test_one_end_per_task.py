"""Each task ends once: every `task` call gets its own result, and no turn waits forever."""

import threading

import pytest

from actors.agents.definition.definition import Definition
from messages.address import PRIMARY, Address
from messages.approvals import ShowApproval
from messages.subagents import AssignTask, CancelTask, SubagentStarted, SubscribeToAgent
from messages.turns import (
    ReplyCompleted,
    SessionConfigured,
    ToolEnded,
    TurnCompleted,
    TurnInterrupted,
    TurnStarted,
)
from tests.actors.agents.scripted_agents import (
    RunningSession,
    SessionFixture,
    list_task_ends,
    make_task_call,
    make_tool_use,
    never_reply,
    reply_after,
    wait_for_completion,
    wait_for_turn_end,
)
from tests.actors.agents.test_subagent_lifecycle import crash_at

pytestmark = pytest.mark.quick
HELPER = Definition(name="helper", system_prompt="", mode="subagent", interactive=True)
CHILD = Address("/primary/helper-1")


def test_two_calls_for_one_task_id_each_get_a_result(sessions: SessionFixture) -> None:
    both = (
        make_task_call("t2", "second", task_id="general-1"),
        make_task_call("t3", "third", task_id="general-1"),
    )
    running = sessions.start_session(
        {
            "begin": [make_task_call("t1", "first"), both, "done"],
            "first": ["one"],
            "second": ["two"],
            "third": ["never"],
        }
    )
    running.prompt()
    wait_for_completion(running)

    second, third = running.scripted_agents.get_last_results("begin")
    assert "two" in second
    assert third == "general-1 is still working on its task; wait for its result"
    assert list_task_ends(running) == [("general-1", "completed")] * 2


def test_a_task_waits_until_the_user_is_answered(sessions: SessionFixture) -> None:
    answer, running = start_with_busy_helper(sessions)
    running.prompt("again", turn=2)
    wait_until_assigned(running, 2)
    answer.set()
    wait_for_completion(running)

    (result,) = running.scripted_agents.get_last_results("again")
    assert "for the model" in result
    assert "for the user" not in result
    assert list_task_ends(running) == [("helper-1", "completed")] * 2


def test_a_cancelled_task_leaves_the_answer_to_the_user(sessions: SessionFixture) -> None:
    answer, running = start_with_busy_helper(sessions)
    running.prompt("again", turn=2)
    wait_until_assigned(running, 2)
    running.cancel(2)
    assert isinstance(wait_for_turn_end(running), TurnInterrupted)
    answer.set()
    while running.user.wait_for(TurnCompleted).text != "for the user":
        pass
    running.prompt("third time", turn=3)
    wait_for_completion(running)

    assert "another" in running.scripted_agents.get_last_results("third time")[0]
    statuses = [status for _, status in list_task_ends(running)]
    assert statuses == ["completed", "cancelled", "completed"]


def test_stopping_a_busy_helper_ends_its_queued_task(sessions: SessionFixture) -> None:
    _, running = start_with_busy_helper(sessions)
    running.prompt("again", turn=2)
    wait_until_assigned(running, 2)
    running.user.tell(CHILD, CancelTask())
    wait_for_completion(running)

    (result,) = running.scripted_agents.get_last_results("again")
    assert "was stopped before it finished" in result


def test_a_crash_while_answering_the_user_keeps_the_task(
    sessions: SessionFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer, running = start_with_busy_helper(sessions)
    running.prompt("again", turn=2)
    wait_until_assigned(running, 2)
    crash_at(monkeypatch, CHILD, ReplyCompleted, times=1)
    answer.set()
    wait_for_completion(running)

    (result,) = running.scripted_agents.get_last_results("again")
    assert "for the model" in result


def test_an_interrupt_keeps_the_helpers_open_request(sessions: SessionFixture) -> None:
    asks = make_tool_use("c1", "bash", command="touch x")
    running = sessions.start_session(
        {
            "begin": [make_task_call("t1", "first", "helper"), "done"],
            "first": ["one"],
            "by hand": [asks, "for the user"],
            "again": [make_task_call("t2", "second", "helper", task_id="helper-1"), "never"],
            "second": ["never"],
        },
        HELPER,
    )
    running.prompt()
    wait_for_completion(running)
    running.user.tell(CHILD, AssignTask(prompt="by hand"))
    request = running.user.wait_for(ShowApproval).request
    running.prompt("again", turn=2)
    wait_until_assigned(running, 2)
    running.cancel(2)
    wait_for_turn_end(running)

    running.user.submit_decision(request.id)
    while running.user.wait_for(TurnCompleted).text != "for the user":
        pass
    assert (running.session.options.workspace.root / "x").exists()


@pytest.mark.parametrize("is_interactive", [False, True])
def test_a_cancelled_task_stops_the_turn_that_it_resumed(
    sessions: SessionFixture, *, is_interactive: bool
) -> None:
    helper = Definition(
        name="helper", system_prompt="", mode="subagent", interactive=is_interactive
    )
    running = resume_interrupted_helper(sessions, helper)
    wait_until_assigned(running, 2)
    running.cancel()

    ended_tasks = {running.user.wait_for(TurnInterrupted).task_number for _ in range(2)}
    assert ended_tasks == {0, 1}
    assert running.agents == ([CHILD] if is_interactive else [])
    assert list_task_ends(running) == [("helper-1", "cancelled")] * 2


def test_a_helper_that_crashes_over_a_cancel_does_not_begin_again(
    sessions: SessionFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    running = sessions.start_session(
        {
            "begin": [make_task_call("t1", "busy", "helper"), "never"],
            "busy": [make_tool_use("c", "ls"), never_reply, never_reply],
        },
        HELPER,
    )
    running.prompt()
    running.user.wait_for(ToolEnded)
    crash_at(monkeypatch, CHILD, CancelTask, times=1)
    running.cancel()

    ended_tasks = [running.user.wait_for(TurnInterrupted).task_number for _ in range(2)]
    assert ended_tasks == [1, 0]
    assert list_task_ends(running) == [("helper-1", "cancelled")]


def test_a_task_behind_a_prompt_keeps_its_text_after_a_resume(sessions: SessionFixture) -> None:
    asks = make_tool_use("c1", "bash", command="touch x")
    before = sessions.start_session(
        {
            "begin": [make_task_call("t1", "first", "helper"), "done"],
            "first": ["one"],
            "by hand": [asks, "never"],
            "again": [make_task_call("t2", "second", "helper", task_id="helper-1"), "never"],
        },
        HELPER,
    )
    before.prompt()
    wait_for_completion(before)
    before.user.tell(CHILD, AssignTask(prompt="by hand"))
    before.user.wait_for(ShowApproval)
    before.prompt("again", turn=2)
    wait_until_assigned(before, 2)
    sessions.close()
    after = sessions.start_session(
        {"by hand": ["for the user"], "second": ["for the model"], "again": ["done"]},
        HELPER,
        resume_path=before.session.log.path,
    )
    after.user.submit_decision(after.user.wait_for(ShowApproval).request.id)
    wait_for_completion(after)

    assert "for the model" in after.scripted_agents.get_last_results("again")[0]


def resume_interrupted_helper(sessions: SessionFixture, helper: Definition) -> RunningSession:
    """End the program in a helper's turn; after a resume, the helper has that turn and a task."""
    before = sessions.start_session(
        {
            "begin": [make_task_call("t1", "busy", "helper"), "never"],
            "busy": [make_tool_use("c", "ls"), never_reply],
        },
        helper,
    )
    before.prompt()
    before.user.wait_for(ToolEnded)
    sessions.close()
    return sessions.start_session(
        {
            "begin": [make_task_call("t2", "go on", "helper", task_id="helper-1"), "never"],
            "busy": [never_reply],
            "go on": ["never"],
        },
        helper,
        resume_path=before.session.log.path,
    )


def test_a_task_that_cannot_be_delivered_is_a_failed_task(
    sessions: SessionFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    running = sessions.start_session(
        {
            "begin": [make_task_call("t1", "first", "helper"), "done"],
            "first": ["one"],
            "again": [make_task_call("t2", "second", "helper", task_id="helper-1"), "done"],
            "second": ["never"],
        },
        HELPER,
    )
    running.prompt()
    wait_for_completion(running)
    crash_at(monkeypatch, CHILD, AssignTask, times=3)
    running.prompt("again", turn=2)
    wait_for_completion(running)

    (result,) = running.scripted_agents.get_last_results("again")
    assert "failed (the task could not be delivered (quarantined))" in result
    assert list_task_ends(running) == [("helper-1", "completed"), ("helper-1", "failed")]


def start_with_busy_helper(
    sessions: SessionFixture,
) -> tuple[threading.Event, RunningSession]:
    """Start a session whose helper has ended a task and answers the user once the event is set."""
    answer = threading.Event()
    running = sessions.start_session(
        {
            "begin": [make_task_call("t1", "first", "helper"), "done"],
            "first": ["one"],
            "by hand": [reply_after(answer, "for the user"), "for the user"],
            "again": [make_task_call("t2", "second", "helper", task_id="helper-1"), "done"],
            "second": ["for the model"],
            "third time": [make_task_call("t3", "third", "helper", task_id="helper-1"), "done"],
            "third": ["another"],
        },
        HELPER,
    )
    running.prompt()
    wait_for_completion(running)
    running.user.tell(CHILD, AssignTask(prompt="by hand"))
    while running.user.wait_for(TurnStarted).prompt != "by hand":
        pass
    return answer, running


def wait_until_assigned(running: RunningSession, task_number: int) -> None:
    """Wait until the helper has taken its task with this number."""
    while running.user.wait_for(SubagentStarted).task_number != task_number:
        pass
    for agent in (PRIMARY, CHILD):  # each answers after everything sent to it before
        running.user.tell(agent, SubscribeToAgent())
        while not is_configured(*running.user.next_from(), agent):
            pass


def is_configured(sender: Address, message: object, agent: Address) -> bool:
    """Return whether a message is an agent's answer to a subscription."""
    return sender == agent and isinstance(message, SessionConfigured)

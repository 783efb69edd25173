"""Subagents over real actors, a real journal, engine and broker; only the model is a script."""

from typing import Any

import pytest

from actors.agents.subagent_factory import SUBAGENT_HEADER
from messages.address import PRIMARY, Address
from messages.approvals import ExecApprovalRequest, ShowApproval
from messages.content import ToolUseBlock
from messages.subagents import SubagentEnded, SubagentStarted
from messages.turns import (
    SessionConfigured,
    TextDelta,
    ToolEnded,
    TurnCompleted,
    TurnInterrupted,
    TurnStarted,
)
from tests.actors.agents.scripted_agents import (
    SessionFixture,
    make_model_error,
    make_task_call,
    make_tool_use,
    never_reply,
    wait_for_completion,
)

pytestmark = pytest.mark.quick


def test_a_task_is_done_by_a_subagent_that_sees_its_prompt_and_nothing_else(
    sessions: SessionFixture,
) -> None:
    stage = sessions.start_session(
        {"begin": [make_task_call("t1", "look"), "all done"], "look": ["I saw it"]}
    )
    stage.prompt()

    assert wait_for_completion(stage).text == "all done"
    assert stage.scripted_agents.get_last_results("begin") == [
        "task_id: general-1\n<task_result>\nI saw it\n</task_result>"
    ]
    request = stage.scripted_agents.requests[1]
    assert request.messages == ({"role": "user", "content": [{"type": "text", "text": "look"}]},)
    assert request.headers == {SUBAGENT_HEADER: "general"}
    assert "subagent" in request.system
    assert stage.scripted_agents.requests[0].headers == {}
    assert stage.agents == []


def test_tasks_of_one_message_run_side_by_side_and_their_results_keep_the_order(
    sessions: SessionFixture,
) -> None:
    tasks = tuple(make_task_call(f"t{n}", f"part {n}") for n in range(5))
    parts: dict[str, list[Any]] = {f"part {n}": [f"result {n}"] for n in range(5)}
    stage = sessions.start_session({"begin": [tasks, "done"], **parts})
    stage.prompt()
    wait_for_completion(stage)

    told = stage.scripted_agents.get_last_results("begin")
    assert [f"result {n}" in text for n, text in enumerate(told)] == [True] * 5
    assert len({text.split("\n")[0] for text in told}) == 5


def test_events_go_up_with_who_said_it_and_what_streams_does_not(sessions: SessionFixture) -> None:
    stage = sessions.start_session(
        {
            "begin": [make_task_call("t1", "look"), "done"],
            "look": [make_tool_use("c", "ls"), "seen"],
        }
    )
    stage.prompt()
    heard: list[tuple[Address, Any]] = []
    while not (heard and isinstance(heard[-1][1], TurnCompleted) and heard[-1][0] == PRIMARY):
        heard.append(stage.user.next_from())

    child = Address("/primary/general-1")
    from_child = [message for sender, message in heard if sender == child]
    assert [each.type for each in from_child if each is not None] == [
        "turn_started",
        "reply_completed",
        "usage_changed",
        "tool_started",
        "tool_ended",
        "reply_completed",
        "usage_changed",
        "turn_completed",
    ]
    assert not any(isinstance(each, TextDelta | SessionConfigured) for each in from_child)
    kinds = [str(message.type) for sender, message in heard if sender == PRIMARY]
    assert kinds.count("subagent_started") == kinds.count("subagent_ended") == 1


def test_a_question_climbs_from_depth_three_and_its_answer_comes_back_the_same_way(
    sessions: SessionFixture,
) -> None:
    parts: dict[str, list[Any]] = {
        "begin": [make_task_call("t1", "one"), "done"],
        "one": [make_task_call("t2", "two"), "one done"],
        "two": [make_task_call("t3", "three"), "two done"],
        "three": [make_tool_use("c1", "bash", command="touch made"), "three done"],
    }
    stage = sessions.start_session(parts)
    stage.prompt()
    asked = stage.user.wait_for(ShowApproval).request

    assert isinstance(asked, ExecApprovalRequest)
    assert asked.agent == "/primary/general-1/general-2/general-3"
    assert len(stage.agents) == 3
    stage.user.submit_decision(asked.id)
    assert wait_for_completion(stage).text == "done"
    assert (stage.session.options.workspace.root / "made").exists()


def test_many_siblings_ask_at_once_and_each_gets_its_own_answer(sessions: SessionFixture) -> None:
    names = [f"part {n}" for n in range(4)]
    parts: dict[str, list[Any]] = {
        name: [make_tool_use("c1", "bash", command=f"touch '{name}'"), "ok"] for name in names
    }
    tasks = tuple(make_task_call(f"t{n}", name) for n, name in enumerate(names))
    stage = sessions.start_session({"begin": [tasks, "done"], **parts})
    stage.prompt()
    asked = [stage.user.wait_for(ShowApproval).request for _ in names]
    for each in asked:
        refused = "part 2" in str(each)
        stage.user.submit_decision(each.id, "no" if refused else "once")
    wait_for_completion(stage)

    made = sorted(path.name for path in stage.session.options.workspace.root.iterdir())
    assert made == ["part 0", "part 1", "part 3"]


def test_stopping_the_turn_stops_three_levels_withdraws_their_questions_and_leaves_nobody(
    sessions: SessionFixture,
) -> None:
    parts: dict[str, list[Any]] = {
        "begin": [(make_task_call("t1", "one"), make_task_call("t2", "busy")), "never"],
        "one": [make_task_call("t3", "two"), "never"],
        "two": [make_tool_use("c1", "bash", command="touch made"), "never"],
        "busy": [never_reply],
    }
    stage = sessions.start_session(parts)
    stage.prompt()
    stage.user.wait_for(ShowApproval)
    stage.cancel()
    heard: list[Any] = []
    while not (heard and isinstance(heard[-1][1], TurnInterrupted) and heard[-1][0] == PRIMARY):
        heard.append(stage.user.next_from())

    ended = [m.status for s, m in heard if s == PRIMARY and isinstance(m, ToolEnded)]
    assert ended == ["cancelled", "cancelled"]
    texts = [m.text for s, m in heard if s == PRIMARY and isinstance(m, ToolEnded)]
    assert any("I was about to" in text for text in texts)
    kinds = [message.type for _, message in heard]
    assert "dismiss_approval" in kinds
    assert not stage.user.shown_ids
    assert stage.agents == []
    statuses = [e.status for e in stage.records() if isinstance(e, SubagentEnded)]
    assert statuses == ["cancelled"] * 3


def test_a_subagent_that_fails_is_a_failed_task_and_no_siblings_problem(
    sessions: SessionFixture,
) -> None:
    tasks = (make_task_call("t1", "bad"), make_task_call("t2", "good"))
    stage = sessions.start_session(
        {"begin": [tasks, "done"], "bad": [make_model_error()], "good": ["fine"]}
    )
    stage.prompt()
    wait_for_completion(stage)

    bad, good = stage.scripted_agents.get_last_results("begin")
    assert "rejected: planted" in bad
    assert "fine" in good


def test_an_earlier_subagent_goes_on_with_what_it_knows(sessions: SessionFixture) -> None:
    parts: dict[str, list[Any]] = {
        "begin": [
            make_task_call("t1", "look"),
            make_task_call("t2", "look again", task_id="general-1"),
            "done",
        ],
        "look": ["I saw it"],
        "look again": ["and again"],
    }
    stage = sessions.start_session(parts)
    stage.prompt()
    wait_for_completion(stage)

    said = [each["content"] for each in stage.scripted_agents.requests[3].messages]
    assert [block[0]["text"] for block in said if isinstance(block, list)] == [  # type: ignore[index,call-overload]
        "look",
        "I saw it",
        "look again",
    ]
    starts = [(e.child, e.task_number) for e in stage.records() if isinstance(e, SubagentStarted)]
    assert starts == [("/primary/general-1", 1), ("/primary/general-1", 2)]
    prompts = [each.prompt for each in stage.records() if isinstance(each, TurnStarted)]
    assert prompts == ["begin", "look", "look again"]


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (make_task_call("t1", "x", agent="wizard"), "no subagent type 'wizard'"),
        (make_task_call("t1", "x", agent="build"), "Available: general, explore, sandboxed"),
        (make_task_call("t1", "x", task_id="general-7"), "There is no task_id 'general-7'"),
    ],
)
def test_what_cannot_be_started_is_an_error_that_says_what_can(
    sessions: SessionFixture, call: ToolUseBlock, told: str
) -> None:
    stage = sessions.start_session({"begin": [call, "done"]})
    stage.prompt()
    wait_for_completion(stage)

    assert told in stage.scripted_agents.get_last_results("begin")[0]
    assert not any(isinstance(each, SubagentStarted) for each in stage.records())


def test_only_so_many_work_at_once_and_a_full_tree_does_not_block_itself(
    sessions: SessionFixture,
) -> None:
    tasks = tuple(make_task_call(f"t{n}", f"part {n}") for n in range(6))
    parts: dict[str, list[Any]] = {
        f"part {n}": [make_task_call(f"u{n}", f"deep {n}"), f"result {n}"] for n in range(6)
    }
    deep: dict[str, list[Any]] = {f"deep {n}": [f"found {n}"] for n in range(6)}
    stage = sessions.start_session({"begin": [tasks, "done"], **parts, **deep}, slot_limit=2)
    stage.prompt()
    assert wait_for_completion(stage).text == "done"

    assert stage.scripted_agents.max_active_requests <= 2
    names = [each.child.name for each in stage.records() if isinstance(each, SubagentStarted)]
    assert sorted(names) == sorted(f"general-{n}" for n in range(1, 13)), "no two have one name"
    assert all(
        f"result {n}" in text
        for n, text in enumerate(stage.scripted_agents.get_last_results("begin"))
    )

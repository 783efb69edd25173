"""Limits of a tree of agents: depth, spawns, tokens, requests, seconds."""

import threading
from typing import Any

import pytest

from actors.agents.definition.definition import Definition
from actors.agents.subagent_factory import get_depth
from actors.agents.turn.limits import Limits
from actors.agents.turn.subagent_tasks import SPAWN_NOT_ALLOWED
from actors.supervisor.concurrency import MAX_SPAWNS_PER_SLOT, AgentNames, SlotPool, SpawnLimiter
from messages.address import Address
from messages.approvals import ShowApproval
from messages.subagents import SubagentEnded, SubagentQueued, SubagentStarted
from messages.turns import ToolEnded, TurnFailed
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
from tests.probe import PROBE_TIMEOUT_S

pytestmark = pytest.mark.quick


def test_the_task_tool_is_not_offered_at_the_depth_limit(
    sessions: SessionFixture,
) -> None:
    lines: dict[str, list[Any]] = {
        "begin": [make_task_call("t1", "one"), "done"],
        "one": [make_task_call("t1", "two"), "one done"],
        "two": [make_task_call("t1", "three"), "two done"],
    }
    running = sessions.start_session(lines, max_depth=2)
    running.prompt()
    wait_for_completion(running)

    is_task_offered = [
        any(tool["name"] == "task" for tool in request.tools)
        for request in running.scripted_agents.requests
    ]
    assert is_task_offered[:3] == [True, True, False]
    (result,) = running.scripted_agents.get_last_results("two")
    assert "this agent is at depth 2, and the limit is 2 (--max-depth)" in result


def test_a_depth_that_contradicts_its_address_becomes_the_limit() -> None:
    started = SubagentStarted(
        child=Address("/primary/general-1"),
        parent=Address("/primary"),
        agent_type="general",
        depth=1,
        task_number=1,
        turn=1,
        call_id="t1",
        description="",
    )
    assert get_depth(started, 3) == 1
    assert get_depth(started.model_copy(update={"depth": 0}), 3) == 3
    assert get_depth(started.model_copy(update={"depth": -7}), 3) == 3


def start_five_tasks(sessions: SessionFixture) -> RunningSession:
    tasks = tuple(make_task_call(f"t{n}", f"part {n}") for n in range(5))
    lines: dict[str, list[Any]] = {f"part {n}": ["ok"] for n in range(5)}
    running = sessions.start_session({"begin": [tasks, "done"], **lines}, max_spawns=2)
    running.prompt()
    return running


def test_the_user_can_extend_the_spawn_budget_repeatedly(sessions: SessionFixture) -> None:
    running = start_five_tasks(sessions)
    reasons = [running.user.answer_limit(0).reason for _ in range(2)]
    wait_for_completion(running)

    assert reasons == [
        f"stopped after {n} subagents, the limit (spawns in [budget])" for n in (2, 4)
    ]
    assert [status for _, status in list_task_ends(running)] == ["completed"] * 5


def test_a_spawn_budget_that_is_not_extended_ends_the_turn(sessions: SessionFixture) -> None:
    running = start_five_tasks(sessions)
    running.user.answer_limit(1)
    ended = wait_for_turn_end(running)

    assert isinstance(ended, TurnFailed)
    assert ended.reason == "spawn_budget"
    assert [status for _, status in list_task_ends(running)] == ["completed"] * 2
    results = [record for record in running.records() if isinstance(record, ToolEnded)]
    assert sum(record.text == SPAWN_NOT_ALLOWED for record in results) == 3


def test_spawns_are_rate_limited() -> None:
    spawns = SpawnLimiter(max_spawns=None, slot_limit=2)
    assert [spawns.try_admit(0.0) for _ in range(MAX_SPAWNS_PER_SLOT * 2)] == [""] * 20
    assert "try again in 50 s" in spawns.try_admit(10.0)
    assert spawns.try_admit(60.0) == ""


def test_slots_are_assigned_in_order_and_released_by_subtree() -> None:
    first, second, nested, last = (Address(f"/primary/{path}") for path in ("a", "b", "a/c", "d"))
    slots = SlotPool(2)
    assert [slots.acquire(agent) for agent in (first, nested, second, last)] == [
        True,
        True,
        False,
        False,
    ]
    assert slots.release(first, self_only=True) == [second]
    assert slots.release(first, self_only=False) == [last]
    assert slots.release(second, self_only=True) == []
    assert list(slots.holders) == [last]
    assert not slots.waiting


def test_names_are_numbered_by_type_after_existing_ones() -> None:
    names = AgentNames(["explore-3", "explore-2", "general-1", "by-hand"])
    types = ("explore", "general", "general", "by", "x" * 60)
    assert [names.allocate(agent_type) for agent_type in types] == [
        "explore-4",
        "general-2",
        "general-3",
        "by-1",
        f"{'x' * 40}-1",
    ]


def test_an_agent_that_waits_for_a_slot_reports_it(sessions: SessionFixture) -> None:
    tasks = tuple(make_task_call(f"t{n}", f"part {n}") for n in range(2))
    lines: dict[str, list[Any]] = {f"part {n}": [never_reply] for n in range(2)}
    running = sessions.start_session({"begin": [tasks, "never"], **lines}, slot_limit=1)
    running.prompt()
    assert running.user.wait_for(SubagentQueued).slot_limit == 1
    running.cancel()
    wait_for_turn_end(running)
    assert sorted(list_task_ends(running)) == [
        ("general-1", "cancelled"),
        ("general-2", "cancelled"),
    ]


def test_an_agent_that_waits_for_the_user_returns_its_slot(sessions: SessionFixture) -> None:
    asks = make_tool_use("c", "bash", command="touch x")
    tasks = tuple(make_task_call(f"t{n}", f"part {n}") for n in range(3))
    running = sessions.start_session(
        {
            "begin": [tasks, "done"],
            "part 0": [asks, "zero"],
            "part 1": [asks, "one"],
            "part 2": ["two"],
        },
        slot_limit=2,
    )
    running.prompt()
    request_ids: list[str] = []
    ended: list[str] = []
    while len(request_ids) < 2 or ended != ["general-3"]:
        match running.user.next():
            case ShowApproval() as shown:
                request_ids.append(shown.request.id)
            case SubagentEnded() as end:
                ended.append(end.child.name)
            case _:
                pass
    for request_id in request_ids:
        running.user.submit_decision(request_id)
    wait_for_completion(running)

    results = running.scripted_agents.get_last_results("begin")
    assert ["zero" in results[0], "one" in results[1], "two" in results[2]] == [True] * 3


def test_an_approved_call_runs_only_when_its_agent_has_a_slot(sessions: SessionFixture) -> None:
    started, may_end = threading.Event(), threading.Event()
    asks = make_tool_use("c", "bash", command="touch x")
    tasks = (make_task_call("t0", "asks"), make_task_call("t1", "busy"))
    busy_line = reply_after(may_end, "worked", started)
    running = sessions.start_session(
        {"begin": [tasks, "done"], "asks": [asks, "asked"], "busy": [busy_line]}, slot_limit=1
    )
    running.prompt()
    request = running.user.wait_for(ShowApproval).request
    assert started.wait(PROBE_TIMEOUT_S)
    running.user.submit_decision(request.id)
    while running.user.wait_for(SubagentQueued).agent != request.agent:
        pass
    file = running.session.options.workspace.root / "x"
    assert not file.exists()
    may_end.set()
    wait_for_completion(running)

    assert file.exists()


def test_subagent_tokens_count_and_end_the_whole_tree(sessions: SessionFixture) -> None:
    lines: dict[str, list[Any]] = {
        "begin": [make_task_call("t1", "one"), "never"],
        "one": [make_task_call("t1", "two"), "never"],
        "two": [make_tool_use(f"c{n}", "ls") for n in range(5)],
    }
    running = sessions.start_session(lines, limits=Limits(tokens=22))
    running.prompt()
    running.user.answer_limit(1)
    ended = wait_for_turn_end(running)

    assert isinstance(ended, TurnFailed)
    assert ended.reason == "token_budget"
    assert list_task_ends(running) == [
        ("general-2", "limit_reached"),
        ("general-1", "limit_reached"),
    ]
    assert len(running.scripted_agents.requests) == 5


def test_the_whole_tree_continues_when_tokens_are_extended(sessions: SessionFixture) -> None:
    lines: dict[str, list[Any]] = {
        "begin": [make_task_call("t1", "one"), "done"],
        "one": [make_task_call("t1", "two"), "one done"],
        "two": [*(make_tool_use(f"c{n}", "ls") for n in range(5)), "two done"],
    }
    running = sessions.start_session(lines, limits=Limits(tokens=22))
    running.prompt()
    counts: list[int] = []
    for _ in range(2):
        running.user.answer_limit(0)
        counts.append(len(running.scripted_agents.requests))
    wait_for_completion(running)

    assert counts == [5, 9], "no request is sent while the user is asked"
    assert [status for _, status in list_task_ends(running)] == ["completed"] * 2


def test_limits_of_a_definition_end_only_its_agents(sessions: SessionFixture) -> None:
    short = Definition(name="short", system_prompt="", max_turns=2)
    lines: dict[str, list[Any]] = {
        "begin": [make_task_call("t1", "loop", "short"), "done"],
        "loop": [make_tool_use(f"c{n}", "ls") for n in range(5)],
    }
    running = sessions.start_session(lines, short)
    running.prompt()
    wait_for_completion(running)
    assert "stopped after 2 requests" in running.scripted_agents.get_last_results("begin")[0]
    assert list_task_ends(running) == [("short-1", "limit_reached")]


def test_a_subagents_timer_is_paused_while_the_user_decides(sessions: SessionFixture) -> None:
    quick = Definition(name="quick", system_prompt="", time_limit_s=0.3)
    lines: dict[str, list[Any]] = {
        "begin": [
            (make_task_call("t1", "slow", "quick"), make_task_call("t2", "asks", "quick")),
            "done",
        ],
        "slow": [never_reply],
        "asks": [make_tool_use("c1", "bash", command="touch x"), "asked"],
    }
    running = sessions.start_session(lines, quick)
    running.prompt()
    request = running.user.wait_for(ShowApproval).request
    ended = running.user.wait_for(SubagentEnded)
    assert (ended.child.name, ended.status) == ("quick-1", "limit_reached")
    running.user.submit_decision(request.id)
    wait_for_completion(running)
    assert ("quick-2", "completed") in list_task_ends(running)

"""How far a tree of agents may go: depth, starts, tokens, requests, seconds."""

from typing import Any

import pytest

from actors.agents.definition.definition import Definition
from actors.agents.subagent_factory import get_depth
from actors.agents.turn.limits import Limits
from actors.supervisor.concurrency import MAX_SPAWNS_PER_SLOT, AgentNames, SlotPool, SpawnLimiter
from messages.address import Address
from messages.approvals import ShowApproval
from messages.subagents import SubagentEnded, SubagentQueued, SubagentStarted
from messages.turns import TurnFailed
from tests.actors.agents.scripted_agents import (
    RunningSession,
    SessionFixture,
    make_task_call,
    make_tool_use,
    never_reply,
    wait_for_completion,
    wait_for_turn_end,
)

pytestmark = pytest.mark.quick


def ends(running_system: RunningSession) -> list[tuple[str, str]]:
    """How each task ended, in the order of their ends."""
    return [
        (each.child.name, each.status)
        for each in running_system.records()
        if isinstance(each, SubagentEnded)
    ]


def test_at_the_depth_limit_task_is_not_offered_and_a_call_is_refused(
    sessions: SessionFixture,
) -> None:
    parts: dict[str, list[Any]] = {
        "begin": [make_task_call("t1", "one"), "done"],
        "one": [make_task_call("t1", "two"), "one done"],
        "two": [make_task_call("t1", "three"), "two done"],
    }
    stage = sessions.start_session(parts, max_depth=2)
    stage.prompt()
    wait_for_completion(stage)

    offered = [
        any(tool["name"] == "task" for tool in each.tools)
        for each in stage.scripted_agents.requests
    ]
    assert offered[:3] == [True, True, False]
    assert "no tool 'task'" in stage.scripted_agents.get_last_results("two")[0]


def test_a_depth_that_contradicts_its_address_counts_as_the_limit() -> None:
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


def test_when_the_spawns_are_spent_a_task_is_an_error_that_says_so(
    sessions: SessionFixture,
) -> None:
    tasks = tuple(make_task_call(f"t{n}", f"part {n}") for n in range(3))
    parts: dict[str, list[Any]] = {f"part {n}": ["ok"] for n in range(3)}
    stage = sessions.start_session({"begin": [tasks, "done"], **parts}, max_spawns=2)
    stage.prompt()
    wait_for_completion(stage)

    told = stage.scripted_agents.get_last_results("begin")
    assert sum("spawns in [budget] is 2" in each for each in told) == 1
    assert len(ends(stage)) == 2


def test_a_chain_reaction_is_broken() -> None:
    spawns = SpawnLimiter(max_spawns=None, slot_limit=2)
    assert [spawns.try_admit(0.0) for _ in range(MAX_SPAWNS_PER_SLOT * 2)] == [""] * 20
    assert "the next may start in 50 s" in spawns.try_admit(10.0)
    assert spawns.try_admit(60.0) == ""


def test_places_are_given_in_order_and_come_back_from_whole_subtrees() -> None:
    one, two, deep, four = (Address(f"/primary/{each}") for each in ("a", "b", "a/c", "d"))
    places = SlotPool(2)
    assert [places.acquire(each) for each in (one, deep, two, four)] == [True, True, False, False]
    assert places.release(one, self_only=True) == [two]
    assert places.release(one, self_only=False) == [four]
    assert places.release(two, self_only=True) == []
    assert list(places.holders) == [four]
    assert not places.waiting


def test_names_are_numbered_by_type_and_go_on_after_those_that_were_given() -> None:
    names = AgentNames(["explore-3", "explore-2", "general-1", "by-hand"])
    asked = ("explore", "general", "general", "by", "x" * 60)
    assert [names.allocate(each) for each in asked] == [
        "explore-4",
        "general-2",
        "general-3",
        "by-1",
        f"{'x' * 40}-1",
    ]


def test_who_waits_for_a_place_says_so(sessions: SessionFixture) -> None:
    tasks = tuple(make_task_call(f"t{n}", f"part {n}") for n in range(2))
    parts: dict[str, list[Any]] = {f"part {n}": [never_reply] for n in range(2)}
    stage = sessions.start_session({"begin": [tasks, "never"], **parts}, slot_limit=1)
    stage.prompt()
    assert stage.user.wait_for(SubagentQueued).slot_limit == 1
    stage.cancel()
    wait_for_turn_end(stage)
    assert sorted(ends(stage)) == [("general-1", "cancelled"), ("general-2", "cancelled")]


def test_the_tokens_of_all_below_count_and_end_whoever_is_at_work(sessions: SessionFixture) -> None:
    parts: dict[str, list[Any]] = {
        "begin": [make_task_call("t1", "one"), "never"],
        "one": [make_task_call("t1", "two"), "never"],
        "two": [make_tool_use(f"c{n}", "ls") for n in range(5)],
    }
    stage = sessions.start_session(parts, limits=Limits(tokens=22))
    stage.prompt()
    ended = wait_for_turn_end(stage)

    assert isinstance(ended, TurnFailed)
    assert ended.reason == "token_budget"
    assert ends(stage) == [("general-2", "limited"), ("general-1", "limited")]
    assert len(stage.scripted_agents.requests) == 5


def test_a_definitions_limits_end_its_own_agents_only(sessions: SessionFixture) -> None:
    short = Definition(name="short", system_prompt="", max_turns=2)
    parts: dict[str, list[Any]] = {
        "begin": [make_task_call("t1", "loop", "short"), "done"],
        "loop": [make_tool_use(f"c{n}", "ls") for n in range(5)],
    }
    stage = sessions.start_session(parts, short)
    stage.prompt()
    wait_for_completion(stage)
    assert "stopped after 2 requests" in stage.scripted_agents.get_last_results("begin")[0]
    assert ends(stage) == [("short-1", "limited")]


def test_time_runs_for_a_subagent_but_not_while_a_person_is_asked(sessions: SessionFixture) -> None:
    quick = Definition(name="quick", system_prompt="", time_limit_s=0.3)
    parts: dict[str, list[Any]] = {
        "begin": [
            (make_task_call("t1", "slow", "quick"), make_task_call("t2", "asks", "quick")),
            "done",
        ],
        "slow": [never_reply],
        "asks": [make_tool_use("c1", "bash", command="touch x"), "asked"],
    }
    stage = sessions.start_session(parts, quick)
    stage.prompt()
    asked = stage.user.wait_for(ShowApproval).request
    ended = stage.user.wait_for(SubagentEnded)
    assert (ended.child.name, ended.status) == ("quick-1", "limited")
    stage.user.submit_decision(asked.id)
    wait_for_completion(stage)
    assert ("quick-2", "completed") in ends(stage)

"""How far a tree of agents may go: depth, starts, tokens, requests, seconds."""

from typing import Any

import pytest

from actors.agents.definitions import Definition
from actors.agents.limits import Limits
from actors.agents.nursery import depth_of
from actors.places import STARTS_PER_PLACE, AgentNames, SlotPool, SpawnLimiter
from messages.address import Address
from messages.approvals import ShowApproval
from messages.subagents import SubagentEnded, SubagentQueued, SubagentStarted
from messages.turns import TurnFailed
from tests.actors.agents.troupe import SessionFixture, Stage, done, forever, over, task, use

pytestmark = pytest.mark.quick


def ends(stage: Stage) -> list[tuple[str, str]]:
    """How each task ended, in the order of their ends."""
    return [
        (each.child.name, each.status)
        for each in stage.records()
        if isinstance(each, SubagentEnded)
    ]


def test_at_the_depth_limit_task_is_not_offered_and_a_call_is_refused(
    theatre: SessionFixture,
) -> None:
    parts: dict[str, list[Any]] = {
        "begin": [task("t1", "one"), "done"],
        "one": [task("t1", "two"), "one done"],
        "two": [task("t1", "three"), "two done"],
    }
    stage = theatre.play(parts, max_depth=2)
    stage.prompt()
    done(stage)

    offered = [any(tool["name"] == "task" for tool in each.tools) for each in stage.troupe.asked]
    assert offered[:3] == [True, True, False]
    assert "no tool 'task'" in stage.troupe.told("two")[0]


def test_a_depth_that_contradicts_its_address_counts_as_the_limit() -> None:
    started = SubagentStarted(
        child=Address("/primary/general-1"),
        parent=Address("/primary"),
        agent="general",
        depth=1,
        task_number=1,
        turn=1,
        call_id="t1",
        description="",
    )
    assert depth_of(started, 3) == 1
    assert depth_of(started.model_copy(update={"depth": 0}), 3) == 3
    assert depth_of(started.model_copy(update={"depth": -7}), 3) == 3


def test_when_the_spawns_are_spent_a_task_is_an_error_that_says_so(theatre: SessionFixture) -> None:
    tasks = tuple(task(f"t{n}", f"part {n}") for n in range(3))
    parts: dict[str, list[Any]] = {f"part {n}": ["ok"] for n in range(3)}
    stage = theatre.play({"begin": [tasks, "done"], **parts}, spawns=2)
    stage.prompt()
    done(stage)

    told = stage.troupe.told("begin")
    assert sum("spawns in [budget] is 2" in each for each in told) == 1
    assert len(ends(stage)) == 2


def test_a_chain_reaction_is_broken() -> None:
    spawns = SpawnLimiter(budget=None, places=2)
    assert [spawns.refusal(0.0) for _ in range(STARTS_PER_PLACE * 2)] == [""] * 20
    assert "the next may start in 50 s" in spawns.refusal(10.0)
    assert spawns.refusal(60.0) == ""


def test_places_are_given_in_order_and_come_back_from_whole_subtrees() -> None:
    one, two, deep, four = (Address(f"/primary/{each}") for each in ("a", "b", "a/c", "d"))
    places = SlotPool(2)
    assert [places.take(each) for each in (one, deep, two, four)] == [True, True, False, False]
    assert places.leave(one, alone=True) == [two]
    assert places.leave(one, alone=False) == [four]
    assert places.leave(two, alone=True) == []
    assert list(places.taken) == [four]
    assert not places.waiting


def test_names_are_numbered_by_type_and_go_on_after_those_that_were_given() -> None:
    names = AgentNames(["explore-3", "explore-2", "general-1", "by-hand"])
    asked = ("explore", "general", "general", "by", "x" * 60)
    assert [names.new(each) for each in asked] == [
        "explore-4",
        "general-2",
        "general-3",
        "by-1",
        f"{'x' * 40}-1",
    ]


def test_who_waits_for_a_place_says_so(theatre: SessionFixture) -> None:
    tasks = tuple(task(f"t{n}", f"part {n}") for n in range(2))
    parts: dict[str, list[Any]] = {f"part {n}": [forever] for n in range(2)}
    stage = theatre.play({"begin": [tasks, "never"], **parts}, slot_limit=1)
    stage.prompt()
    assert stage.person.until(SubagentQueued).slot_limit == 1
    stage.cancel()
    over(stage)
    assert sorted(ends(stage)) == [("general-1", "cancelled"), ("general-2", "cancelled")]


def test_the_tokens_of_all_below_count_and_end_whoever_is_at_work(theatre: SessionFixture) -> None:
    parts: dict[str, list[Any]] = {
        "begin": [task("t1", "one"), "never"],
        "one": [task("t1", "two"), "never"],
        "two": [use(f"c{n}", "ls") for n in range(5)],
    }
    stage = theatre.play(parts, limits=Limits(tokens=22))
    stage.prompt()
    ended = over(stage)

    assert isinstance(ended, TurnFailed)
    assert ended.reason == "token_budget"
    assert ends(stage) == [("general-2", "limited"), ("general-1", "limited")]
    assert len(stage.troupe.asked) == 5


def test_a_definitions_limits_end_its_own_agents_only(theatre: SessionFixture) -> None:
    short = Definition(name="short", prompt="", max_turns=2)
    parts: dict[str, list[Any]] = {
        "begin": [task("t1", "loop", "short"), "done"],
        "loop": [use(f"c{n}", "ls") for n in range(5)],
    }
    stage = theatre.play(parts, short)
    stage.prompt()
    done(stage)
    assert "stopped after 2 requests" in stage.troupe.told("begin")[0]
    assert ends(stage) == [("short-1", "limited")]


def test_time_runs_for_a_subagent_but_not_while_a_person_is_asked(theatre: SessionFixture) -> None:
    quick = Definition(name="quick", prompt="", time_limit_s=0.3)
    parts: dict[str, list[Any]] = {
        "begin": [(task("t1", "slow", "quick"), task("t2", "asks", "quick")), "done"],
        "slow": [forever],
        "asks": [use("c1", "bash", command="touch x"), "asked"],
    }
    stage = theatre.play(parts, quick)
    stage.prompt()
    asked = stage.person.until(ShowApproval).request
    ended = stage.person.until(SubagentEnded)
    assert (ended.child.name, ended.status) == ("quick-1", "limited")
    stage.person.answer(asked.id)
    done(stage)
    assert ("quick-2", "completed") in ends(stage)

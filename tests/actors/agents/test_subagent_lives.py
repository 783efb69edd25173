"""Subagents that crash, are resumed, stay for more, or are stopped alone."""

from pathlib import Path
from typing import Any, cast

import pytest

from actors.agents import agent, voice
from actors.agents.definitions import Definition
from messages.address import PRIMARY, Address
from messages.approvals import ShowApproval
from messages.models import ModelReplied
from messages.subagents import (
    AssignTask,
    CancelTask,
    PromptRejected,
    SubagentEnded,
    SubagentStarted,
    SubscribeToAgent,
)
from messages.turns import (
    SessionConfigured,
    StartTurn,
    TextDelta,
    ToolEnded,
    TurnCompleted,
)
from tests.actors.agents.troupe import SessionFixture, Stage, done, forever, over, task, use

pytestmark = pytest.mark.quick
CHILD = Address("/primary/general-1")


def ended(stage: Stage) -> list[tuple[str, str]]:
    return [(e.child.name, e.status) for e in stage.records() if isinstance(e, SubagentEnded)]


def test_a_question_that_was_open_when_the_program_died_is_asked_again_by_its_id(
    theatre: SessionFixture,
) -> None:
    before = theatre.play(
        {
            "begin": [(task("t1", "asks"), task("t2", "busy")), "never"],
            "asks": [task("t1", "deep"), "never"],
            "deep": [use("c1", "bash", command="touch x"), "never"],
            "busy": [forever],
        }
    )
    before.prompt()
    asked = before.person.until(ShowApproval).request
    theatre.close()
    after = theatre.play(
        {"begin": ["done"], "asks": ["asks done"], "deep": ["deep done"]},
        take_up=before.session.log.path,
    )
    again = after.person.until(ShowApproval).request

    assert (again.id, again.agent) == (asked.id, asked.agent)
    after.person.answer(again.id)
    assert done(after)
    first, second = after.troupe.told("begin")
    assert "asks done" in first
    assert second == "interrupted; continue with task_id general-2"
    assert (after.session.options.workspace.root / "x").exists()


def test_a_paused_subagent_goes_on_where_it_stopped_when_it_is_asked_to(
    theatre: SessionFixture,
) -> None:
    before = theatre.play(
        {"begin": [task("t1", "busy"), "never"], "busy": [use("c", "ls"), forever]}
    )
    before.prompt()
    before.person.until(ToolEnded)
    theatre.close()
    after = theatre.play(
        {
            "begin": [task("t2", "go on", task_id="general-1"), "done"],
            "busy": ["first done"],
            "go on": ["all"],
        },
        take_up=before.session.log.path,
    )
    done(after)

    assert "all" in after.troupe.told("begin")[0]
    assert [each.task_number for each in after.records() if isinstance(each, SubagentStarted)] == [
        1,
        2,
    ]


def test_names_are_never_given_twice_in_a_session(theatre: SessionFixture) -> None:
    parts: dict[str, list[Any]] = {"begin": [task("t1", "a"), "done"], "a": [task("t2", "b"), "ok"]}
    before = theatre.play({**parts, "b": ["ok"]})
    before.prompt()
    done(before)
    theatre.close()
    after = theatre.play(
        {"more": [task("t2", "b"), "done"], "b": ["ok"]}, take_up=before.session.log.path
    )
    after.prompt("more", turn=2)
    done(after)
    names = [each.child.name for each in after.records() if isinstance(each, SubagentStarted)]
    assert names == ["general-1", "general-2", "general-3"]


def test_a_one_shot_subagent_refuses_further_prompts(theatre: SessionFixture) -> None:
    stage = theatre.play({"begin": [task("t1", "busy"), "never"], "busy": [forever]})
    stage.prompt()
    while stage.person.next_from()[0] != CHILD:
        pass
    stage.person.tell(CHILD, AssignTask(prompt="more"))
    assert stage.person.until(PromptRejected) == PromptRejected(agent=CHILD, reason="one_shot")
    stage.person.tell(CHILD, StartTurn(turn=9, text="more"))
    assert stage.person.until(PromptRejected).agent == CHILD
    stage.cancel()
    over(stage)


def test_an_interactive_subagent_stays_and_takes_further_prompts_of_anybody(
    theatre: SessionFixture,
) -> None:
    helper = Definition(name="helper", prompt="", interactive=True)
    stage = theatre.play(
        {
            "begin": [task("t1", "first", "helper"), "done"],
            "first": ["one"],
            "by hand": ["two"],
            "again": [task("t2", "third", "helper", task_id="helper-1"), "done"],
            "third": ["three"],
        },
        helper,
    )
    child = Address("/primary/helper-1")
    stage.prompt()
    done(stage)
    assert stage.agents == [child]
    stage.person.tell(child, AssignTask(prompt="by hand"))
    while (said := stage.person.until(TurnCompleted)).text != "two":
        pass
    stage.prompt("again", turn=2)
    done(stage)

    assert said.turn == 2
    assert "three" in stage.troupe.told("again")[0]
    assert ended(stage) == [("helper-1", "completed")] * 2


def test_one_subagent_is_stopped_alone_and_its_parent_reads_how_far_it_came(
    theatre: SessionFixture,
) -> None:
    tasks = (task("t1", "busy"), task("t2", "quick"))
    busy_with = [use("c", "ls"), forever]
    stage = theatre.play({"begin": [tasks, "done"], "busy": busy_with, "quick": ["fine"]})
    stage.prompt()
    streams(stage)
    stage.person.tell(CHILD, CancelTask())
    assert done(stage)

    busy, quick = stage.troupe.told("begin")
    assert "was stopped before it was done" in busy
    assert "I was about to" in busy
    assert "fine" in quick


def test_whoever_watches_a_subagent_hears_its_stream(theatre: SessionFixture) -> None:
    busy_with = [use("c", "ls"), forever]
    stage = theatre.play({"begin": [task("t1", "busy"), "never"], "busy": busy_with})
    stage.prompt()
    streams(stage)
    stage.cancel()
    over(stage)


def streams(stage: Stage) -> None:
    """Watch the first child until it says something."""
    while stage.person.next_from()[0] != CHILD:
        pass
    stage.person.tell(CHILD, SubscribeToAgent())
    heard: list[Any] = []
    while not isinstance(heard[-1] if heard else None, TextDelta):
        sender, message = stage.person.next_from()
        heard += [message] if sender == CHILD else []
    assert [each.agent for each in heard if isinstance(each, SessionConfigured)] == ["general"]


class PlantedError(Exception):
    """What a test wanted."""


def test_a_subagent_that_crashes_goes_on_from_its_records(
    theatre: SessionFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    crash_at(monkeypatch, CHILD, ToolEnded, times=1)
    stage = theatre.play(
        {"begin": [task("t1", "work"), "done"], "work": [use("c", "ls"), "worked", "worked"]}
    )
    stage.prompt()
    assert done(stage)
    assert "worked" in stage.troupe.told("begin")[0]
    assert ended(stage) == [("general-1", "completed")]


def test_a_subagent_that_crashes_again_and_again_is_a_failed_task_and_nothing_is_left(
    theatre: SessionFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    crash_at(monkeypatch, CHILD, ModelReplied, times=9)
    tasks = (task("t1", "bad"), task("t2", "good"))
    stage = theatre.play({"begin": [tasks, "done"], "good": ["fine"], "bad": ["never"] * 9})
    stage.prompt()
    assert done(stage)
    bad, good = stage.troupe.told("begin")
    assert "failed (crash: PlantedError" in bad
    assert "fine" in good
    assert stage.agents == []


def test_a_parent_that_crashes_leaves_nobody_below_and_goes_on(
    theatre: SessionFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage = theatre.play(
        {
            "begin": [task("t1", "asks"), "done"],
            "asks": [use("c1", "bash", command="touch x"), "never"],
        }
    )
    stage.prompt()
    asked = stage.person.until(ShowApproval).request
    crash_at(monkeypatch, PRIMARY, StartTurn, times=1)
    stage.prompt("lost", turn=99)
    assert done(stage)
    assert stage.troupe.told("begin") == ["interrupted; continue with task_id general-1"]
    assert stage.agents == []
    assert asked.id not in stage.person.screen


def crash_at(
    monkeypatch: pytest.MonkeyPatch, address: Address, kind: type[object], times: int
) -> None:
    """Let an agent crash when it takes or reports such a message."""
    left = [times]

    def address_of(voice: Any) -> Address:  # noqa: ANN401  (it keeps its actor to itself)
        actor = cast("agent.Agent", vars(voice)["_actor"])
        return actor.address

    receive: Any = agent.Agent.on_receive
    report: Any = voice.EventPublisher.report

    def crash(by: Address, message: object) -> None:
        if by == address and isinstance(message, kind) and left[0]:
            left[0] -= 1
            raise PlantedError

    def on_receive(self: Any, message: Any) -> None:  # noqa: ANN401  (an agent, a message)
        crash(self.address, message)
        receive(self, message)

    def on_report(self: Any, event: Any) -> None:  # noqa: ANN401  (a voice, an event)
        crash(address_of(self), event)
        report(self, event)

    monkeypatch.setattr(agent.Agent, "on_receive", on_receive)
    monkeypatch.setattr(voice.EventPublisher, "report", on_report)


def test_every_subagent_has_a_transcript_of_its_own(
    theatre: SessionFixture, tmp_path: Path
) -> None:
    stage = theatre.play(
        {
            "begin": [task("t1", "one"), "done"],
            "one": [task("t1", "two", "explore"), "one done"],
            "two": ["two done"],
        }
    )
    stage.prompt()
    done(stage)
    theatre.close()
    folder = tmp_path / "state" / "subagents" / stage.session.session_id
    assert sorted(path.name for path in folder.iterdir()) == [
        "agent-general-1.explore-1.jsonl",
        "agent-general-1.jsonl",
    ]
    first = (folder / "agent-general-1.explore-1.jsonl").read_text().splitlines()[0]
    assert '"depth":2' in first
    assert '"parent":"/primary/general-1"' in first
    assert '"agent":"explore"' in first

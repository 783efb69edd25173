"""What a subagent may: never more than those above it, and what a person granted anywhere."""

from typing import Any

import pytest

from actors.agents.definitions import Definition
from messages.approvals import ShowApproval
from messages.rules import Rule
from messages.turns import TurnCompleted
from tests.actors.agents.troupe import SessionFixture, Stage, done, task, use

pytestmark = pytest.mark.quick

MAKE = "make it"


def makes(call_id: str) -> Any:  # noqa: ANN401  (a line)
    return use(call_id, "bash", command=MAKE)


def grant(stage: Stage) -> None:
    """Answer the one question with 'don't ask again'."""
    stage.person.answer(stage.person.until(ShowApproval).request.id, "session")


def finishes_unasked(stage: Stage) -> bool:
    """Whether the turn ends and nobody was asked before."""
    while True:
        message = stage.person.next()
        if isinstance(message, ShowApproval):
            return False
        if isinstance(message, TurnCompleted) and stage.agents == [] and message.text == "end":
            return True


def test_what_is_granted_in_a_subagent_holds_for_the_primary(theatre: SessionFixture) -> None:
    parts: dict[str, list[Any]] = {
        "begin": [task("t1", "sub"), makes("c1"), "end"],
        "sub": [makes("c1"), "ok"],
    }
    stage = theatre.play(parts)
    stage.prompt()
    grant(stage)
    assert finishes_unasked(stage)


def test_what_is_granted_in_the_primary_holds_for_later_subagents(theatre: SessionFixture) -> None:
    parts: dict[str, list[Any]] = {
        "begin": [makes("c1"), task("t1", "sub"), "end"],
        "sub": [makes("c1"), "ok"],
    }
    stage = theatre.play(parts)
    stage.prompt()
    grant(stage)
    assert finishes_unasked(stage)


def test_what_is_granted_in_a_nested_subagent_holds_for_running_and_later_ones(
    theatre: SessionFixture,
) -> None:
    parts: dict[str, list[Any]] = {
        "begin": [(task("t1", "one"), task("t2", "other")), task("t3", "later"), "end"],
        "one": [task("t1", "nested"), makes("c9"), "ok"],
        "nested": [makes("c1"), "ok"],
        "other": [makes("c2"), makes("c3"), "ok"],
        "later": [makes("c1"), "ok"],
    }
    stage = theatre.play(parts)
    stage.prompt()
    both = [stage.person.until(ShowApproval).request for _ in range(2)]
    nested = next(asked for asked in both if asked.agent.count("general") == 2)
    stage.person.answer(nested.id, "session")
    assert finishes_unasked(stage), "what was parked is judged anew"


def test_an_agent_on_its_own_has_no_grants_of_other_sessions(theatre: SessionFixture) -> None:
    granted = theatre.play({"begin": [makes("c1"), "end"]})
    granted.prompt()
    grant(granted)
    done(granted)
    own = theatre.play({"begin": [makes("c1"), "end"]})
    own.prompt()
    assert own.person.until(ShowApproval)


def test_explore_reads_and_runs_what_is_harmless_and_nothing_else(theatre: SessionFixture) -> None:
    parts: dict[str, list[Any]] = {
        "begin": [task("t1", "look", "explore"), "end"],
        "look": [
            (use("c1", "bash", command="ls"), use("c2", "bash", command="touch x")),
            use("c3", "write", path="x", content="x"),
            "seen",
        ],
    }
    stage = theatre.play(parts, mode="yolo")
    stage.prompt()
    assert finishes_unasked(stage)
    asked = [each for each in stage.troupe.asked if each.headers]
    assert "task" not in {str(tool["name"]) for tool in asked[0].tools}
    told = stage.troupe.told("look")
    assert "no tool 'write'" in told[0]
    assert not (stage.session.options.workspace.root / "x").exists()


def test_explore_on_its_own_is_as_limited_as_below_another(theatre: SessionFixture) -> None:
    writes = [use("c1", "write", path="x", content="x"), "end"]
    stage = theatre.play({"begin": writes}, mode="yolo", agent="explore")
    stage.prompt()
    assert finishes_unasked(stage)
    offered = {str(tool["name"]) for tool in stage.troupe.asked[0].tools}
    assert offered == {"read", "ls", "glob", "grep", "todo_write", "bash"}
    assert not (stage.session.options.workspace.root / "x").exists()


def test_a_child_started_by_a_reader_reads_only_whatever_its_definition_says(
    theatre: SessionFixture,
) -> None:
    reader = Definition(name="reader", prompt="", read_only=True)
    parts: dict[str, list[Any]] = {
        "begin": [task("t1", "read", "reader"), "end"],
        "read": [task("t1", "change"), "ok"],
        "change": [use("c3", "write", path="x", content="x"), "tried"],
    }
    stage = theatre.play(parts, reader, mode="yolo")
    stage.prompt()
    assert finishes_unasked(stage)
    assert "reader only reads" in stage.troupe.told("change")[0]


@pytest.mark.parametrize("delegates", [(), ("bash",)])
def test_a_tool_that_is_not_had_is_handed_on_only_where_it_is_delegated(
    theatre: SessionFixture, delegates: tuple[str, ...]
) -> None:
    chief = Definition(name="chief", prompt="", disallowed_tools=("bash",), delegates=delegates)
    parts: dict[str, list[Any]] = {
        "begin": [task("t1", "lead", "chief"), "end"],
        "lead": [task("t1", "work"), "ok"],
        "work": [use("c1", "bash", command="true"), "ok"],
    }
    stage = theatre.play(parts, chief, mode="yolo")
    stage.prompt()
    assert finishes_unasked(stage)
    assert ("Denied" in stage.troupe.told("work")[0]) is not bool(delegates)


def test_a_rule_may_forbid_a_type(theatre: SessionFixture) -> None:
    chief = Definition(
        name="chief",
        prompt="",
        rules=(Rule(permission="task", pattern="general", action="deny"),),
    )
    parts: dict[str, list[Any]] = {
        "begin": [task("t1", "lead", "chief"), "end"],
        "lead": [task("t1", "work"), "ok"],
    }
    stage = theatre.play(parts, chief)
    stage.prompt()
    assert finishes_unasked(stage)
    assert "Denied" in stage.troupe.told("lead")[0]


def test_only_those_that_its_definition_names_can_be_started(theatre: SessionFixture) -> None:
    chief = Definition(name="chief", prompt="", subagents=("expl*",))
    parts: dict[str, list[Any]] = {
        "begin": [task("t1", "lead", "chief"), "end"],
        "lead": [task("t1", "work"), "ok"],
    }
    stage = theatre.play(parts, chief)
    stage.prompt()
    assert finishes_unasked(stage)
    assert "Available: explore" in stage.troupe.told("lead")[0]
    lead = next(each for each in stage.troupe.asked if each.headers)
    (described,) = (str(tool["description"]) for tool in lead.tools if tool["name"] == "task")
    assert "explore" in described
    assert "general" not in described

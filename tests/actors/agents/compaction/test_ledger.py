"""The ledger keeps what a summary may lose, word for word."""

from dataclasses import replace

import pytest

from actors.agents.compaction.ledger import add_permissions, format_ledger
from actors.agents.compaction.ledger_facts import LedgerFacts
from actors.agents.turn.agent_state import AgentState
from actors.agents.turn.conversation_history import DELIVERED_PROMPT
from actors.agents.turn.history_splice import Json
from messages.address import PRIMARY, Address
from messages.approvals import ExecApprovalRequest
from messages.journal import Record
from messages.policy import Policy, Rule
from messages.steering import PromptDelivered
from messages.subagents import SubagentEnded, SubagentStarted
from messages.todos import Todo
from messages.turns import AgentSwitched, StartTurn, TodosUpdated, ToolEnded, TurnStarted
from tests.actors.agents.turn.message_builders import make_state, make_tool_use
from tests.actors.agents.turn.turn_driver import TurnDriver

pytestmark = pytest.mark.quick

HELPER = PRIMARY.child("general-1")


def make_started(child: Address = HELPER, agent_type: str = "general") -> SubagentStarted:
    return SubagentStarted(
        child=child,
        parent=PRIMARY,
        agent_type=agent_type,
        depth=1,
        task_number=1,
        turn=1,
        call_id="c",
        description="Fix the tests",
    )


def make_ended(tool: str, target: str, **changes: str) -> ToolEnded:
    fields = {"status": "ok", "text": "fine", "title": f"{tool} {target}", "target": target}
    return ToolEnded.model_validate(
        {"turn": 1, "call_id": "c", "tool": tool, **fields, **changes},
    )


def collect(*records: Record) -> LedgerFacts:
    facts = LedgerFacts()
    for record in records:
        facts.add(record)
    return facts


def write(
    *records: Record,
    state: AgentState | None = None,
    tail: tuple[Json, ...] = (),
    max_message_tokens: int = 20_000,
) -> str:
    return format_ledger(collect(*records), state or make_state(), tail, max_message_tokens)


def make_user_message(text: str) -> Json:
    return {"role": "user", "content": [{"type": "text", "text": text}]}


def test_the_goal_and_all_messages_are_kept_word_for_word() -> None:
    prompts = ["Build a parser.\n\nNever use regex!", "Äh, in Rust.", "Go on."]
    text = write(*(TurnStarted(turn=n + 1, prompt=prompt) for n, prompt in enumerate(prompts)))
    for number, prompt in enumerate(prompts):
        assert f'<user_message number="{number + 1}">\n{prompt}\n</user_message>' in text


def test_messages_that_the_model_still_reads_are_left_out() -> None:
    records = [TurnStarted(turn=n, prompt=text) for n, text in enumerate(("a", "go on", "go on"))]
    text = write(*records, tail=(make_user_message("go on"),))
    assert text.count("go on") == 1
    assert 'number="1"' in text
    assert 'number="2"' not in text


def test_messages_sent_during_a_turn_are_kept_too() -> None:
    records = (
        TurnStarted(turn=1, prompt="go"),
        PromptDelivered(turn=1, number=2, prompt="use tabs"),
    )
    assert '<user_message number="2">\nuse tabs\n</user_message>' in write(*records)
    tail = (make_user_message(DELIVERED_PROMPT.format(prompt="use tabs")),)
    assert "use tabs" not in write(*records, tail=tail)


def test_the_newest_messages_win_within_the_limit() -> None:
    prompts = ["goal", *(f"{n} {'x' * 1000}" for n in range(50))]
    records = [TurnStarted(turn=n + 1, prompt=prompt) for n, prompt in enumerate(prompts)]
    text = write(*records, max_message_tokens=2_000)
    assert "goal" in text
    assert "49 xxx" in text
    assert "\n3 xxx" not in text
    assert "[Omitted here: 4" in text
    assert len(text) < 9_000


def test_a_long_message_loses_only_its_middle() -> None:
    prompt = f"begin {'x' * 100_000} end"
    text = write(TurnStarted(turn=1, prompt=prompt), max_message_tokens=1_000)
    assert "begin" in text
    assert "end" in text
    assert "characters omitted" in text
    assert len(text) < 4_300


def test_todos_name_the_message_they_were_created_for() -> None:
    text = write(
        TurnStarted(turn=1, prompt="add tests"),
        TodosUpdated(turn=1, todos=(Todo(content="one", status="pending"),)),
        TurnStarted(turn=2, prompt="and docs"),
        TodosUpdated(
            turn=2,
            todos=(
                Todo(content="one", status="completed"),
                Todo(content="two", status="in_progress"),
            ),
        ),
    )
    assert (
        "Created for user message 1: add tests\n- [completed] one\n"
        "Created for user message 2: and docs\n- [in_progress] two"
    ) in text


def test_the_active_agent_and_the_plan_are_named() -> None:
    switched = AgentSwitched(
        id="s", agent="build", previous_agent="plan", text="[The plan is in p.md.]", max_mode="yolo"
    )
    assert "Active agent: build\n[The plan is in p.md.]" in write(switched)


def test_subagents_and_their_state_are_listed() -> None:
    ended = SubagentEnded(
        child=HELPER, task_number=1, turn=1, status="failed", detail="no connection"
    )
    assert "task_id general-1, type general: Fix the tests · running" in write(make_started())
    assert "Fix the tests · failed (no connection)" in write(make_started(), ended)
    assert "compact-1" not in write(make_started(PRIMARY.child("compact-1"), "compact"))


def test_changed_files_name_who_changed_them() -> None:
    facts = collect(
        make_ended("edit", "a.py", diff="+1"),
        make_ended("write", "b.py", diff="+1", status="denied"),
        make_ended("read", "c.py"),
    )
    facts.add_subagent_event(make_ended("edit", "a.py", diff="+2"), "general-1/explore-2")
    text = format_ledger(facts, make_state(), (), 1_000)
    assert "- a.py (by this agent, general-1/explore-2)" in text
    assert "b.py" not in text
    assert "c.py" not in text


@pytest.mark.parametrize("is_fixed", [False, True])
def test_the_last_failing_command_stays_until_it_succeeds(*, is_fixed: bool) -> None:
    failed = make_ended("bash", "make test", status="error", text="2 failed")
    fixed = make_ended("bash", "make test")
    text = write(failed, make_ended("bash", "ls"), *([fixed] if is_fixed else []))
    assert ("bash make test\n2 failed" in text) is not is_fixed


def test_open_approvals_of_the_whole_subtree_are_listed() -> None:
    driver = TurnDriver()
    driver.send(StartTurn(turn=1, text="go"))
    driver.reply(make_tool_use("a"))
    driver.request_approval("a")
    request = ExecApprovalRequest(
        id="r",
        agent=HELPER,
        turn=1,
        call_id="c",
        tool="bash",
        cwd="/",
        reason="",
        requests=(),
        available_decisions=("once", "no"),
        command="rm -r build",
    )
    state = driver.state
    state = replace(state, subagents=state.subagents.with_request(request))
    text = write(state=state)
    assert "- this agent: change a.txt" in text
    assert "- general-1: bash: rm -r build" in text


def test_the_mode_and_the_grants_are_listed() -> None:
    policy = Policy(
        mode="auto-edit",
        grants=(Rule(permission="bash", pattern="make *", action="allow"),),
        project_grants=(Rule(permission="bash", pattern="ls", action="allow"),),
    )
    text = add_permissions("ledger", policy, "yolo")
    assert text.startswith("ledger")
    assert "Mode: auto-edit" in text
    assert "Mode: plan" in add_permissions("ledger", policy, "plan")
    assert "- The user allowed for this session: bash make *" in text
    assert "- The user allowed for this project: bash ls" in text


def test_an_empty_conversation_has_only_the_agent() -> None:
    assert write() == "## Agent and plan\nActive agent: build"

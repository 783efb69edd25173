"""The parts of an agent's state, each without the others."""

from dataclasses import FrozenInstanceError, fields, replace
from typing import Any

import pytest

from actors.agents.turn.agent_identity import AgentIdentity
from actors.agents.turn.agent_selection import AgentSelection, PendingSwitch, PrimaryAgent
from actors.agents.turn.agent_state import AgentState, LimitPause
from actors.agents.turn.limits import (
    WEIGHT_UNIT,
    LimitReached,
    Limits,
    TimerState,
    UsageTotals,
    Weights,
    find_reached_limit,
    weigh_tokens,
)
from actors.agents.turn.model_state import MIN_LOOKUP_TOKENS, ModelState
from actors.agents.turn.persistence_state import PersistenceState
from actors.agents.turn.prompt_queue import PromptQueue, QueuedPrompt
from actors.agents.turn.subagent_table import SubagentTable
from actors.agents.turn.transition import Transition
from actors.agents.turn.turn_state import CallStage, ToolCall, TurnStage, TurnState
from actors.agents.turn.with_changes import with_changes
from actors.models.priced_client import Prices, add_cost
from messages.address import PRIMARY
from messages.approvals import ExecApprovalRequest, WithdrawApprovals
from messages.content import Usage
from messages.model_limits import ModelLimitsFound
from messages.subagents import SubagentStarted
from messages.turns import (
    AgentSwitched,
    PersistenceChanged,
    TurnFailed,
    TurnInterrupted,
)
from tests.actors.agents.turn.message_builders import USAGE, make_tool_use

pytestmark = pytest.mark.quick

MAX_FIELDS = 15
"""A part with more fields is more than one idea."""
PARTS = (
    AgentIdentity(),
    AgentSelection(),
    ModelState(),
    PromptQueue(),
    TurnState(),
    PersistenceState(),
    UsageTotals(),
    SubagentTable(),
    LimitPause(),
)
CHILD = PRIMARY.child("explore-1")


def make_call(call_id: str, stage: CallStage, **changes: Any) -> ToolCall:  # noqa: ANN401  (as `replace`)
    return replace(ToolCall(make_tool_use(call_id), is_changing=True, stage=stage), **changes)


def make_switch(agent: str, previous_agent: str) -> AgentSwitched:
    return AgentSwitched(
        id=agent, agent=agent, previous_agent=previous_agent, text="", max_mode="yolo"
    )


@pytest.mark.parametrize("part", [AgentState(), *PARTS], ids=lambda part: type(part).__name__)
def test_each_part_of_the_state_is_small_and_frozen(part: Any) -> None:  # noqa: ANN401  (any part)
    names = [field.name for field in fields(part)]
    assert len(names) <= MAX_FIELDS
    with pytest.raises(FrozenInstanceError):
        setattr(part, names[0], None)


# Changes


def test_a_changed_copy_leaves_the_original_unchanged() -> None:
    turn = TurnState(number=1)
    assert with_changes(turn, number=2) == TurnState(number=2)
    assert turn == TurnState(number=1)


def test_a_field_or_part_that_does_not_exist_is_rejected() -> None:
    step = Transition(AgentState())
    with pytest.raises(TypeError, match="TurnState has no field turn_number"):
        step.update_turn(turn_number=1)
    with pytest.raises(TypeError, match="no such part; given: stage"):
        step.update(stage=TurnStage.IDLE)


def test_a_transition_never_changes_the_state_it_starts_from() -> None:
    state = AgentState()
    step = Transition(state)
    step.update(model=ModelState("m"))
    step.update_turn(number=1)
    assert state == AgentState()
    assert step.state == AgentState(model=ModelState("m"), turn=TurnState(number=1))


# Identity


def test_ids_differ_by_run_and_after_a_crash() -> None:
    identity = AgentIdentity(PRIMARY, run=2)
    assert identity.build_approval_id(3) == "/primary#3@2"
    assert identity.build_switch_id(1) == "/primary#switch-1@2"
    assert replace(identity, incarnation=4).build_approval_id(3) == "/primary#3@2.4"


# Persistence


def test_records_are_settled_once_they_are_written_or_failed() -> None:
    waiting = PersistenceState().with_next_append().with_next_append()
    assert PersistenceState().is_settled
    assert not waiting.with_synced(1).is_settled
    assert waiting.with_synced(2).is_settled
    assert waiting.with_all_failed().is_settled
    assert not waiting.with_all_failed().with_next_append().is_settled


def test_a_late_confirmation_never_lowers_the_synced_append() -> None:
    state = PersistenceState(last_append_id=5).with_synced(5)
    assert state.with_synced(3) == state


def test_only_a_failing_status_means_that_writes_fail() -> None:
    states = [
        PersistenceState().with_status(PersistenceChanged(state=status)).is_failing
        for status in ("ok", "slow", "failing")
    ]
    assert states == [False, False, True]


# Prompts


def test_prompts_start_in_order_and_keep_later_cancels() -> None:
    first, second = QueuedPrompt(1, "a"), QueuedPrompt(2, "b")
    queue = PromptQueue().with_prompt(first).with_prompt(second).with_cancelled(1).with_cancelled(2)
    expected = PromptQueue((second,), last_number=2, cancelled_turns=frozenset({2}))
    assert queue.without_first() == expected
    assert queue.without_prompts().queued == ()


def test_a_task_gets_the_first_unused_turn_number() -> None:
    queue = PromptQueue().with_prompt(QueuedPrompt(4, "a", task_number=2))
    assert queue.next_number == 5
    assert PromptQueue().next_number == 1
    assert queue.with_prompt(QueuedPrompt(5, "b")).last_task_number == 2


def test_a_dropped_task_counts_as_taken_when_it_arrives() -> None:
    queue = PromptQueue().with_prompt(QueuedPrompt(4, "a", task_number=2))
    queue = queue.with_prompt(QueuedPrompt(5, "b"))
    assert [queue.has_not_started(number) for number in (1, 2, 3)] == [False, True, True]
    assert queue.without_task(2).queued == (QueuedPrompt(5, "b"),)
    assert not queue.without_task(3).has_not_started(3)


# Turn


def test_a_next_turn_starts_without_traces_of_the_last() -> None:
    last = TurnState(number=1, malformed_replies=1, usage=USAGE, request_number=7)
    expected = TurnState(number=2, request_number=7, timer=TimerState(remaining_s=3.0))
    assert last.with_next_turn(QueuedPrompt(2, "go on"), 3.0) == expected


def test_a_stopped_turn_ends_as_its_limit_or_the_user_says() -> None:
    turn = TurnState(number=1, usage=USAGE, is_stopping=True)
    interrupted = TurnInterrupted(turn=1, partial_text="so", usage=USAGE)
    assert turn.build_interruption("so") == interrupted
    limited = with_changes(turn, limit_reached=LimitReached("time_limit", "late"))
    failed = TurnFailed(turn=1, reason="time_limit", detail="late", partial_text="", usage=USAGE)
    assert limited.build_interruption() == failed


def test_a_turn_is_active_until_its_end_is_decided() -> None:
    turn = TurnState(number=1, stage=TurnStage.THINKING)
    end = TurnInterrupted(turn=1)
    assert turn.is_active
    assert not turn.with_end(end).is_active
    assert turn.with_end(end).pending_end == end
    assert turn.with_end(end).without_turn() == TurnState(number=1)


def test_a_call_is_found_only_in_the_given_stages() -> None:
    call = make_call("c1", CallStage.RUNNING)
    turn = TurnState(calls=(make_call("c0", CallStage.DONE), call))
    assert turn.find_call("c1", CallStage.PLANNING, CallStage.RUNNING) == call
    assert turn.find_call("c1", CallStage.PLANNING) is None
    done = replace(call, stage=CallStage.DONE)
    assert turn.with_call(done).calls == (turn.calls[0], done)


def test_a_turn_awaits_its_open_decisions_and_approvals() -> None:
    waiting = make_call("c1", CallStage.AWAITING_APPROVAL, approval_id="a1", decision_id="old")
    turn = TurnState(
        calls=(
            waiting,
            make_call("c2", CallStage.EVALUATING, decision_id="d2"),
            make_call("c3", CallStage.RUNNING, decision_id="d3"),
        )
    )
    assert turn.awaited_ids == {"a1", "d2"}
    assert turn.has_open_approval
    assert turn.find_call_awaiting("a1") == waiting
    assert turn.find_call_awaiting("d2") is None


def test_a_turn_that_runs_its_own_call_waits_not_only_for_others() -> None:
    started = SubagentStarted(
        child=CHILD,
        parent=PRIMARY,
        agent_type="explore",
        depth=1,
        task_number=1,
        turn=1,
        call_id="c1",
        description="look",
        model="m",
    )
    task = make_call("c1", CallStage.RUNNING, subagent_started=started)
    turn = TurnState(stage=TurnStage.ACTING, calls=(task, make_call("c2", CallStage.WAITING)))
    assert turn.only_waits_for_others
    assert not replace(turn, stage=TurnStage.IDLE).only_waits_for_others
    assert not turn.with_call(make_call("c2", CallStage.RUNNING)).only_waits_for_others
    assert turn.with_call(make_call("c2", CallStage.AWAITING_APPROVAL)).only_waits_for_others
    assert not turn.with_call(make_call("c2", CallStage.AWAITING_SLOT)).only_waits_for_others


# Usage


def test_usage_is_counted_by_who_caused_it() -> None:
    totals = UsageTotals().with_own(USAGE).with_reply(USAGE).with_subagent(USAGE)
    assert (totals.this_run, totals.subagents, totals.total) == (USAGE, USAGE, USAGE + USAGE)
    assert (totals.reply_count, totals.context_tokens) == (1, 5)
    assert totals.with_next_prompt() == replace(totals, reply_count=0)
    assert UsageTotals().total == Usage()


def test_tokens_count_by_their_weights_toward_the_budget() -> None:
    usage = Usage(
        input_tokens=100,
        output_tokens=10,
        cache_read_input_tokens=1_000,
        cache_creation_input_tokens=40,
    )
    weights = Weights(output=5_000, cache_read=100, cache_write=1_250)
    assert weigh_tokens(usage, weights) == (100 + 50 + 100 + 50) * WEIGHT_UNIT
    assert weigh_tokens(usage + usage, weights) == 2 * weigh_tokens(usage, weights)

    totals = UsageTotals(Limits(tokens=301, weights=weights)).with_own(usage)
    assert find_reached_limit(totals) is None
    reached = find_reached_limit(replace(totals, limits=replace(totals.limits, tokens=300)))
    assert reached is not None
    assert reached.reason == "token_budget"


def test_costs_add_up_and_are_omitted_without_prices() -> None:
    priced = add_cost(Usage(input_tokens=2_000_000, output_tokens=500_000), Prices(3, 15, 0, 0))
    assert priced.cost == 13.5
    assert (priced + USAGE + priced).cost == 27
    assert "cost" not in USAGE.model_dump_json()


# Subagents


def test_interactive_subagents_keep_their_requests_in_a_withdrawal() -> None:
    table = SubagentTable().with_request(make_request("a"))
    withdrawal = WithdrawApprovals(under=PRIMARY, except_under=(CHILD,))
    assert table.without_requests(withdrawal) == table


def test_an_answered_request_leaves_the_others_open() -> None:
    requests = [make_request(request_id) for request_id in ("a", "b")]
    table = SubagentTable().with_request(requests[0]).with_request(requests[1])
    assert table.without_request("a").open_requests == {"b": requests[1]}
    assert table.without_requests(WithdrawApprovals(under=CHILD)) == SubagentTable()


def make_request(request_id: str) -> ExecApprovalRequest:
    return ExecApprovalRequest(
        id=request_id,
        agent=CHILD,
        turn=1,
        call_id="c1",
        tool="bash",
        cwd="/repo",
        description="",
        reason="",
        policy_version=1,
        requests=(),
        resolved_requests=(),
        available_decisions=("once", "no"),
        grants=(),
        command="make",
    )


# Agent and model


def test_the_stricter_agent_applies_while_a_switch_is_pending() -> None:
    agents = (PrimaryAgent("build"), PrimaryAgent("plan", "plan"))
    to_build = make_switch("build", "plan")
    selection = AgentSelection("plan", "build", primary_agents=agents)
    pending = selection.with_pending(PendingSwitch(3, to_build))
    assert (pending.next_agent, pending.strictest_agent, pending.get_max_mode()) == (
        "build",
        "plan",
        "plan",
    )
    assert pending.is_switch_pending(failed_append_id=2)
    assert not pending.is_switch_pending(failed_append_id=3)
    applied = pending.with_first_applied()
    assert applied == replace(selection, agent="build", previous_agent="plan", switch_count=1)
    assert applied.get_max_mode() == "yolo"


def test_an_agent_that_no_longer_exists_is_not_restored() -> None:
    selection = AgentSelection(primary_agents=(PrimaryAgent("build"), PrimaryAgent("plan")))
    restored = selection.with_last_recorded([make_switch("plan", "build")])
    assert (restored.agent, restored.previous_agent) == ("plan", "build")
    assert selection.with_last_recorded([make_switch("deleted", "build")]) == selection
    assert selection.with_last_recorded([]) == selection


def test_limits_are_looked_up_once_when_a_conversation_grows() -> None:
    model = ModelState("m")
    assert not model.must_look_up_limits(MIN_LOOKUP_TOKENS - 1)
    assert model.must_look_up_limits(MIN_LOOKUP_TOKENS)
    assert not replace(model, limits_requested_for="m").must_look_up_limits(MIN_LOOKUP_TOKENS)


def test_the_limits_of_another_model_do_not_apply() -> None:
    found = ModelLimitsFound(model="big", max_context_tokens=9, max_output_tokens=4)
    assert ModelState("big", found).limits == found
    assert ModelState("m", found).limits == ModelState("m").limits

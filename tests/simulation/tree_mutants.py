"""Faults in how agents handle their subagents, which the tree simulation must find."""

from dataclasses import replace
from typing import Any, cast

from actors.agents.agent import Agent
from actors.agents.effect_handlers.event_publisher import EventPublisher
from actors.agents.effect_handlers.subagent_supervisor import SubagentSupervisor
from actors.agents.turn import cancellation, concurrency_slot, limit_pause, subagent_tasks
from actors.agents.turn.effects import ForwardDown, StopChild, WithdrawSubtree
from actors.agents.turn.subagent_table import SubagentTable
from actors.agents.turn.turn_state import TurnStage
from actors.models.request_gate import RequestGate
from messages.subagents import ReleaseSlots, ResumeWork, TaskDropped
from messages.turns import TextDelta, ThinkingDelta
from tests.simulation.mutant_implementations import always_false, do_nothing
from tests.simulation.mutant_list import Mutant, drop_messages, replace_function

ORIGINAL_CARRY_OUT: Any = vars(Agent)["_carry_out"]
ORIGINAL_HANDLE: Any = SubagentSupervisor.handle
ORIGINAL_RECORD_END: Any = vars(subagent_tasks)["_record_end"]


def abort_before_withdraw(agent: Any, effects: Any) -> None:  # noqa: ANN401  (as replaced)
    """Withdraw approval requests last."""
    late = [effect for effect in effects if isinstance(effect, WithdrawSubtree)]
    ORIGINAL_CARRY_OUT(agent, (*(effect for effect in effects if effect not in late), *late))


def stream_deltas_up(publisher: Any, delta: TextDelta | ThinkingDelta, turn: Any) -> None:  # noqa: ANN401  (as replaced)
    """Send deltas to the parent."""
    if turn.stage is TurnStage.THINKING:
        members = cast("dict[str, Any]", vars(publisher))
        members["_actor"].tell(members["_events_to"], delta)


def drop_replies(supervisor: Any, effect: Any, *context: Any) -> None:  # noqa: ANN401  (as replaced)
    """Do not forward replies to subagents."""
    if not isinstance(effect, ForwardDown):
        ORIGINAL_HANDLE(supervisor, effect, *context)


def count_approval_time(state: Any) -> bool:  # noqa: ANN401  (as replaced)
    """Let the timer run during approvals."""
    return bool(state.turn.is_active and not state.turn.is_stopping)


def count_approval_time_of_subagents(state: Any) -> bool:  # noqa: ANN401  (as replaced)
    """Pause the timer only for the agent's own approval requests."""
    return count_approval_time(state) and not state.turn.has_open_approval


def skip_stop_of_children(supervisor: Any, effect: Any, *context: Any) -> None:  # noqa: ANN401  (as replaced)
    """Leave subagents running."""
    if not isinstance(effect, StopChild):
        ORIGINAL_HANDLE(supervisor, effect, *context)


def record_end_twice(step: Any, *end: Any) -> None:  # noqa: ANN401  (as replaced)
    """Record two ends of one task."""
    ORIGINAL_RECORD_END(step, *end)
    ORIGINAL_RECORD_END(step, *end)


def find_task_of_any_number(table: Any, address: Any, _task_number: int) -> Any:  # noqa: ANN401  (as replaced)
    """Take the end of any turn of a subagent as the end of its task."""
    entry = table.find(address)
    return (entry, entry.task) if entry is not None and entry.task is not None else None


TREE_MUTANTS: dict[str, Mutant] = {
    "second task given to a busy subagent": replace_function(
        subagent_tasks, "_is_busy", always_false
    ),
    "answer to the user taken as the result of a task": replace_function(
        SubagentTable, "find_task", find_task_of_any_number
    ),
    # The forced stop of the subagent would end the task a second later, so it is missing, too.
    "cancelled task not reported if it has not started": replace(
        drop_messages(TaskDropped),
        patches=((subagent_tasks, "_on_task_cancel_timeout", do_nothing),),
    ),
    "subagents stopped before their requests are withdrawn": replace_function(
        Agent, "_carry_out", abort_before_withdraw
    ),
    "subagent deltas sent to the parent": replace_function(
        EventPublisher, "publish_delta", stream_deltas_up
    ),
    "replies not forwarded to subagents": replace_function(
        SubagentSupervisor, "handle", drop_replies
    ),
    "approval time counted": replace_function(cancellation, "_is_working", count_approval_time),
    "approval time of subagents counted": replace_function(
        cancellation, "_is_working", count_approval_time_of_subagents
    ),
    "stop does not reach subagents": replace_function(
        SubagentSupervisor, "handle", skip_stop_of_children
    ),
    "slots never released": drop_messages(ReleaseSlots),
    "slot kept while waiting for subagents": replace_function(
        concurrency_slot, "release_if_idle", do_nothing
    ),
    "no question when subagents use up the tokens": replace_function(
        limit_pause, "check_token_limit", do_nothing
    ),
    "work not resumed after the answer": drop_messages(ResumeWork),
    "two ends for one task": replace_function(subagent_tasks, "_record_end", record_end_twice),
    "requests held by the gate are never sent": replace_function(
        RequestGate, "_set_timer", do_nothing
    ),
    "requests of a crashed subagent not withdrawn": Mutant(
        patches=(
            (subagent_tasks, "_withdraw_requests", do_nothing),
            (SubagentSupervisor, "reset_after_crash", do_nothing),
        )
    ),
}

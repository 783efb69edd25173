"""Faults in how background tasks are run, which the tree simulation must find."""

from dataclasses import replace
from typing import Any

from actors.agents.restore import subagent_records
from actors.agents.turn import call_completion, prompt_context, subagent_tasks
from actors.agents.turn.subagent_table import SubagentTable
from actors.approvals import broker
from tests.simulation.mutant_implementations import always_true, do_nothing
from tests.simulation.mutant_list import Mutant, replace_function

ORIGINAL_WITH_ENDED: Any = vars(subagent_records)["_with_ended"]
ORIGINAL_QUEUE: Any = vars(subagent_tasks)["queue_notification"]


def forget_notification(table: SubagentTable, ended: Any) -> Any:  # noqa: ANN401  (as replaced)
    """Restore no notification that was not delivered."""
    return replace(ORIGINAL_WITH_ENDED(table, ended), notifications=())


def keep_notification(table: SubagentTable, _delivered: Any) -> Any:  # noqa: ANN401  (as replaced)
    """Restore notifications that were delivered."""
    return table


def queue_without_wake(step: Any, ended: Any, **_options: Any) -> None:  # noqa: ANN401  (as replaced)
    """Start no turn for a notification."""
    ORIGINAL_QUEUE(step, ended, wakes=False)


def keep_request(*arguments: Any) -> Any:  # noqa: ANN401  (as replaced)
    """Return the request as it was."""
    return arguments[-1]


def list_interactive(table: SubagentTable) -> Any:  # noqa: ANN401  (as replaced)
    """Treat background tasks as part of the turn."""
    return tuple(entry.address for entry in table.entries.values() if not entry.one_shot)


BACKGROUND_MUTANTS: dict[str, Mutant] = {
    "notification never delivered": Mutant(
        patches=(
            (call_completion, "deliver_notifications", do_nothing),
            (prompt_context, "deliver_notifications", do_nothing),
        )
    ),
    "idle agent not woken by a notification": replace_function(
        subagent_tasks, "queue_notification", queue_without_wake
    ),
    "notification lost on resume": replace_function(
        subagent_records, "_with_ended", forget_notification
    ),
    "notification repeated on resume": replace_function(
        subagent_records, "_without_notification", keep_notification
    ),
    "every background agent may ask": replace_function(broker, "can_ask", always_true),
    "lasting decision from the background": replace_function(broker, "restrict", keep_request),
    "background requests not marked": replace_function(
        subagent_tasks, "mark_background", keep_request
    ),
    "requests of a moved task stay as they are": replace_function(
        broker.ApprovalBroker, "_move_to_background", do_nothing
    ),
    "interrupt withdraws requests of background tasks": replace_function(
        SubagentTable, "list_independent", list_interactive
    ),
    "background task stopped before its requests are withdrawn": replace_function(
        subagent_tasks, "withdraw_under", do_nothing
    ),
}

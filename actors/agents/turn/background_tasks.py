"""Background tasks: they run beside the turns of the agent that started them."""

from actors.agents.turn import subagent_tasks
from actors.agents.turn.effects import WithdrawSubtree
from actors.agents.turn.subagent_table import SubagentEntry
from actors.agents.turn.transition import Transition
from messages.approvals import WithdrawApprovals


def stop_task(step: Transition, name: str) -> None:
    """Stop a background task, if it has not ended; its end arrives and is notified."""
    entry = step.state.subagents.entries.get(name)
    if entry is not None and entry.task is not None and entry.task.is_background:
        _stop(step, entry, entry.task.number)


def _stop(step: Transition, entry: SubagentEntry, task_number: int) -> None:
    """Withdraw before the abort, so that the user is not asked about work that is being stopped."""
    step.emit(WithdrawSubtree(WithdrawApprovals(under=entry.address)))
    subagent_tasks.request_stop(step, entry.address, task_number)

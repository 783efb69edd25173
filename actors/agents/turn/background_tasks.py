"""Background tasks: they run beside the turns of the agent that started them."""

from dataclasses import replace
from typing import assert_never

from actors.agents.turn import subagent_tasks
from actors.agents.turn.call_completion import end_call
from actors.agents.turn.effects import ForwardUp
from actors.agents.turn.subagent_table import AssignedTask
from actors.agents.turn.task_result_text import STOPPED, format_backgrounding
from actors.agents.turn.transition import Transition
from actors.agents.turn.turn_state import CallStage, ToolCall
from messages.address import Address
from messages.subagents import (
    CancelSubagent,
    ContinueSubagent,
    MoveToBackground,
    SubagentBackgrounded,
    SubagentsPaused,
)

BackgroundInput = CancelSubagent | ContinueSubagent | MoveToBackground
"""What the user asks of an agent about its children."""


def handle(step: Transition, message: BackgroundInput) -> None:
    """Handle one message about children."""
    match message:
        case CancelSubagent():
            if not message.wakes_parent:
                _silence(step, message.child)
            _stop(step, message.child)
        case ContinueSubagent():
            _continue(step, message.child)
        case MoveToBackground():
            _move_all(step)
        case _:
            assert_never(message)


def resume(step: Transition, *, has_crashed: bool) -> None:
    """After a resume: pause background tasks, except those that wait for the user's approval.

    After a crash of this agent alone, which stopped its subtree, they have ended.
    """
    paused: list[Address] = []
    for entry in step.state.subagents.list_background():
        if entry.task is None:
            continue
        if has_crashed:
            subagent_tasks.end_task(step, entry, entry.task, "cancelled", STOPPED)
        elif entry.address.name in step.state.subagents.names_to_resume:
            _launch(step, entry.task)
        else:
            paused.append(entry.address)
            entry = replace(entry, is_paused=True)  # noqa: PLW2901
            step.update(subagents=step.state.subagents.with_entry(entry))
    if paused:
        step.publish(SubagentsPaused(agents=tuple(paused)))


def _continue(step: Transition, child: Address) -> None:
    """Continue a paused task where its records end."""
    entry = step.state.subagents.find(child)
    if entry is not None and entry.task is not None and entry.is_paused:
        _launch(step, entry.task)


def _launch(step: Transition, task: AssignedTask) -> None:
    subagent_tasks.launch(step, task.started, task.prompt, has_records=True)


def stop_task(step: Transition, name: str) -> None:
    """Stop a background task, if it has not ended; a notification reports its end."""
    entry = step.state.subagents.entries.get(name)
    if entry is not None and entry.task is not None and entry.task.is_background:
        _stop(step, entry.address)


def stop_all(step: Transition) -> None:
    """Stop every background task, because the agent itself is stopped; none of them wakes it."""
    for entry in step.state.subagents.list_background():
        _silence(step, entry.address)
        _stop(step, entry.address)


def _silence(step: Transition, child: Address) -> None:
    """Let the notification of a child's task wait for the next request of this agent."""
    entry = step.state.subagents.find(child)
    if entry is not None and entry.task is not None:
        entry = replace(entry, task=replace(entry.task, wakes_parent=False))
        step.update(subagents=step.state.subagents.with_entry(entry))


def _move_all(step: Transition) -> None:
    """Move the task of every running call to the background, unless the turn is being stopped."""
    if step.state.turn.is_stopping:
        return
    for call in step.state.turn.calls:
        if call.stage is CallStage.RUNNING and call.subagent_started is not None:
            _move(step, call, call.subagent_started.child)


def _move(step: Transition, call: ToolCall, child: Address) -> None:
    """Move one task; requests of its subtree go up again, marked as from the background."""
    table = step.state.subagents.with_backgrounded(child)
    entry = table.find(child)
    if entry is None or entry.task is None:
        return
    step.update(subagents=table)
    moved = SubagentBackgrounded(child=child, task_number=entry.task.number)
    step.write(moved)
    step.publish(moved)
    for request in table.open_requests.values():
        if request.agent.is_under(child):
            marked = subagent_tasks.mark_background(step.state, request)
            step.update(subagents=step.state.subagents.with_request(marked))
            step.emit(ForwardUp(marked))
    end_call(step, call, "ok", format_backgrounding(child.name))


def _stop(step: Transition, child: Address) -> None:
    """Stop a child with its subtree, after withdrawing what it asks the user."""
    entry = step.state.subagents.find(child)
    if entry is None:
        return
    if entry.is_paused and entry.task is not None:
        subagent_tasks.end_task(step, entry, entry.task, "cancelled", STOPPED)
        return
    subagent_tasks.withdraw_under(step, child)
    task_number = entry.task.number if entry.task else 0
    subagent_tasks.request_stop(step, child, task_number, with_everything=True)

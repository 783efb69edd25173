"""Notifications about background tasks: each becomes part of the conversation exactly once.

A notification waits in the subagent table, and in the record of the task's end, until the record of
its delivery is written. That happens right before a request that contains it: with the results of
the last calls, or at the start of a turn, which an idle agent starts itself.
"""

from dataclasses import replace

from actors.agents.turn.transition import Transition
from messages.subagents import NotificationDelivered, SubagentEnded


def queue_notification(step: Transition, ended: SubagentEnded, *, wakes: bool) -> None:
    """Queue the notification of a task's end; with `wakes`, an idle agent starts a turn for it."""
    table = step.state.subagents
    notifications = (*table.notifications, ended)
    table = replace(table, notifications=notifications, must_wake=table.must_wake or wakes)
    step.update(subagents=table)


def deliver_notifications(step: Transition) -> None:
    """Add all queued notifications to the conversation; the next request contains them."""
    table = step.state.subagents
    if not table.notifications:
        return
    for ended in table.notifications:
        delivered = NotificationDelivered(
            child=ended.child, task_number=ended.task_number, text=ended.notification
        )
        step.write(delivered)
        step.publish(delivered)
    step.update(subagents=replace(table, notifications=(), must_wake=False))

"""Starts and stops an agent's subagents and forwards messages to them."""

from typing import Any

from actors.agents.effect_handlers.collaborators import Collaborators, SubagentFactory
from actors.agents.turn.effects import (
    AskForSlot,
    AskForSpawn,
    BroadcastToChildren,
    ChildEffect,
    ExtendSpawnBudget,
    Finish,
    ForceStopChild,
    ForwardDown,
    ForwardUp,
    RejectPrompt,
    RejectTurnNumber,
    ReportDroppedTask,
    ReturnSlot,
    StartChild,
    StopChild,
    WithdrawSubtree,
)
from actors.agents.turn.self_messages import TaskCancelTimeout
from actors.agents.turn.subagent_table import SubagentEntry, SubagentTable
from actors.runtime.actor import STOP_TIMEOUT_S, Actor
from actors.runtime.children import CHILD_DEADLINE_SHARE
from actors.runtime.supervision import Restart
from messages.address import ROOT, Address
from messages.approvals import ApprovalDecided, ApprovalUnavailable, WithdrawApprovals
from messages.permissions import RegisterAgent
from messages.policy import PermissionMode, PermissionProfile
from messages.subagents import (
    AcquireSlot,
    AncestorBudgetExhausted,
    AssignTask,
    CancelTask,
    ExtendSpawns,
    PauseWork,
    PromptRejected,
    ReleaseSlots,
    RequestSpawn,
    TaskDropped,
)
from messages.turns import TurnNumberTaken

FORCE_STOP_SHARE = 0.25
"""Share of the time to stop that is reserved for a forced stop."""
SUBAGENT_RESTART = Restart(limit=3, window_s=30.0)


class SubagentSupervisor:
    """Executes a turn's effects on subagents for one agent."""

    def __init__(
        self, actor: Actor[Any], collaborators: Collaborators, subagent_factory: SubagentFactory
    ) -> None:
        """Supervise the subagents of `actor`; it starts without any."""
        self._actor = actor
        self._collaborators = collaborators
        self._subagent_factory = subagent_factory
        self._last_tasks: dict[Address, tuple[AssignTask | CancelTask, ...]] = {}
        """Each child's last task and its cancellation: resent to a child that restarts."""

    def reset_after_crash(self) -> None:
        """After a crash, which stopped the subtree: withdraw its requests and release its slots."""
        address = self._actor.address
        self._actor.tell(self._collaborators.approvals, WithdrawApprovals(under=address))
        self._actor.tell(ROOT, ReleaseSlots(under=address))

    def on_peer_restarted(
        self,
        peer: Address,
        subagents: SubagentTable,
        limit: AncestorBudgetExhausted | PauseWork | None,
    ) -> None:
        """Resend what a restarted peer may have lost; `limit` concerns all children."""
        if peer == self._collaborators.approvals:
            for request in subagents.open_requests.values():
                self._actor.tell(peer, request)
        if peer == self._collaborators.permissions:
            for child in list_alive_subagents(subagents):
                self._register(child.address, child.agent, child.max_mode)
        for message in self._last_tasks.get(peer, ()):
            if subagents.find_task(peer, message.task_number):
                self._actor.tell(peer, message)
        if limit is not None and subagents.find(peer):
            self._actor.tell(peer, limit)

    def handle(
        self, effect: ChildEffect, subagents: SubagentTable, chain: tuple[PermissionProfile, ...]
    ) -> None:
        """Execute an effect on subagents, slots or the agent itself.

        `chain` is the agent's profile, then its ancestors'.
        """
        tell = self._actor.tell
        match effect:
            case StartChild():
                self._start(effect, chain)
            case StopChild():
                cancellation = CancelTask(
                    task_number=effect.task_number, with_everything=effect.with_everything
                )
                self._last_tasks[effect.child] = (
                    *self._last_tasks.get(effect.child, ()),
                    cancellation,
                )
                tell(effect.child, cancellation)
                timeout = TaskCancelTimeout(child=effect.child, task_number=effect.task_number)
                self._actor.schedule((1 - FORCE_STOP_SHARE) * self._stop_timeout_s, timeout)
            case ForceStopChild():
                self._actor.stop(effect.child, FORCE_STOP_SHARE * self._stop_timeout_s)
            case ForwardUp():
                tell(self._collaborators.approvals, effect.request)
            case ForwardDown():
                self._forward_down(effect.outcome)
            case WithdrawSubtree():
                tell(self._collaborators.approvals, effect.withdrawal)
            case BroadcastToChildren():
                for child in list_alive_subagents(subagents):
                    tell(child.address, effect.message)
            case _:
                self._handle_own(effect)

    def _handle_own(
        self,
        effect: AskForSpawn
        | ExtendSpawnBudget
        | AskForSlot
        | ReturnSlot
        | ReportDroppedTask
        | RejectTurnNumber
        | RejectPrompt
        | Finish,
    ) -> None:
        actor = self._actor
        match effect:
            case AskForSpawn():
                task = effect.task
                request = RequestSpawn(
                    call_id=effect.call_id, agent_type=task.agent_type, task_id=task.task_id
                )
                actor.tell(ROOT, request)
            case ExtendSpawnBudget():
                actor.tell(ROOT, ExtendSpawns(limit=effect.reached_limit))
            case AskForSlot():
                actor.tell(ROOT, AcquireSlot())
            case ReturnSlot():
                under = effect.under or actor.address
                actor.tell(ROOT, ReleaseSlots(under=under, self_only=effect.under is None))
                self._last_tasks.pop(under, None)
            case ReportDroppedTask():
                dropped = TaskDropped(child=actor.address, task_number=effect.task_number)
                actor.tell(self._collaborators.events_to, dropped)
            case RejectTurnNumber():
                taken = TurnNumberTaken(prompt=effect.prompt, next_turn=effect.next_turn)
                actor.tell(actor.sender, taken)
            case RejectPrompt():
                actor.tell(actor.sender, PromptRejected(agent=actor.address, reason="one_shot"))
            case Finish():
                actor.finish()

    def _start(self, effect: StartChild, chain: tuple[PermissionProfile, ...]) -> None:
        started = effect.started
        task = AssignTask(
            task_number=started.task_number, prompt=effect.prompt, tokens_left=effect.tokens_left
        )
        self._last_tasks[started.child] = (task,)
        if effect.is_alive:
            self._actor.tell(started.child, task)
            return
        self._register(started.child, started.agent_type, started.max_mode)
        has_records = effect.has_records
        make_factory = self._subagent_factory.make_factory
        factory = make_factory(started, task, chain, has_records=has_records)
        self._actor.watch(started.child)
        self._actor.start(factory, started.child.name, SUBAGENT_RESTART)

    def _register(self, child: Address, agent: str, max_mode: PermissionMode) -> None:
        profile = self._subagent_factory.get_profile(agent, max_mode)
        register = RegisterAgent(agent=child, profile=profile)
        self._actor.tell(self._collaborators.permissions, register)

    def _forward_down(self, outcome: ApprovalDecided | ApprovalUnavailable) -> None:
        """Send an outcome to the child whose subtree contains the agent that asked."""
        child = outcome.agent
        while child.parent != self._actor.address:
            child = child.parent
        self._actor.tell(child, outcome)

    @property
    def _stop_timeout_s(self) -> float:
        """Time to stop a child; shorter for deeper agents, so that their deadlines pass first."""
        return STOP_TIMEOUT_S * float(CHILD_DEADLINE_SHARE ** len(self._actor.address.segments))


def list_alive_subagents(subagents: SubagentTable) -> list[SubagentEntry]:
    """Return the subagents that have not ended."""
    return [child for child in subagents.entries.values() if child.is_alive]

"""An agent's dealings with those below it: starting, stopping, and what is handed on."""

from typing import Any

from actors.agents.effect_handlers.collaborators import Collaborators, SubagentFactory
from actors.agents.turn.effects import (
    AskForSlot,
    AskForSpawn,
    BroadcastToChildren,
    ChildEffect,
    Finish,
    ForceStopChild,
    ForwardDown,
    ForwardUp,
    RejectPrompt,
    ReturnSlot,
    StartChild,
    StopChild,
    WithdrawSubtree,
)
from actors.agents.turn.self_messages import TaskCancelTimeout
from actors.agents.turn.subagent_table import Family, SubagentEntry
from actors.runtime.actor import STOP_TIMEOUT_S, Actor
from actors.runtime.children import CHILD_DEADLINE_SHARE
from actors.runtime.supervision import Restart
from messages.address import ROOT, Address
from messages.approvals import ApprovalDecided, ApprovalUnavailable, WithdrawApprovals
from messages.permissions import RegisterAgent
from messages.policy import PermissionMode
from messages.subagents import (
    AcquireSlot,
    AssignTask,
    CancelTask,
    PromptRejected,
    ReleaseSlots,
    RequestSpawn,
)

FORCE_STOP_SHARE = 0.25
"""Of the time for a stop, this part is left for the end by force."""
SUBAGENT_RESTART = Restart(limit=3, window_s=30.0)


class SubagentSupervisor:
    """Speaks and acts for one agent; what it does, its turn has decided."""

    def __init__(
        self, actor: Actor[Any], collaborators: Collaborators, subagent_factory: SubagentFactory
    ) -> None:
        """Begin without anybody below."""
        self._actor = actor
        self._posts = collaborators
        self._nursery = subagent_factory
        self._errands: dict[Address, AssignTask] = {}
        """What each child was told last: one that crashes may have to be told again."""

    def reset_after_crash(self) -> None:
        """After a crash: those below were stopped with it, and so is what they asked and held."""
        address = self._actor.address
        self._actor.tell(self._posts.approvals, WithdrawApprovals(under=address))
        self._actor.tell(ROOT, ReleaseSlots(under=address))

    def on_peer_restarted(self, peer: Address, subagents: Family) -> None:
        """Say again what a restarted neighbour may not know."""
        if peer == self._posts.approvals:
            for question in subagents.open_requests.values():
                self._actor.tell(peer, question)
        if peer == self._posts.permissions:
            for child in list_alive_subagents(subagents):
                self._register(child.address, child.agent, child.max_mode)
        if peer in self._errands:
            self._actor.tell(peer, self._errands[peer])

    def handle(self, effect: ChildEffect, subagents: Family) -> None:
        """Carry out what the turn wants."""
        tell = self._actor.tell
        match effect:
            case StartChild():
                self._start(effect)
            case StopChild():
                tell(effect.child, CancelTask())
                overdue = TaskCancelTimeout(child=effect.child, task_number=effect.task_number)
                self._actor.schedule((1 - FORCE_STOP_SHARE) * self._stop_s, overdue)
            case ForceStopChild():
                self._actor.stop(effect.child, FORCE_STOP_SHARE * self._stop_s)
            case ForwardUp():
                tell(self._posts.approvals, effect.request)
            case ForwardDown():
                self._pass_down(effect.outcome)
            case WithdrawSubtree():
                tell(self._posts.approvals, WithdrawApprovals(under=effect.under))
            case BroadcastToChildren():
                for child in list_alive_subagents(subagents):
                    tell(child.address, effect.message)
            case _:
                self._do_own(effect)

    def _do_own(
        self, effect: AskForSpawn | AskForSlot | ReturnSlot | RejectPrompt | Finish
    ) -> None:
        actor = self._actor
        match effect:
            case AskForSpawn():
                task = effect.task
                asked = RequestSpawn(
                    call_id=effect.call_id, agent_type=task.agent_type, task_id=task.task_id
                )
                actor.tell(ROOT, asked)
            case AskForSlot():
                actor.tell(ROOT, AcquireSlot())
            case ReturnSlot():
                alone, under = effect.under is None, effect.under or actor.address
                actor.tell(ROOT, ReleaseSlots(under=under, self_only=alone))
                self._errands.pop(under, None)
            case RejectPrompt():
                actor.tell(actor.sender, PromptRejected(agent=actor.address, reason="one_shot"))
            case Finish():
                actor.finish()

    def _start(self, effect: StartChild) -> None:
        started = effect.started
        errand = AssignTask(task_number=started.task_number, prompt=effect.prompt)
        self._errands[started.child] = errand
        if effect.is_alive:
            self._actor.tell(started.child, errand)
            return
        self._register(started.child, started.agent_type, started.max_mode)
        make = self._nursery.make_factory(started, errand, has_records=effect.has_records)
        self._actor.watch(started.child)
        self._actor.start(make, started.child.name, SUBAGENT_RESTART)

    def _register(self, child: Address, agent: str, ceiling: PermissionMode) -> None:
        profile = self._nursery.get_profile(agent, ceiling)
        self._actor.tell(self._posts.permissions, RegisterAgent(agent=child, profile=profile))

    def _pass_down(self, answer: ApprovalDecided | ApprovalUnavailable) -> None:
        """Hand an answer to the child that who asked is, or is below."""
        towards = answer.agent
        while towards.parent != self._actor.address:
            towards = towards.parent
        self._actor.tell(towards, answer)

    @property
    def _stop_s(self) -> float:
        """Deeper agents have less time, so that the deepest deadline passes first."""
        return STOP_TIMEOUT_S * float(CHILD_DEADLINE_SHARE ** len(self._actor.address.segments))


def list_alive_subagents(subagents: Family) -> list[SubagentEntry]:
    """List those that are not known to have ended."""
    return [child for child in subagents.entries.values() if child.is_alive]

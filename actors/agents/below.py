"""An agent's dealings with those below it: starting, stopping, and what is handed on."""

from typing import Any

from actors.agents.effects import (
    AskForSlot,
    AskToSpawn,
    ChildEffect,
    Finish,
    ForceStopChild,
    ForwardDown,
    ForwardUp,
    RejectPrompt,
    ReturnSlot,
    StartChild,
    StopChild,
    TellChildren,
    WithdrawSubtree,
)
from actors.agents.family import Family, SubagentEntry
from actors.agents.neighbours import Collaborators, Nursery
from actors.runtime.actor import STOP_S, Actor
from actors.runtime.children import CHILD_SHARE
from actors.runtime.supervision import Restart
from messages.address import ROOT, Address
from messages.approvals import ApprovalDecided, ApprovalUnavailable, WithdrawApprovals
from messages.permissions import RegisterAgent
from messages.rules import PermissionMode
from messages.subagents import (
    AcquireSlot,
    AssignTask,
    CancelTask,
    PromptRejected,
    ReleaseSlots,
    RequestSpawn,
    TaskCancelTimeout,
)

FORCE_SHARE = 0.25
"""Of the time for a stop, this part is left for the end by force."""
RESTART = Restart(limit=3, window_s=30.0)


class SubagentSupervisor:
    """Speaks and acts for one agent; what it does, its turn has decided."""

    def __init__(self, actor: Actor[Any], posts: Collaborators, nursery: Nursery) -> None:
        """Begin without anybody below."""
        self._actor = actor
        self._posts = posts
        self._nursery = nursery
        self._errands: dict[Address, AssignTask] = {}
        """What each child was told last: one that crashes may have to be told again."""

    def begin_again(self) -> None:
        """After a crash: those below were stopped with it, and so is what they asked and held."""
        address = self._actor.address
        self._actor.tell(self._posts.approvals, WithdrawApprovals(under=address))
        self._actor.tell(ROOT, ReleaseSlots(under=address))

    def peer_restarted(self, peer: Address, family: Family) -> None:
        """Say again what a restarted neighbour may not know."""
        if peer == self._posts.approvals:
            for question in family.open.values():
                self._actor.tell(peer, question)
        if peer == self._posts.engine:
            for child in living(family):
                self._register(child.address, child.agent, child.max_mode)
        if peer in self._errands:
            self._actor.tell(peer, self._errands[peer])

    def do(self, effect: ChildEffect, family: Family) -> None:
        """Carry out what the turn wants."""
        tell = self._actor.tell
        match effect:
            case StartChild():
                self._start(effect)
            case StopChild():
                tell(effect.child, CancelTask())
                overdue = TaskCancelTimeout(child=effect.child, task_number=effect.task_number)
                self._actor.after((1 - FORCE_SHARE) * self._stop_s, overdue)
            case ForceStopChild():
                self._actor.stop(effect.child, FORCE_SHARE * self._stop_s)
            case ForwardUp():
                tell(self._posts.approvals, effect.question)
            case ForwardDown():
                self._pass_down(effect.answer)
            case WithdrawSubtree():
                tell(self._posts.approvals, WithdrawApprovals(under=effect.under))
            case TellChildren():
                for child in living(family):
                    tell(child.address, effect.message)
            case _:
                self._do_own(effect)

    def _do_own(self, effect: AskToSpawn | AskForSlot | ReturnSlot | RejectPrompt | Finish) -> None:
        actor = self._actor
        match effect:
            case AskToSpawn():
                task = effect.task
                asked = RequestSpawn(call_id=effect.call_id, agent=task.agent, task_id=task.task_id)
                actor.tell(ROOT, asked)
            case AskForSlot():
                actor.tell(ROOT, AcquireSlot())
            case ReturnSlot():
                alone, under = effect.under is None, effect.under or actor.address
                actor.tell(ROOT, ReleaseSlots(under=under, alone=alone))
                self._errands.pop(under, None)
            case RejectPrompt():
                actor.tell(actor.sender, PromptRejected(agent=actor.address, reason="one_shot"))
            case Finish():
                actor.finish()

    def _start(self, effect: StartChild) -> None:
        started = effect.started
        errand = AssignTask(task_number=started.task_number, prompt=effect.prompt)
        self._errands[started.child] = errand
        if effect.lives:
            self._actor.tell(started.child, errand)
            return
        self._register(started.child, started.agent, started.max_mode)
        make = self._nursery.make(started, errand, on_disk=effect.on_disk)
        self._actor.watch(started.child)
        self._actor.start(make, started.child.name, RESTART)

    def _register(self, child: Address, agent: str, ceiling: PermissionMode) -> None:
        profile = self._nursery.profile(agent, ceiling)
        self._actor.tell(self._posts.engine, RegisterAgent(agent=child, profile=profile))

    def _pass_down(self, answer: ApprovalDecided | ApprovalUnavailable) -> None:
        """Hand an answer to the child that who asked is, or is below."""
        towards = answer.agent
        while towards.parent != self._actor.address:
            towards = towards.parent
        self._actor.tell(towards, answer)

    @property
    def _stop_s(self) -> float:
        """Deeper agents have less time, so that the deepest deadline passes first."""
        return STOP_S * float(CHILD_SHARE ** len(self._actor.address.names))


def living(family: Family) -> list[SubagentEntry]:
    """List those that are not known to have ended."""
    return [child for child in family.children.values() if child.living]

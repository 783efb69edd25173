"""An agent's dealings with those below it: starting, stopping, and what is handed on."""

from typing import Any

from actors.agents.effects import (
    AskPlace,
    AskToSpawn,
    ChildEffect,
    Finish,
    ForceChild,
    LeavePlace,
    PassDown,
    PassUp,
    Refuse,
    StartChild,
    StopChild,
    TellChildren,
    WithdrawUnder,
)
from actors.agents.family import Child, Family
from actors.agents.neighbours import Nursery, Posts
from actors.runtime.actor import STOP_S, Actor
from actors.runtime.children import CHILD_SHARE
from actors.runtime.supervision import Restart
from messages.address import ROOT, Address
from messages.approvals import ApprovalAnswered, ApprovalRefused, ApprovalsWithdrawn
from messages.permissions import RegisterAgent
from messages.rules import PermissionMode
from messages.subagents import (
    CancelErrand,
    Errand,
    ErrandOverdue,
    LeavePlaces,
    MaySpawn,
    PromptRefused,
    TakePlace,
)

FORCE_SHARE = 0.25
"""Of the time for a stop, this part is left for the end by force."""
RESTART = Restart(limit=3, window_s=30.0)


class Below:
    """Speaks and acts for one agent; what it does, its turn has decided."""

    def __init__(self, actor: Actor[Any], posts: Posts, nursery: Nursery) -> None:
        """Begin without anybody below."""
        self._actor = actor
        self._posts = posts
        self._nursery = nursery
        self._errands: dict[Address, Errand] = {}
        """What each child was told last: one that crashes may have to be told again."""

    def begin_again(self) -> None:
        """After a crash: those below were stopped with it, and so is what they asked and held."""
        address = self._actor.address
        self._actor.tell(self._posts.approvals, ApprovalsWithdrawn(under=address))
        self._actor.tell(ROOT, LeavePlaces(under=address))

    def peer_restarted(self, peer: Address, family: Family) -> None:
        """Say again what a restarted neighbour may not know."""
        if peer == self._posts.approvals:
            for question in family.open.values():
                self._actor.tell(peer, question)
        if peer == self._posts.engine:
            for child in living(family):
                self._register(child.address, child.agent, child.ceiling)
        if peer in self._errands:
            self._actor.tell(peer, self._errands[peer])

    def do(self, effect: ChildEffect, family: Family) -> None:
        """Carry out what the turn wants."""
        tell = self._actor.tell
        match effect:
            case StartChild():
                self._start(effect)
            case StopChild():
                tell(effect.child, CancelErrand())
                overdue = ErrandOverdue(child=effect.child, start=effect.start)
                self._actor.after((1 - FORCE_SHARE) * self._stop_s, overdue)
            case ForceChild():
                self._actor.stop(effect.child, FORCE_SHARE * self._stop_s)
            case PassUp():
                tell(self._posts.approvals, effect.question)
            case PassDown():
                self._pass_down(effect.answer)
            case WithdrawUnder():
                tell(self._posts.approvals, ApprovalsWithdrawn(under=effect.under))
            case TellChildren():
                for child in living(family):
                    tell(child.address, effect.message)
            case _:
                self._do_own(effect)

    def _do_own(self, effect: AskToSpawn | AskPlace | LeavePlace | Refuse | Finish) -> None:
        actor = self._actor
        match effect:
            case AskToSpawn():
                task = effect.task
                asked = MaySpawn(call_id=effect.call_id, agent=task.agent, task_id=task.task_id)
                actor.tell(ROOT, asked)
            case AskPlace():
                actor.tell(ROOT, TakePlace())
            case LeavePlace():
                alone, under = effect.under is None, effect.under or actor.address
                actor.tell(ROOT, LeavePlaces(under=under, alone=alone))
                self._errands.pop(under, None)
            case Refuse():
                actor.tell(actor.sender, PromptRefused(agent=actor.address, reason="one_shot"))
            case Finish():
                actor.finish()

    def _start(self, effect: StartChild) -> None:
        started = effect.started
        errand = Errand(start=started.start, prompt=effect.prompt)
        self._errands[started.child] = errand
        if effect.lives:
            self._actor.tell(started.child, errand)
            return
        self._register(started.child, started.agent, started.ceiling)
        make = self._nursery.make(started, errand, on_disk=effect.on_disk)
        self._actor.watch(started.child)
        self._actor.start(make, started.child.name, RESTART)

    def _register(self, child: Address, agent: str, ceiling: PermissionMode) -> None:
        profile = self._nursery.profile(agent, ceiling)
        self._actor.tell(self._posts.engine, RegisterAgent(agent=child, profile=profile))

    def _pass_down(self, answer: ApprovalAnswered | ApprovalRefused) -> None:
        """Hand an answer to the child that who asked is, or is below."""
        towards = answer.agent
        while towards.parent != self._actor.address:
            towards = towards.parent
        self._actor.tell(towards, answer)

    @property
    def _stop_s(self) -> float:
        """Deeper agents have less time, so that the deepest deadline passes first."""
        return STOP_S * float(CHILD_SHARE ** len(self._actor.address.names))


def living(family: Family) -> list[Child]:
    """List those that are not known to have ended."""
    return [child for child in family.children.values() if child.living]

"""What a host process may send. Everything else ends it.

A host runs commands and reads files, so what runs in it may be someone else's. It may send only a
closed list of message types, each only to the actor that it is for, and only about its own agent
and that agent's descendants.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

from actors.agents.effect_handlers.model_prefixes import get_prefix_id
from actors.sessions.record_authors import find_author_problem
from messages.address import CONSOLE, JOURNAL, PERMISSIONS, ROOT, Address
from messages.approvals import (
    ApprovalDecided,
    ApprovalWithdrawn,
    ExecApprovalRequest,
    PatchApprovalRequest,
    QuestionRequest,
    WithdrawApprovals,
)
from messages.base import Message
from messages.compaction import ContextUsage
from messages.envelope import Envelope
from messages.journal import Append, ReadRecords, RequestPrefix
from messages.permissions import EvaluatePermission, GetPolicy, RegisterAgent
from messages.policy import PermissionMode, PermissionProfile
from messages.subagents import (
    AcquireSlot,
    ExtendSpawns,
    PromptRejected,
    ReleaseSlots,
    RequestSpawn,
    TaskDropped,
)
from messages.supervision import Undelivered
from messages.turns import Delta, SessionConfigured, TurnNumberTaken, UpwardEvent

_STREAM = SessionConfigured | Delta
_ANSWERS = PromptRejected | TurnNumberTaken | ContextUsage


@dataclass(slots=True)
class HostPolicy:
    """What one host may send."""

    host: Address
    """The address of its agent."""
    get_profile: Callable[[str, PermissionMode], PermissionProfile]
    """Returns the profile of an agent type, as for its parent."""
    _continue_answers: dict[str, str] = field(default_factory=dict[str, str])
    """The answer that allows more subagents, by the id of the question."""
    _extension_count: int = 0
    """How often the user has allowed more subagents, and the host has not asked for them yet."""

    def find_problem(self, envelope: Envelope) -> str:
        """Return why the host may not send this; empty if it may."""
        if not self._is_inside(envelope.sender):
            return f"it sent a message as {envelope.sender}"
        if self._is_allowed(envelope.to, envelope.sender, envelope.message):
            return ""
        if self._is_allowed_extension(envelope):
            self._extension_count -= 1
            return ""
        name = type(envelope.message).__name__
        return f"it may not send this {name} to {envelope.to}"

    def on_passed_down(self, message: Message) -> None:
        """Note what a message to the host allows it to send."""
        if isinstance(message, ApprovalDecided):
            answer = self._continue_answers.pop(message.id, "")
            self._extension_count += bool(answer) and message.answers == (answer,)

    def _is_allowed_extension(self, envelope: Envelope) -> bool:
        is_request = envelope.to == ROOT and isinstance(envelope.message, ExtendSpawns)
        return is_request and self._extension_count > 0

    def _is_inside(self, address: Address) -> bool:
        return address.is_under(self.host)

    def _is_allowed(self, to: Address, sender: Address, message: Message) -> bool:
        if to == JOURNAL:
            return self._may_tell_journal(sender, message)
        if to == PERMISSIONS:
            return self._may_tell_engine(message)
        if to == ROOT:
            is_own = isinstance(message, ReleaseSlots) and self._is_inside(message.under)
            return is_own or isinstance(message, AcquireSlot | RequestSpawn)
        if to == CONSOLE:
            return isinstance(message, _STREAM | _ANSWERS)
        if isinstance(message, Undelivered):
            return self._is_inside(message.to)
        return to == self.host.parent and self._may_tell_parent(message)

    def _may_tell_journal(self, sender: Address, message: Message) -> bool:
        if isinstance(message, Append):
            return not find_append_problem(message, sender)
        agent = message.agent if isinstance(message, ReadRecords) else None
        return agent is not None and self._is_inside(agent)

    def _may_tell_engine(self, message: Message) -> bool:
        match message:
            case EvaluatePermission():
                return self._is_inside(message.agent)
            case RegisterAgent():
                return self._may_register(message)
            case _:
                return isinstance(message, GetPolicy)

    def _may_tell_parent(self, message: Message) -> bool:
        match message:
            case ApprovalWithdrawn():
                return self._is_inside(_get_requester(message.id))
            case WithdrawApprovals():
                return self._is_inside(message.under)
            case TaskDropped():
                return message.child == self.host
            case ExecApprovalRequest() | PatchApprovalRequest() | QuestionRequest():
                if isinstance(message, QuestionRequest) and message.limit == "spawn_budget":
                    choices = [choice.label for q in message.questions for choice in q.choices]
                    self._continue_answers[message.id] = choices[0] if choices else ""
                is_inside = self._is_inside(message.agent)
                return is_inside and _get_requester(message.id) == message.agent
            case _:
                return isinstance(message, UpwardEvent | _ANSWERS)

    def _may_register(self, message: RegisterAgent) -> bool:
        """Whether the profile is exactly that of a definition, in no looser mode."""
        profile = message.profile
        is_descendant = message.agent != self.host and self._is_inside(message.agent)
        return is_descendant and profile == self.get_profile(profile.agent, profile.max_mode)


def find_append_problem(append: Append, author: Address) -> str:
    """Return why these records may not be written; empty if they may.

    The file keeps a prefix only once for all agents, so a forged one would be sent by others.
    """
    for record in append.records:
        if problem := find_author_problem(record, author):
            return problem
        if isinstance(record, RequestPrefix) and (
            record.id != get_prefix_id(record.model, record.system, record.tools)
        ):
            return "the id of a request prefix is wrong"
    return ""


def _get_requester(request_id: str) -> Address:
    """Return the agent that an approval's id names, or the root, which is never inside a host."""
    try:
        return Address(request_id.partition("#")[0])
    except ValueError:
        return ROOT

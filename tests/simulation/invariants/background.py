"""Invariants of background tasks: who may ask, what may be decided, and one notification each."""

from collections import Counter
from collections.abc import Iterable

from messages.address import APPROVALS, CONSOLE, PERMISSIONS, PRIMARY, Address
from messages.approvals import AnyApprovalRequest, ApprovalDecided, ShowApproval
from messages.base import Message
from messages.journal import SessionOpened
from messages.permissions import StoreGrant
from messages.serialization import JournalLine
from messages.subagents import (
    NotificationDelivered,
    SubagentBackgrounded,
    SubagentEnded,
    SubagentStarted,
)
from messages.turns import TurnStarted
from tests.simulation.invariants.violations import Violations

BUBBLING_NAME = "bubbler"
"""Name of the definition whose requests are shown to the user."""


class BackgroundInvariants:
    """Follows the background tasks of a tree by the events of their parents."""

    def __init__(self, violations: Violations) -> None:
        self._violations = violations
        self._background: set[Address] = set()
        """Agents whose current task runs in the background."""
        self._background_requests: set[str] = set()
        """Requests that were in the background when they reached the broker."""
        self.moved_count = 0
        """Tasks that the user moved to the background."""

    def start_run(self) -> None:
        """Start a run of the program."""
        self._background.clear()
        self._background_requests.clear()

    def pauses(self, ancestor: Address, agent: Address) -> bool:
        """Return whether `ancestor` waits for `agent`, so that its timer pauses."""
        return not any(
            agent.is_under(child) and child.is_under(ancestor) and child != ancestor
            for child in self._background
        )

    def on_own_event(self, message: Message) -> None:
        """Observe an event of the agent that it is about."""
        match message:
            case SubagentStarted():
                change = self._background.add if message.is_background else self._background.discard
                change(message.child)
            case SubagentBackgrounded():
                self._background.add(message.child)
                self.moved_count += 1
            case SubagentEnded():
                self._background.discard(message.child)
            case _:
                pass

    def on_send(self, to: Address, message: Message) -> None:
        """Check what reaches the broker, the screen and the permission engine."""
        match message:
            case _ if isinstance(message, AnyApprovalRequest) and to == APPROVALS:
                is_background = any(message.agent.is_under(child) for child in self._background)
                self._violations.require(
                    message.is_background or not is_background, f"{message.id} is not marked"
                )
                if message.is_background:
                    self._background_requests.add(message.id)
            case ShowApproval() if to == CONSOLE:
                self._check_shown(message.request)
            case ApprovalDecided():
                is_lasting = message.decision in ("session", "project")
                is_background = message.id in self._background_requests
                self._violations.require(
                    not (is_lasting and is_background), f"{message.id} got {message.decision}"
                )
            case StoreGrant() if to == PERMISSIONS:
                self._violations.require(
                    message.id not in self._background_requests, f"{message.id} stores a grant"
                )
            case _:
                pass

    def _check_shown(self, request: AnyApprovalRequest) -> None:
        if not request.is_background:
            return
        bubbles = any(name.startswith(BUBBLING_NAME) for name in request.agent.segments)
        self._violations.require(bubbles, f"{request.agent} asks from the background")
        decisions = request.available_decisions
        self._violations.require(
            decisions == ("once", "no"), f"{request.id} offers {', '.join(decisions)}"
        )

    def check_records(self, lines: Iterable[JournalLine], *, is_idle: bool) -> None:
        """Check that each notification is delivered once, and that none is left when idle.

        One that an earlier run left behind may wait for the user's next prompt.
        """
        queued: Counter[tuple[Address, int]] = Counter()
        delivered: Counter[tuple[Address, int]] = Counter()
        due: Counter[tuple[Address, int]] = Counter()
        for line in lines:
            record = line.message
            match record:
                case SessionOpened():
                    due = Counter()
                case TurnStarted() if line.recorded_by == PRIMARY:
                    due = queued - delivered
                case SubagentEnded() if record.notification:
                    queued[record.child, record.task_number] += 1
                    due[record.child, record.task_number] += 1
                case NotificationDelivered():
                    delivered[record.child, record.task_number] += 1
                case _:
                    pass
        twice = [task for task, count in (queued | delivered).items() if count > 1]
        self._violations.require(not twice, f"notified twice: {twice}")
        self._violations.require(delivered <= queued, "a notification without an end")
        if is_idle:
            missing = [task for task in due - delivered if task[0].parent == PRIMARY]
            self._violations.require(not missing, f"never notified: {missing}")

"""The account of what a person decided (modes, grants, revocations), and of the verdicts."""

from collections.abc import Callable

from pydantic_core import from_json

from actors.permissions.mode_order import find_strictest_mode, is_stricter
from actors.permissions.rules import is_match
from messages.address import APPROVALS, PERMISSIONS, PRIMARY, Address
from messages.approvals import AnyApprovalRequest, SubmitDecision
from messages.base import Message
from messages.journal import Record
from messages.permissions import (
    ChangeMode,
    ChangeModeFailed,
    EvaluatePermission,
    GrantRevoked,
    GrantStored,
    ModeChanged,
    PermissionDecision,
    RevokeGrant,
    SessionSettings,
    StoreGrant,
    StoreGrantFailed,
)
from messages.policy import GrantScope, PermissionMode, PermissionRequest, Rule
from messages.turns import AgentSwitched, SessionConfigured
from tests.simulation.invariants.project_grants import ProjectGrantInvariants
from tests.simulation.violations import Violations

ASK_TO_READ_PATH = ".env"
MAX_STALE_S = 1.0
"""So long after a change a question that it lifts may still be on the screen."""
PROTECTED_PATH = ".git/config"
ScopedGrant = tuple[GrantScope, Rule]


class PermissionInvariants:
    """Follows each change from the person to the disk, and holds every verdict against it."""

    def __init__(self, ledger: Violations, mode: PermissionMode, now: Callable[[], float]) -> None:
        self._ledger = ledger
        self._now = now
        self._changed_s = 0.0
        self._begun: PermissionMode = mode
        self._disk = SessionSettings(mode=mode)
        self._project: tuple[Rule, ...] = ()
        self._pledges = ProjectGrantInvariants(ledger)
        self._answered: set[ScopedGrant] = set()
        self._asked_modes: set[PermissionMode] = {mode, "default"}
        self._revoked: set[ScopedGrant] = set()
        """What the person has ever taken back."""
        self._taken_back: set[ScopedGrant] = set()
        """What the engine knows to be taken back, whatever is on disk."""
        self._wish: PermissionMode | None = None
        """What the engine was told last; it may not be looser, whatever is on disk."""
        self._ceiling: PermissionMode = "yolo"
        self._queries: dict[str, tuple[EvaluatePermission, PermissionMode]] = {}
        """With the ceiling of whoever had the session when it was asked."""
        self._storing: dict[str, StoreGrant] = {}
        self._allowed: set[str] = set()
        self._unsure = False
        """The disk refused a grant or mode, which may be there all the same: to ask is safe."""

    def start_run(self, past: tuple[Record, ...], store: bytes) -> None:
        """Start a new run from what is on disk; yolo never comes back by itself."""
        self._project = _rules_of(store)
        self._pledges.check_store(self._project)
        configs = [each for each in past if isinstance(each, SessionSettings)]
        self._disk = configs[-1] if configs else SessionSettings(mode=self._begun)
        if past and self._disk.mode == "yolo":
            self._disk = self._disk.model_copy(update={"mode": "default"})
        self._engine_made()
        self._allowed.clear()
        self._unsure = False
        self._ceiling = "yolo"
        self._changed_s = self._now()

    def _engine_made(self) -> None:
        """A new incarnation knows what is on disk, until it is told the rest again."""
        self._wish = None
        self._taken_back.clear()

    def on_incarnation(self, address: Address) -> None:
        """Hear of another incarnation."""
        if address == PERMISSIONS:
            self._engine_made()

    # What the person wants.

    def on_user_command(self, intent: Message) -> None:
        """Hear of a change as the person makes it."""
        if isinstance(intent, ChangeMode):
            self._asked_modes.add(intent.mode)
        elif isinstance(intent, RevokeGrant):
            self._revoked.add((intent.scope, intent.rule))

    def on_user_decision(self, request: AnyApprovalRequest, given: SubmitDecision) -> None:
        """Hear what the person said to what they saw."""
        if given.decision == "session" or given.decision == "project":  # noqa: PLR1714  (so that mypy narrows it)
            rules = request.broader_grants if given.use_broader_grants else request.grants
            self._answered.update((given.decision, rule) for rule in rules)

    # What the disk has.

    def on_synced_record(self, record: Message) -> None:
        """Hold a record of the session against what was there before."""
        if not isinstance(record, SessionSettings):
            return
        self._changed_s = self._now()
        before, self._disk = self._disk, record
        self._changed("session", before.grants, record.grants)
        wanted = record.mode == before.mode or record.mode in self._asked_modes
        self._ledger.require(wanted, f"mode {record.mode} is kept, and nobody asked for it")

    def on_synced_store(self, data: bytes) -> None:
        """Hold the project's store against what was there before."""
        self._changed_s = self._now()
        before, self._project = self._project, _rules_of(data)
        self._changed("project", before, self._project)

    def _changed(self, scope: GrantScope, before: tuple[Rule, ...], now: tuple[Rule, ...]) -> None:
        for rule in now:
            given = rule in before or (scope, rule) in self._answered
            self._ledger.require(given, f"{_told(rule)} is kept, and nobody granted it")
        for rule in before:
            kept = rule in now or (scope, rule) in self._revoked
            self._ledger.require(kept, f"{_told(rule)} is kept no more, and nobody took it back")

    # What the engine hears and says.

    def on_received(self, by: Address, message: Message) -> None:
        """Hear what the engine has handled to its end."""
        if by != PERMISSIONS:
            return
        match message:
            case ChangeMode():
                self._wish = message.mode
            case RevokeGrant():
                self._taken_back.add((message.scope, message.rule))
            case StoreGrant():
                self._taken_back.difference_update((message.scope, each) for each in message.rules)
            case _:
                pass

    def on_send(self, to: Address, message: Message, sender: Address) -> None:
        """Hear what is asked of the engine, and what it answers."""
        if to == PERMISSIONS and isinstance(message, EvaluatePermission):
            self._queries[message.id] = message, self._ceiling
        elif sender == PRIMARY and isinstance(message, AgentSwitched | SessionConfigured):
            self._ceiling = message.max_mode
            self._changed_s = self._now()
        elif to == PERMISSIONS and isinstance(message, StoreGrant | RevokeGrant):
            self._pledges.on_change_requested(message)
            if isinstance(message, StoreGrant):
                self._storing[message.id] = message
        elif sender == PERMISSIONS:
            self._said(to, message)

    def _said(self, to: Address, message: Message) -> None:
        match message:
            case PermissionDecision(action="allow") if to in (PRIMARY, APPROVALS):
                self._verdict(message)
            case GrantStored():
                stored = self._storing[message.id]
                there = set(stored.rules) <= set(self._kept(stored.scope))
                self._ledger.require(there, f"the grant {message.id} is stored, and not on disk")
                self._pledges.on_change_done(message, stored)
            case GrantRevoked():
                gone = message.rule not in self._kept(message.scope)
                self._ledger.require(gone, f"{_told(message.rule)} is taken back, and on disk")
                self._pledges.on_change_done(message)
            case StoreGrantFailed() | ChangeModeFailed():
                self._unsure = True
            case ModeChanged():
                there = self._disk.mode == message.mode
                self._ledger.require(there, f"mode {message.mode} is at work, and not on disk")
            case _:
                pass

    def _verdict(self, verdict: PermissionDecision) -> None:
        query, ceiling = self._queries[verdict.id]
        if is_stricter(ceiling, self._ceiling):
            ceiling = self._ceiling
        for request in query.requests:
            may = self._may(request, ceiling)
            what = f"{request.permission} {request.target}"
            self._ledger.require(may, f"{verdict.id}: {what} is allowed by nothing")
        self._allowed.add(verdict.id)

    def on_request_shown(self, request: AnyApprovalRequest, *, no_crashes: bool) -> None:
        """Hold that nobody is still asked about what has been allowed for a while.

        `quiet`: nothing has crashed; else one is asked once more than needed, which is safe.
        """
        parts = request.resolved_requests or request.requests
        lifted = bool(parts) and all(self._may(each, self._ceiling) for each in parts)
        late = self._now() > self._changed_s + MAX_STALE_S
        wrong = no_crashes and lifted and late and not self._unsure
        self._ledger.require(not wrong, f"{request.id} is asked, and it is allowed by now")

    def _may(self, request: PermissionRequest, ceiling: PermissionMode) -> bool:
        """Whether mode, defaults or a grant allow it now."""
        target, mode = request.target, find_strictest_mode(self._mode, ceiling)
        if request.permission == "read" and target != ASK_TO_READ_PATH:
            return True
        if request.permission == "write" and (mode == "plan" or target == PROTECTED_PATH):
            return False
        if mode == "yolo" or (mode == "auto-edit" and request.permission == "write"):
            return True
        return any(
            rule.permission == request.permission and is_match(rule.pattern, target)
            for scope in ("session", "project")
            for rule in self._kept(scope)
            if (scope, rule) not in self._taken_back
        )

    @property
    def _mode(self) -> PermissionMode:
        """The loosest mode that verdicts may go by."""
        return find_strictest_mode(self._disk.mode, self._wish or self._disk.mode)

    def _kept(self, scope: GrantScope) -> tuple[Rule, ...]:
        return self._project if scope == "project" else self._disk.grants

    def has_allowed_call(self, call_id: str) -> bool:
        """Whether the engine ever allowed a call of this run, for the agent itself."""
        return any(each.rpartition("/")[0] == call_id for each in self._allowed)

    def has_allowed_request(self, request_id: str) -> bool:
        """Whether the engine ever allowed what a request asks for."""
        return request_id in self._allowed


def _rules_of(store: bytes) -> tuple[Rule, ...]:
    """Read the project's store; empty: there is none."""
    roots: dict[str, list[dict[str, str]]] = from_json(store)["roots"] if store else {}
    return tuple(
        Rule(permission=each["permission"], pattern=each["pattern"], action="allow")
        for root in roots.values()
        for each in root
    )


def _told(rule: Rule) -> str:
    return f"{rule.permission} {rule.pattern}"

"""Modes and grants change only as the user decided, and decisions follow them."""

from collections.abc import Callable

from pydantic_core import from_json

from actors.permissions.mode_order import find_strictest_mode, is_stricter
from actors.permissions.rule_matching import is_match
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
from tests.simulation.invariants.violations import Violations

ASK_TO_READ_PATH = ".env"
PROTECTED_PATH = ".git/config"
MAX_STALE_S = 1.0
"""How long after a change a request that it allows may still be on screen."""
ScopedGrant = tuple[GrantScope, Rule]


class PermissionInvariants:
    """Follows each change from the user to the disk, and checks each decision against it."""

    def __init__(
        self, violations: Violations, mode: PermissionMode, now: Callable[[], float]
    ) -> None:
        self._violations = violations
        self._now = now
        self._last_change_s = 0.0
        self._initial_mode: PermissionMode = mode
        self._settings = SessionSettings(mode=mode)
        """The settings on disk."""
        self._project_rules: tuple[Rule, ...] = ()
        """The project grants on disk."""
        self._project_grants = ProjectGrantInvariants(violations)
        self._decided_grants: set[ScopedGrant] = set()
        self._requested_modes: set[PermissionMode] = {mode, "default"}
        self._ever_revoked: set[ScopedGrant] = set()
        """All grants that the user ever revoked."""
        self._revoked: set[ScopedGrant] = set()
        """Grants that the engine must not use, whatever is on disk."""
        self._requested_mode: PermissionMode | None = None
        """The engine must be at least as strict as the last request, whatever is on disk."""
        self._max_mode: PermissionMode = "yolo"
        self._evaluations: dict[str, tuple[EvaluatePermission, PermissionMode]] = {}
        """Evaluations with the max mode of the agent at that time."""
        self._store_requests: dict[str, StoreGrant] = {}
        self._allowed: set[str] = set()
        """Ids of evaluations that the engine allowed."""
        self._has_failed_write = False
        """A write failed but may be on disk; asking the user is then correct."""

    def start_run(self, records: tuple[Record, ...], grants_file: bytes) -> None:
        """Start a run of the program from what is on disk; yolo is never restored."""
        self._project_rules = _parse_rules(grants_file)
        self._project_grants.check_store(self._project_rules)
        settings = [record for record in records if isinstance(record, SessionSettings)]
        self._settings = settings[-1] if settings else SessionSettings(mode=self._initial_mode)
        if records and self._settings.mode == "yolo":
            self._settings = self._settings.model_copy(update={"mode": "default"})
        self._reset_engine()
        self._allowed.clear()
        self._has_failed_write = False
        self._max_mode = "yolo"
        self._last_change_s = self._now()

    def _reset_engine(self) -> None:
        """Forget what the engine received; a new incarnation knows only what is on disk."""
        self._requested_mode = None
        self._revoked.clear()

    def on_incarnation(self, address: Address) -> None:
        """Observe a restart of an actor."""
        if address == PERMISSIONS:
            self._reset_engine()

    # The user's decisions.

    def on_user_command(self, command: Message) -> None:
        """Observe a change that the user requests."""
        if isinstance(command, ChangeMode):
            self._requested_modes.add(command.mode)
        elif isinstance(command, RevokeGrant):
            self._ever_revoked.add((command.scope, command.rule))

    def on_user_decision(self, request: AnyApprovalRequest, submitted: SubmitDecision) -> None:
        """Observe the grants of a decision."""
        scope = submitted.decision
        if scope == "session" or scope == "project":  # noqa: PLR1714  (so that mypy narrows it)
            rules = request.broader_grants if submitted.use_broader_grants else request.grants
            self._decided_grants.update((scope, rule) for rule in rules)

    # What is on disk.

    def on_synced_record(self, record: Message) -> None:
        """Check new settings against the previous ones."""
        if not isinstance(record, SessionSettings):
            return
        self._last_change_s = self._now()
        before, self._settings = self._settings, record
        self._check_grants("session", before.grants, record.grants)
        is_requested = record.mode == before.mode or record.mode in self._requested_modes
        self._violations.require(
            is_requested, f"mode {record.mode} is stored, and the user did not choose it"
        )

    def on_synced_grants_file(self, data: bytes) -> None:
        """Check new project grants against the previous ones."""
        self._last_change_s = self._now()
        before, self._project_rules = self._project_rules, _parse_rules(data)
        self._check_grants("project", before, self._project_rules)

    def _check_grants(
        self, scope: GrantScope, before: tuple[Rule, ...], after: tuple[Rule, ...]
    ) -> None:
        for rule in after:
            is_decided = rule in before or (scope, rule) in self._decided_grants
            self._violations.require(
                is_decided, f"{_format_rule(rule)} is stored, and the user did not allow it"
            )
        for rule in before:
            is_expected = rule in after or (scope, rule) in self._ever_revoked
            self._violations.require(
                is_expected, f"{_format_rule(rule)} is gone, and the user did not revoke it"
            )

    # What the engine receives and answers.

    def on_received(self, by: Address, message: Message) -> None:
        """Observe what the engine has handled."""
        if by != PERMISSIONS:
            return
        match message:
            case ChangeMode():
                self._requested_mode = message.mode
            case RevokeGrant():
                self._revoked.add((message.scope, message.rule))
            case StoreGrant():
                self._revoked.difference_update((message.scope, rule) for rule in message.rules)
            case _:
                pass

    def on_send(self, to: Address, message: Message, sender: Address) -> None:
        """Observe requests to the engine and its answers."""
        if to == PERMISSIONS and isinstance(message, EvaluatePermission):
            self._evaluations[message.id] = message, self._max_mode
        elif sender == PRIMARY and isinstance(message, AgentSwitched | SessionConfigured):
            self._max_mode = message.max_mode
            self._last_change_s = self._now()
        elif to == PERMISSIONS and isinstance(message, StoreGrant | RevokeGrant):
            self._project_grants.on_change_requested(message)
            if isinstance(message, StoreGrant):
                self._store_requests[message.id] = message
        elif sender == PERMISSIONS:
            self._check_answer(to, message)

    def _check_answer(self, to: Address, message: Message) -> None:
        match message:
            case PermissionDecision(action="allow") if to in (PRIMARY, APPROVALS):
                self._check_allowed(message)
            case GrantStored():
                request = self._store_requests[message.id]
                is_stored = set(request.rules) <= set(self._get_stored_rules(request.scope))
                self._violations.require(
                    is_stored, f"grant {message.id} is reported as stored before it is on disk"
                )
                self._project_grants.on_change_done(message, request)
            case GrantRevoked():
                is_gone = message.rule not in self._get_stored_rules(message.scope)
                self._violations.require(
                    is_gone,
                    f"{_format_rule(message.rule)} is reported as revoked and still on disk",
                )
                self._project_grants.on_change_done(message)
            case StoreGrantFailed() | ChangeModeFailed():
                self._has_failed_write = True
            case ModeChanged():
                is_stored = self._settings.mode == message.mode
                self._violations.require(
                    is_stored, f"mode {message.mode} is reported before it is on disk"
                )
            case _:
                pass

    def _check_allowed(self, decision: PermissionDecision) -> None:
        evaluation, max_mode = self._evaluations[decision.id]
        if is_stricter(max_mode, self._max_mode):
            max_mode = self._max_mode
        for request in evaluation.requests:
            self._violations.require(
                self._is_allowed(request, max_mode),
                f"{decision.id}: {request.permission} {request.target} is allowed without a reason",
            )
        self._allowed.add(decision.id)

    def on_request_shown(self, request: AnyApprovalRequest, *, no_crashes: bool) -> None:
        """Check that a request on screen is not already allowed.

        After a crash the user may be asked once more than needed, which is safe.
        """
        parts = request.resolved_requests or request.requests
        is_allowed = bool(parts) and all(self._is_allowed(part, self._max_mode) for part in parts)
        is_late = self._now() > self._last_change_s + MAX_STALE_S
        is_needless = no_crashes and is_allowed and is_late and not self._has_failed_write
        self._violations.require(not is_needless, f"{request.id} is on screen but already allowed")

    def _is_allowed(self, request: PermissionRequest, max_mode: PermissionMode) -> bool:
        """Return True if the mode, a default or a grant allows the request now."""
        target, mode = request.target, find_strictest_mode(self._mode, max_mode)
        if request.permission == "read" and target != ASK_TO_READ_PATH:
            return True
        if request.permission == "write" and (mode == "plan" or target == PROTECTED_PATH):
            return False
        if mode == "yolo" or (mode == "auto-edit" and request.permission == "write"):
            return True
        return any(
            rule.permission == request.permission and is_match(rule.pattern, target)
            for scope in ("session", "project")
            for rule in self._get_stored_rules(scope)
            if (scope, rule) not in self._revoked
        )

    @property
    def _mode(self) -> PermissionMode:
        """The loosest mode that decisions may use."""
        return find_strictest_mode(self._settings.mode, self._requested_mode or self._settings.mode)

    def _get_stored_rules(self, scope: GrantScope) -> tuple[Rule, ...]:
        return self._project_rules if scope == "project" else self._settings.grants

    def has_allowed_call(self, call_id: str, permission: str) -> bool:
        """Return True if the engine allowed a call's requests for one permission in this run.

        Whether the call may read the file that it changes is a separate evaluation, which does not
        allow the change.
        """
        return any(
            evaluation_id.rpartition("/")[0] == call_id
            and any(
                request.permission == permission
                for request in self._evaluations[evaluation_id][0].requests
            )
            for evaluation_id in self._allowed
        )

    def has_allowed_request(self, request_id: str) -> bool:
        """Return True if the engine allowed an approval request in this run."""
        return request_id in self._allowed


def _parse_rules(grants_file: bytes) -> tuple[Rule, ...]:
    """Return the rules of a grants file; an empty file has none."""
    roots: dict[str, list[dict[str, str]]] = from_json(grants_file)["roots"] if grants_file else {}
    return tuple(
        Rule(permission=entry["permission"], pattern=entry["pattern"], action="allow")
        for root in roots.values()
        for entry in root
    )


def _format_rule(rule: Rule) -> str:
    return f"{rule.permission} {rule.pattern}"

"""The approval broker: parks approval requests and ends each exactly once."""

import logging
from typing import Literal, assert_never

from actors.approvals.pending_approval import (
    LASTING_DECISIONS,
    PendingApproval,
    can_ask,
    get_granted_rules,
    normalize,
    restrict,
)
from actors.runtime.actor import Actor
from actors.sessions.journal_client import JournalClient
from messages.address import Address, is_agent
from messages.approvals import (
    AnyApprovalRequest,
    ApprovalDecided,
    ApprovalUnavailable,
    ApprovalWithdrawn,
    ApproverAvailabilityChanged,
    DismissApproval,
    ExecApprovalRequest,
    PatchApprovalRequest,
    QuestionRequest,
    ShowApproval,
    SubmitDecision,
    WithdrawApprovals,
)
from messages.journal import Appended, AppendFailed, ReadRecordsFailed, Record, RecordsRead
from messages.permissions import (
    GrantStored,
    PermissionDecision,
    PolicyChanged,
    StoreGrant,
    StoreGrantFailed,
)
from messages.supervision import PeerRestarted, Undelivered

log = logging.getLogger("greenroom.approvals")

CANNOT_ASK = (
    "it runs in the background, where only agents with approval_mode: bubble may ask the user; "
    "continue without it, or leave it to the agent that started you"
)
GRANT_NO_LONGER_OFFERED = "the rules changed, so this call can be allowed only once"

ApprovalBrokerInbox = (
    AnyApprovalRequest
    | ApprovalWithdrawn
    | WithdrawApprovals
    | SubmitDecision
    | ApproverAvailabilityChanged
    | GrantStored
    | StoreGrantFailed
    | PermissionDecision
    | PolicyChanged
    | Appended
    | AppendFailed
    | PeerRestarted
    | Undelivered
    | RecordsRead
    | ReadRecordsFailed
)
_FROM_AGENTS = AnyApprovalRequest | ApprovalWithdrawn | WithdrawApprovals | Undelivered
"""All that the broker accepts from agents: nothing that decides or shows a request."""


class ApprovalBroker(Actor[ApprovalBrokerInbox]):
    """Owns the approval requests of all agents, first in, first out.

    The steps of each request, in order: recorded and parked, shown, decided, decision recorded,
    grant stored if any, decision delivered.
    """

    drains_before_stop = True  # a decision in the mailbox is still recorded

    def __init__(self, journal: Address, engine: Address, console: Address) -> None:
        """Wait for the console to report whether a user can decide."""
        self._journal_client = JournalClient(self, journal)
        self._engine = engine
        self._console = console
        self._unavailable_reason = "this session has no user to ask"
        self._can_decide: bool | None = None
        """None: not known yet; requests wait."""
        self._policy_version = 0
        """The latest version reported by the engine; a decision of an older one may be outdated."""
        self._parked: dict[str, PendingApproval] = {}
        self._ended: set[str] = set()
        self._recorded_requests: dict[str, AnyApprovalRequest] = {}
        """Requests that an earlier incarnation recorded."""
        self._recorded_decisions: dict[str, ApprovalDecided] = {}
        """Decisions that an earlier incarnation recorded and may not have delivered."""
        self._pending_appends: dict[
            int, AnyApprovalRequest | ApprovalDecided | ApprovalWithdrawn
        ] = {}

    def on_start(self) -> None:
        """Watch the peers; after a crash, first read which requests have ended."""
        self.watch(self._console)
        self.watch(self._engine)
        self._journal_client.open()

    def on_receive(self, message: ApprovalBrokerInbox) -> None:  # noqa: C901, PLR0912  (one case per message)
        """Dispatch one message."""
        if is_agent(self.sender) and not isinstance(message, _FROM_AGENTS):
            log.error("%s sent %s, which is not an agent's", self.sender, message.type)
            return
        match message:
            case ExecApprovalRequest() | PatchApprovalRequest() | QuestionRequest():
                self._park(message)
            case ApprovalWithdrawn():
                self._withdraw(message.id)
            case WithdrawApprovals():
                self._withdraw_all(message)
            case SubmitDecision():
                self._on_decision_submitted(message)
            case ApproverAvailabilityChanged():
                self._on_availability_changed(message)
            case GrantStored():
                self._on_grant_answered(message.id)
            case StoreGrantFailed():
                log.warning(
                    "the grant for %s could not be stored, so it is for this call only: %s",
                    message.id,
                    message.detail,
                )
                self.tell(self._console, message)
                self._on_grant_answered(message.id)
            case PolicyChanged():
                self._policy_version = message.policy_version
                self._reevaluate_all()
            case PermissionDecision():
                self._on_reevaluated(message)
            case Appended():
                self._on_appended(message)
            case AppendFailed():
                self._on_append_failed(message)
            case PeerRestarted():
                self._on_peer_restarted(message.peer)
            case Undelivered():
                self._on_undelivered(message)
            case RecordsRead() | ReadRecordsFailed():
                self._restore_from_records(self._journal_client.on_records_read(message))
            case _:
                assert_never(message)

    # Incoming requests

    def _park(self, request: AnyApprovalRequest) -> None:
        request = restrict(request)
        earlier = self._parked.get(request.id)
        if earlier is not None and request.is_background and not earlier.request.is_background:
            self._move_to_background(earlier, request)
            return
        if earlier is not None or request.id in self._ended:
            log.info("duplicate request %s ignored", request.id)
            return
        parked = self._parked[request.id] = PendingApproval(request, self.sender)
        parked.decision = self._recorded_decisions.pop(request.id, None)
        if parked.decision is not None:  # the decision was made on the recorded request
            parked.request = self._recorded_requests.get(request.id, request)
            self._apply_decision(parked.decision, parked)
        else:
            self._admit(parked)
            if request.requests and request.policy_version < self._policy_version:
                self.tell(self._engine, parked.evaluation_request)

    def _admit(self, parked: PendingApproval) -> None:
        """Show the request, or end it if no user can decide; wait if that is not known yet."""
        if self._can_decide is False:
            self._end_unavailable(parked.request.id, self._unavailable_reason)
        elif not can_ask(parked.request):
            self._end_unavailable(parked.request.id, CANNOT_ASK)
        elif self._can_decide and self._recorded_requests.get(parked.request.id) == parked.request:
            self._show(parked)
        elif self._can_decide:
            self._write(parked.request)

    def _move_to_background(self, parked: PendingApproval, request: AnyApprovalRequest) -> None:
        """Reject or restrict an undecided request whose task the user moved to the background."""
        if parked.decision is not None:
            return
        parked.request = request
        if not can_ask(request):
            self._end_unavailable(request.id, CANNOT_ASK)
        elif parked.is_shown:
            self.tell(self._console, DismissApproval(id=request.id, outcome="withdrawn"))
            self._show(parked)

    def _show(self, parked: PendingApproval) -> None:
        parked.is_shown = True
        message = ShowApproval(request=parked.request, parked_count=len(self._parked))
        self.tell(self._console, message)

    # Decisions

    def _on_decision_submitted(self, submitted: SubmitDecision) -> None:
        parked = self._parked.get(submitted.id)
        if parked is None or not parked.is_shown or parked.decision is not None:
            log.info("ignored a late, duplicate or unexpected decision on %s", submitted.id)
            return
        decision = normalize(submitted, parked.request, parked.grantable_rules)
        was_offered = submitted.decision in parked.request.available_decisions
        if submitted.decision in LASTING_DECISIONS and decision.decision == "once" and was_offered:
            self.tell(
                self._console, StoreGrantFailed(id=submitted.id, detail=GRANT_NO_LONGER_OFFERED)
            )
        self._record_decision(parked, decision)

    def _record_decision(self, parked: PendingApproval, decision: ApprovalDecided) -> None:
        parked.decision = decision
        self._write(decision)

    def _on_grant_answered(self, request_id: str) -> None:
        """Deliver the decision; if the grant could not be stored, it is for this call only."""
        parked = self._parked.get(request_id)
        if parked is not None and parked.decision is not None:
            self._deliver(request_id)

    def _reevaluate_all(self) -> None:
        for parked in self._parked.values():
            if parked.decision is None and parked.request.requests:  # else: about a limit
                self.tell(self._engine, parked.evaluation_request)

    def _on_reevaluated(self, decision: PermissionDecision) -> None:
        parked = self._parked.get(decision.id)
        if parked is None or parked.decision is not None:
            return
        if decision.action == "allow":
            agent = parked.request.agent
            once = ApprovalDecided(id=decision.id, agent=agent, decision="once", decided_by="rule")
            self._record_decision(parked, once)
        elif decision.action == "deny":
            self._end_unavailable(decision.id, f"a policy change denies it: {decision.reason}")
        else:
            parked.grantable_rules = (*decision.grants, *decision.broader_grants)

    # Journal

    def _write(self, record: AnyApprovalRequest | ApprovalDecided | ApprovalWithdrawn) -> None:
        self._pending_appends[self._journal_client.write(record)] = record

    def _on_appended(self, appended: Appended) -> None:
        """Take the next step of the recorded request, unless it has ended."""
        self._journal_client.on_append_answered(appended)
        record = self._pending_appends.pop(appended.id, None)
        parked = self._parked.get(record.id) if record is not None else None
        if parked is None:
            return
        if isinstance(record, ApprovalDecided):
            self._apply_decision(record, parked)
        elif parked.decision is None:  # a policy change may have decided it before it was shown
            self._show(parked)

    def _apply_decision(self, decided: ApprovalDecided, parked: PendingApproval) -> None:
        """Deliver a recorded decision, after storing its grant if there is one."""
        if decided.decision == "session" or decided.decision == "project":  # noqa: PLR1714  (mypy narrows only this form)
            rules = get_granted_rules(decided, parked.request)
            parked.pending_grant = StoreGrant(id=decided.id, rules=rules, scope=decided.decision)
            self.tell(self._engine, parked.pending_grant)
        else:
            self._deliver(decided.id)

    def _on_append_failed(self, failed: AppendFailed) -> None:
        self._journal_client.on_append_answered(failed)
        record = self._pending_appends.pop(failed.id, None)
        if record is not None:
            self._end_unavailable(record.id, f"the session could not be saved: {failed.detail}")

    # Ending requests

    def _deliver(self, request_id: str) -> None:
        parked = self._end(request_id, "decided")
        if parked is not None and parked.decision is not None:
            self.tell(parked.reply_to, parked.decision)

    def _end_unavailable(self, request_id: str, reason: str) -> None:
        parked = self._end(request_id, "withdrawn")
        if parked is not None:
            agent = parked.request.agent
            self.tell(
                parked.reply_to, ApprovalUnavailable(id=request_id, agent=agent, reason=reason)
            )

    def _withdraw(self, request_id: str) -> None:
        if self._end(request_id, "withdrawn") is not None:
            self._write(ApprovalWithdrawn(id=request_id))

    def _withdraw_all(self, withdrawal: WithdrawApprovals) -> None:
        for parked in list(self._parked.values()):
            if withdrawal.is_about(parked.request.agent):
                self._withdraw(parked.request.id)

    def _end(
        self, request_id: str, outcome: Literal["decided", "withdrawn"]
    ) -> PendingApproval | None:
        """Remove a request from the queue; every request ends here."""
        parked = self._parked.pop(request_id, None)
        if parked is not None:
            self._ended.add(request_id)
            if parked.is_shown:
                self.tell(self._console, DismissApproval(id=request_id, outcome=outcome))
        return parked

    def _on_availability_changed(self, availability: ApproverAvailabilityChanged) -> None:
        was_unknown, self._can_decide = self._can_decide is None, availability.can_decide
        self._unavailable_reason = availability.reason or self._unavailable_reason
        if was_unknown or not availability.can_decide:
            for parked in list(self._parked.values()):
                if parked.decision is None:  # a decided request is delivered anyway
                    self._admit(parked)

    # Restarted peers

    def _restore_from_records(self, records: tuple[Record, ...] | None) -> None:
        """Restore what was recorded; agents resend the requests that have not ended."""
        for record in records or ():
            match record:
                case ExecApprovalRequest() | PatchApprovalRequest() | QuestionRequest():
                    self._recorded_requests[record.id] = record
                case ApprovalDecided():
                    self._recorded_decisions[record.id] = record
                case ApprovalWithdrawn():
                    self._ended.add(record.id)
                case _:
                    pass

    def _on_peer_restarted(self, peer: Address) -> None:
        """Resend what a restarted peer may have lost."""
        self._journal_client.on_peer_restarted(peer)
        for parked in self._parked.values():
            if peer == self._engine and parked.pending_grant is not None:
                self.tell(self._engine, parked.pending_grant)
            elif peer == self._console and parked.is_shown and parked.decision is None:
                self._show(parked)
        if peer == self._engine:
            self._reevaluate_all()

    def _on_undelivered(self, undelivered: Undelivered) -> None:
        """Continue without a message that will never be handled."""
        failed = self._journal_client.on_undelivered(undelivered)
        if failed is not None:
            self._on_append_failed(failed)
        elif isinstance(undelivered.message, StoreGrant) and undelivered.reason != "crashed":
            self._on_grant_answered(undelivered.message.id)

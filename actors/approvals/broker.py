"""The approval broker: parks questions for people and ends each exactly once."""

import logging
from typing import Literal, assert_never

from actors.approvals.pending_approval import (
    LASTING_DECISIONS,
    Parked,
    get_granted_rules,
    normalize,
)
from actors.runtime.actor import Actor
from actors.sessions.journal_client import JournalClient
from messages.address import Address
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

GRANT_NO_LONGER_OFFERED = "this may be allowed only once now"

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


class ApprovalBroker(Actor[ApprovalBrokerInbox]):
    """Every question of every agent, first in, first out.

    Order of each: parked on disk, shown, answered, the answer on disk, a grant in force, delivered.
    """

    drains_before_stop = True

    def __init__(self, journal: Address, engine: Address, console: Address) -> None:
        """Nobody can answer until the console says so."""
        self._recorder = JournalClient(self, journal)
        self._engine = engine
        self._console = console
        self._nobody = "nobody can be asked here"
        self._can_answer: bool | None = None
        """None: nobody has said; what comes waits."""
        self._generation = 0
        """Of the policy, as the engine told last; an older verdict may be out of date."""
        self._parked: dict[str, Parked] = {}
        self._ended: set[str] = set()
        self._recorded: dict[str, AnyApprovalRequest] = {}
        """Requests as they were put on disk before this incarnation."""
        self._given: dict[str, ApprovalDecided] = {}
        """Answers that an earlier incarnation has put on disk, and may not have delivered."""
        self._writing: dict[int, AnyApprovalRequest | ApprovalDecided | ApprovalWithdrawn] = {}

    def on_start(self) -> None:
        """After a crash, find on disk what has ended before anybody asks again."""
        self.watch(self._console)
        self.watch(self._engine)
        self._recorder.open()

    def on_receive(self, message: ApprovalBrokerInbox) -> None:  # noqa: C901, PLR0912  (a case a message)
        """Take one message."""
        match message:
            case ExecApprovalRequest() | PatchApprovalRequest() | QuestionRequest():
                self._park(message)
            case ApprovalWithdrawn():
                self._withdraw(message.id)
            case WithdrawApprovals():
                self._withdraw_under(message.under)
            case SubmitDecision():
                self._answer(message)
            case ApproverAvailabilityChanged():
                self._presenter_changed(message)
            case GrantStored():
                self._granted(message.id)
            case StoreGrantFailed():
                log.warning("the grant for %s counts as once: %s", message.id, message.detail)
                self.tell(self._console, message)
                self._granted(message.id)
            case PolicyChanged():
                self._generation = message.policy_version
                self._judge_anew()
            case PermissionDecision():
                self._judged_anew(message)
            case Appended():
                self._written(message)
            case AppendFailed():
                self._not_written(message)
            case PeerRestarted():
                self._peer_restarted(message.peer)
            case Undelivered():
                self._returned(message)
            case RecordsRead() | ReadRecordsFailed():
                self._remember(self._recorder.on_records_read(message))
            case _:
                assert_never(message)

    # A request comes.

    def _park(self, request: AnyApprovalRequest) -> None:
        if request.id in self._parked or request.id in self._ended:
            log.info("%s came again", request.id)
            return
        parked = self._parked[request.id] = Parked(request, self.sender)
        parked.answer = self._given.pop(request.id, None)
        if parked.answer is not None:  # an answer to what was shown then
            parked.request = self._recorded.get(request.id, request)
            self._pass_on(parked.answer, parked)
        else:
            self._admit(parked)
            if request.policy_version < self._generation:
                self.tell(self._engine, parked.evaluation_request)

    def _admit(self, parked: Parked) -> None:
        """Put a request before a person, once it is known whether there is one."""
        if self._can_answer is False:
            self._refuse(parked.request.id, self._nobody)
        elif self._can_answer and self._recorded.get(parked.request.id) == parked.request:
            self._show(parked)
        elif self._can_answer:
            self._write(parked.request)

    def _show(self, parked: Parked) -> None:
        parked.is_shown = True
        present = ShowApproval(request=parked.request, parked_count=len(self._parked))
        self.tell(self._console, present)

    # An answer comes.

    def _answer(self, given: SubmitDecision) -> None:
        parked = self._parked.get(given.id)
        if parked is None or not parked.is_shown or parked.answer is not None:
            log.info("an answer to %s is late, doubled, or to what nobody was shown", given.id)
            return
        answer = normalize(given, parked.request, parked.grantable_rules)
        if given.decision in LASTING_DECISIONS and answer.decision == "once":
            self.tell(self._console, StoreGrantFailed(id=given.id, detail=GRANT_NO_LONGER_OFFERED))
        self._take(parked, answer)

    def _take(self, parked: Parked, answer: ApprovalDecided) -> None:
        parked.answer = answer
        self._write(answer)

    def _granted(self, request_id: str) -> None:
        """Go on with the call at hand: a grant that could not be kept counts as once."""
        parked = self._parked.get(request_id)
        if parked is not None and parked.answer is not None:
            self._deliver(request_id)

    def _judge_anew(self) -> None:
        for parked in self._parked.values():
            if parked.answer is None:
                self.tell(self._engine, parked.evaluation_request)

    def _judged_anew(self, verdict: PermissionDecision) -> None:
        parked = self._parked.get(verdict.id)
        if parked is None or parked.answer is not None:
            return
        if verdict.action == "allow":
            agent = parked.request.agent
            answer = ApprovalDecided(id=verdict.id, agent=agent, decision="once", decided_by="rule")
            self._take(parked, answer)
        elif verdict.action == "deny":
            self._refuse(verdict.id, f"it is denied now: {verdict.reason}")
        else:
            parked.grantable_rules = (*verdict.grants, *verdict.broader_grants)

    # The disk speaks.

    def _write(self, record: AnyApprovalRequest | ApprovalDecided | ApprovalWithdrawn) -> None:
        self._writing[self._recorder.write(record)] = record

    def _written(self, written: Appended) -> None:
        """Take the next step of the request whose record this was, if it has not ended."""
        self._recorder.on_append_answered(written)
        record = self._writing.pop(written.id, None)
        parked = self._parked.get(record.id) if record is not None else None
        if parked is None:
            return
        if isinstance(record, ApprovalDecided):
            self._pass_on(record, parked)
        elif parked.answer is None:  # a rule may have answered what nobody saw yet
            self._show(parked)

    def _pass_on(self, answer: ApprovalDecided, parked: Parked) -> None:
        """Deliver an answer that is on disk; what it grants comes first."""
        if answer.decision == "session" or answer.decision == "project":  # noqa: PLR1714  (so that mypy narrows it)
            rules = get_granted_rules(answer, parked.request)
            parked.pending_grant = StoreGrant(id=answer.id, rules=rules, scope=answer.decision)
            self.tell(self._engine, parked.pending_grant)
        else:
            self._deliver(answer.id)

    def _not_written(self, failed: AppendFailed) -> None:
        self._recorder.on_append_answered(failed)
        record = self._writing.pop(failed.id, None)
        if record is not None:
            self._refuse(record.id, f"the session could not be written: {failed.detail}")

    # It ends.

    def _deliver(self, request_id: str) -> None:
        parked = self._end(request_id, "answered")
        if parked is not None and parked.answer is not None:
            self.tell(parked.reply_to, parked.answer)

    def _refuse(self, request_id: str, reason: str) -> None:
        parked = self._end(request_id, "withdrawn")
        if parked is not None:
            agent = parked.request.agent
            self.tell(
                parked.reply_to, ApprovalUnavailable(id=request_id, agent=agent, reason=reason)
            )

    def _withdraw(self, request_id: str) -> None:
        if self._end(request_id, "withdrawn") is not None:
            self._write(ApprovalWithdrawn(id=request_id))

    def _withdraw_under(self, address: Address) -> None:
        for parked in list(self._parked.values()):
            if parked.request.agent.is_under(address):
                self._withdraw(parked.request.id)

    def _end(self, request_id: str, why: Literal["answered", "withdrawn"]) -> Parked | None:
        """End a request; the only way out of the queue."""
        parked = self._parked.pop(request_id, None)
        if parked is not None:
            self._ended.add(request_id)
            if parked.is_shown:
                self.tell(self._console, DismissApproval(id=request_id, outcome=why))
        return parked

    def _presenter_changed(self, presenter: ApproverAvailabilityChanged) -> None:
        unknown, self._can_answer = self._can_answer is None, presenter.can_answer
        self._nobody = presenter.reason or self._nobody
        if unknown or not presenter.can_answer:
            for parked in list(self._parked.values()):
                if parked.answer is None:  # what was answered is delivered
                    self._admit(parked)

    # Others come back.

    def _remember(self, records: tuple[Record, ...] | None) -> None:
        """Know again what has ended; who still waits for an answer asks again."""
        for record in records or ():
            match record:
                case ExecApprovalRequest() | PatchApprovalRequest() | QuestionRequest():
                    self._recorded[record.id] = record
                case ApprovalDecided():
                    self._given[record.id] = record
                case ApprovalWithdrawn():
                    self._ended.add(record.id)
                case _:
                    pass

    def _peer_restarted(self, peer: Address) -> None:
        """Say again what a restarted neighbour may not know."""
        self._recorder.on_peer_restarted(peer)
        for parked in self._parked.values():
            if peer == self._engine and parked.pending_grant is not None:
                self.tell(self._engine, parked.pending_grant)
            elif peer == self._console and parked.is_shown and parked.answer is None:
                self._show(parked)
        if peer == self._engine:
            self._judge_anew()

    def _returned(self, returned: Undelivered) -> None:
        """Go on without what will never be handled."""
        failed = self._recorder.on_undelivered(returned)
        if failed is not None:
            self._not_written(failed)
        elif isinstance(returned.message, StoreGrant) and returned.reason != "crashed":
            self._granted(returned.message.id)

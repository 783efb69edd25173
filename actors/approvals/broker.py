"""The approval broker: parks questions for people and ends each exactly once."""

import logging
from dataclasses import dataclass
from typing import Literal, assert_never

from actors.runtime.actor import Actor
from messages.address import Address
from messages.approvals import (
    Answer,
    AnswerApproval,
    AnyApprovalRequest,
    ApprovalAnswered,
    ApprovalRefused,
    ApprovalsWithdrawn,
    ApprovalWithdrawn,
    ExecApprovalRequest,
    PatchApprovalRequest,
    PresentApproval,
    PresenterChanged,
    QuestionRequest,
    RetractApproval,
)
from messages.permissions import (
    GrantNotStored,
    GrantStored,
    PermissionQuery,
    PermissionVerdict,
    StoreGrant,
)
from messages.transcript import Append, Appended, AppendFailed

log = logging.getLogger("greenroom.approvals")

BrokerInbox = (
    AnyApprovalRequest
    | ApprovalWithdrawn
    | ApprovalsWithdrawn
    | AnswerApproval
    | PresenterChanged
    | GrantStored
    | GrantNotStored
    | PermissionVerdict
    | Appended
    | AppendFailed
)


@dataclass
class Parked:
    """A request that has not ended."""

    request: AnyApprovalRequest
    came_from: Address
    """Whoever handed it over; the answer goes back the same way."""
    shown: bool = False
    answer: ApprovalAnswered | None = None
    """Given, and on its way to the disk."""


class ApprovalBroker(Actor[BrokerInbox]):
    """Every question of every agent, first in, first out.

    Order of each: parked on disk, shown, answered, the answer on disk, a grant in force, delivered.
    """

    drains = True

    def __init__(self, journal: Address, engine: Address, console: Address) -> None:
        """Nobody can answer until the console says so."""
        self._journal = journal
        self._engine = engine
        self._console = console
        self._nobody = "nobody can be asked here"
        self._can_answer = False
        self._parked: dict[str, Parked] = {}
        self._ended: set[str] = set()
        self._writing: dict[int, AnyApprovalRequest | ApprovalAnswered | ApprovalWithdrawn] = {}
        self._appends = 0

    def on_receive(self, message: BrokerInbox) -> None:  # noqa: C901  (one case a message)
        """Take one message."""
        match message:
            case ExecApprovalRequest() | PatchApprovalRequest() | QuestionRequest():
                self._park(message)
            case ApprovalWithdrawn():
                self._withdraw(message.id)
            case ApprovalsWithdrawn():
                self._withdraw_under(message.under)
            case AnswerApproval():
                self._answer(message)
            case PresenterChanged():
                self._presenter_changed(message)
            case GrantStored():
                self._granted(message.id)
                self._judge_anew()
            case GrantNotStored():
                log.warning("the grant for %s counts as once: %s", message.id, message.detail)
                self._granted(message.id)
            case PermissionVerdict():
                self._judged_anew(message)
            case Appended():
                self._written(message.id)
            case AppendFailed():
                self._not_written(message)
            case _:
                assert_never(message)

    # A request comes.

    def _park(self, request: AnyApprovalRequest) -> None:
        if request.id in self._parked or request.id in self._ended:
            log.info("%s came again", request.id)
            return
        self._parked[request.id] = Parked(request, self.sender)
        if self._can_answer:
            self._write(request)
        else:
            self._refuse(request.id, self._nobody)

    def _show(self, parked: Parked) -> None:
        parked.shown = True
        present = PresentApproval(request=parked.request, waiting=len(self._parked))
        self.tell(self._console, present)

    # An answer comes.

    def _answer(self, given: AnswerApproval) -> None:
        parked = self._parked.get(given.id)
        if parked is None or not parked.shown or parked.answer is not None:
            log.info("an answer to %s is late, doubled, or to what nobody was shown", given.id)
            return
        self._take(parked, taken(given, parked.request))

    def _take(self, parked: Parked, answer: ApprovalAnswered) -> None:
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
                query = PermissionQuery(
                    id=parked.request.id,
                    agent=parked.request.agent,
                    requests=parked.request.requests,
                )
                self.tell(self._engine, query)

    def _judged_anew(self, verdict: PermissionVerdict) -> None:
        parked = self._parked.get(verdict.id)
        if parked is not None and parked.answer is None and verdict.action == "allow":
            agent = parked.request.agent
            answer = ApprovalAnswered(id=verdict.id, agent=agent, answer="once", decided_by="rule")
            self._take(parked, answer)

    # The disk speaks.

    def _write(self, record: AnyApprovalRequest | ApprovalAnswered | ApprovalWithdrawn) -> None:
        self._appends += 1
        self._writing[self._appends] = record
        self.tell(self._journal, Append(id=self._appends, records=(record,)))

    def _written(self, append: int) -> None:
        """Take the next step of the request whose record this was, if it has not ended."""
        record = self._writing.pop(append, None)
        parked = self._parked.get(record.id) if record is not None else None
        if parked is None:
            return
        if not isinstance(record, ApprovalAnswered):
            if parked.answer is None:  # a rule may have answered what nobody saw yet
                self._show(parked)
        elif record.answer == "session":
            self.tell(self._engine, StoreGrant(id=record.id, rules=parked.request.grants))
        else:
            self._deliver(record.id)

    def _not_written(self, failed: AppendFailed) -> None:
        record = self._writing.pop(failed.id, None)
        if record is not None:
            self._refuse(record.id, f"the session could not be written: {failed.detail}")

    # It ends.

    def _deliver(self, request_id: str) -> None:
        parked = self._end(request_id, "answered")
        if parked is not None and parked.answer is not None:
            self.tell(parked.came_from, parked.answer)

    def _refuse(self, request_id: str, reason: str) -> None:
        parked = self._end(request_id, "withdrawn")
        if parked is not None:
            agent = parked.request.agent
            self.tell(parked.came_from, ApprovalRefused(id=request_id, agent=agent, reason=reason))

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
            if parked.shown:
                self.tell(self._console, RetractApproval(id=request_id, why=why))
        return parked

    def _presenter_changed(self, presenter: PresenterChanged) -> None:
        self._can_answer = presenter.can_answer
        self._nobody = presenter.reason or self._nobody
        if not presenter.can_answer:
            for parked in list(self._parked.values()):
                if parked.answer is None:  # what was answered is delivered
                    self._refuse(parked.request.id, self._nobody)


def taken(given: AnswerApproval, request: AnyApprovalRequest) -> ApprovalAnswered:
    """Make of what a person chose the answer that counts."""
    answer = legal(given.answer, request)
    if isinstance(request, QuestionRequest) and len(given.replies) != len(request.questions):
        answer = "no"
    return ApprovalAnswered(
        id=request.id,
        agent=request.agent,
        answer=answer,
        feedback=given.feedback if answer == "no" else "",
        replies=given.replies if isinstance(request, QuestionRequest) and answer != "no" else (),
    )


def legal(answer: Answer, request: AnyApprovalRequest) -> Answer:
    """Take an answer that was not offered for the nearest that was: once for session, else no."""
    if answer == "session" and answer not in request.answers:
        answer = "once"
    return answer if answer in request.answers else "no"

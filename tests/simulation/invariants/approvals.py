"""The account of approvals: each ends once, and nobody is asked about one that has ended."""

from collections.abc import Callable

from messages.address import APPROVALS, CONSOLE, PRIMARY, Address
from messages.approvals import (
    AnyApprovalRequest,
    ApprovalDecided,
    ApprovalDecision,
    ApprovalUnavailable,
    ApprovalWithdrawn,
    DismissApproval,
    ExecApprovalRequest,
    PatchApprovalRequest,
    QuestionRequest,
    ShowApproval,
    SubmitDecision,
    WithdrawApprovals,
)
from messages.base import Message
from tests.simulation.invariants.tool_calls import ToolCallInvariants
from tests.simulation.violations import Violations

APPROVAL_REQUESTS = ExecApprovalRequest | PatchApprovalRequest | QuestionRequest
MAX_STALE_S = 1.0
"""So long after a call's result its question may still be on its way to the screen."""


class ApprovalInvariants:
    """Follows every request from its asker to its end."""

    def __init__(
        self,
        ledger: Violations,
        calls: ToolCallInvariants,
        is_on_disk: Callable[[Message], bool],
        allows: Callable[[str], bool],
        now: Callable[[], float],
    ) -> None:
        """`allows` tells whether the engine ever allowed what a request asks for."""
        self._ledger = ledger
        self._allows = allows
        self._calls = calls
        self._is_on_disk = is_on_disk
        self._now = now
        self._requests: dict[str, AnyApprovalRequest] = {}
        self._reached: set[str] = set()
        """Ids that a broker has heard of."""
        self._ended: dict[str, str] = {}
        """Ids that the broker knows to have ended, and how."""
        self._ends: dict[str, ApprovalDecided | ApprovalUnavailable] = {}
        self._said: dict[str, set[ApprovalDecision]] = {}
        self._answers: set[str] = set()
        """Ids whose answers are on disk."""
        self._results_s: dict[str, float] = {}
        self._forsaken_s: dict[str, float] = {}
        """Ids whose asker has crashed since, and when."""

    def start_run(self) -> None:
        """Start a new run; questions that were open are asked again by their ids."""
        self._requests.clear()
        self._reached.clear()
        self._ended.clear()
        self._ends.clear()
        self._said.clear()  # what a power cut took was never acknowledged
        self._results_s.clear()
        self._forsaken_s.clear()

    def on_agent_restarted(self) -> None:
        """Hear that the agent was made anew: it asks what it still wants to know by other ids."""
        for each in self._requests:
            self._forsaken_s.setdefault(each, self._now())

    def on_send(self, to: Address, message: Message, sender: Address) -> None:
        """Hear what the agent asks, and what the broker shows and answers."""
        if sender == PRIMARY and isinstance(message, APPROVAL_REQUESTS):
            self._requests[message.id] = message
        elif sender == APPROVALS and to == CONSOLE and isinstance(message, ShowApproval):
            self._shown(message.request)
        elif sender == APPROVALS and to == CONSOLE and isinstance(message, DismissApproval):
            self._ended.setdefault(message.id, message.outcome)
        elif sender == APPROVALS and isinstance(message, ApprovalDecided | ApprovalUnavailable):
            self._answered(message)

    def _shown(self, request: AnyApprovalRequest) -> None:
        require = self._ledger.require
        how = self._ended.get(request.id)
        require(how is None, f"{request.id} is shown though it was {how}")
        require(self._requests.get(request.id) == request, f"{request.id} is not what was asked")
        require(self._is_on_disk(request), f"{request.id} is shown and not on disk")

    def _answered(self, end: ApprovalDecided | ApprovalUnavailable) -> None:
        require = self._ledger.require
        require(end.id in self._requests, f"{end.id} is answered, and nobody asked")
        if isinstance(end, ApprovalDecided):
            late = self._ended.get(end.id) == "withdrawn"
            require(not late, f"{end.id} is answered though it was withdrawn")
        require(self._ends.setdefault(end.id, end) == end, f"{end.id} ends twice")
        self._ended.setdefault(end.id, "answered")
        if isinstance(end, ApprovalDecided):
            require(self._is_on_disk(end), f"{end.id} is answered, and it is not on disk")
            said = end.decision in self._said.get(end.id, ())
            ruled = end.decided_by == "rule" and self._allows(end.id)
            require(said or ruled, f"{end.id}: neither person nor engine ever said that")

    def on_received(self, by: Address, message: Message) -> None:
        """Hear what the broker has handled to its end."""
        if by != APPROVALS:
            return
        match message:
            case ExecApprovalRequest() | PatchApprovalRequest() | QuestionRequest():
                self._reached.add(message.id)
            case ApprovalWithdrawn():
                self._ended.setdefault(message.id, "withdrawn")
            case WithdrawApprovals():
                for each in sorted(self._reached):
                    if self._requests[each].agent.is_under(message.under):
                        self._ended.setdefault(each, "withdrawn")
            case _:
                pass

    def on_synced_record(self, record: Message) -> None:
        """Hear of a record that is on disk."""
        if isinstance(record, ApprovalDecided):
            self._answers.add(record.id)

    def check_drained(self) -> None:
        """Hold, after an orderly end, that nothing the person said was lost on its way."""
        for each in self._said:
            kept = each not in self._requests or each in self._ended or each in self._answers
            self._ledger.require(kept, f"the answer to {each} was lost")

    def on_request_shown(self, request: AnyApprovalRequest) -> None:
        """Hear that a request is on the screen."""
        result = self._calls.find_result(request.call_id)
        if result is not None:
            ended_s = self._results_s.setdefault(request.call_id, self._now())
            fresh = self._now() <= ended_s + MAX_STALE_S
            self._ledger.require(fresh, f"{request.id} comes to the screen long after its end")
        forsaken_s = self._forsaken_s.get(request.id, self._now())
        asked = self._now() <= forsaken_s + MAX_STALE_S
        self._ledger.require(asked, f"{request.id} is on the screen, and its asker has crashed")

    def on_tool_result(self, call_id: str) -> None:
        """Hear that a call has its result."""
        self._results_s.setdefault(call_id, self._now())

    def on_user_decision(self, given: SubmitDecision) -> None:
        """Hear what the person says."""
        said = self._said.setdefault(given.id, set())
        said.update((given.decision,) if given.decision == "no" else (given.decision, "once"))
        request = self._requests.get(given.id)
        if request is not None:
            self._calls.on_user_decision(request, given)

    def check_idle(self, on_screen: tuple[str, ...]) -> None:
        """Hold that nothing is open any more."""
        self._ledger.require(not on_screen, f"{', '.join(on_screen)} left on the screen")
        for request in self._requests.values():
            # A broker that crashed over the withdrawal may have ended it unheard.
            ended = request.id in self._ended or request.call_id in self._results_s
            ended = ended or self._calls.find_result(request.call_id) is not None
            self._ledger.require(ended, f"{request.id} never ended")

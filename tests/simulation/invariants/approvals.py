"""Each approval request ends exactly once, and the user is not asked about an ended one."""

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
from tests.simulation.invariants.violations import Violations

APPROVAL_REQUESTS = ExecApprovalRequest | PatchApprovalRequest | QuestionRequest
MAX_STALE_S = 1.0
"""How long after the end of a call its request may still reach the screen."""


class ApprovalInvariants:
    """Follows each request from the agent that asks to its end."""

    def __init__(
        self,
        violations: Violations,
        calls: ToolCallInvariants,
        is_on_disk: Callable[[Message], bool],
        has_allowed_request: Callable[[str], bool],
        now: Callable[[], float],
    ) -> None:
        """`has_allowed_request` returns whether the engine ever allowed a request."""
        self._violations = violations
        self._has_allowed_request = has_allowed_request
        self._calls = calls
        self._is_on_disk = is_on_disk
        self._now = now
        self._requests: dict[str, AnyApprovalRequest] = {}
        self._received: set[str] = set()
        """Ids of requests that reached the broker."""
        self._ended: dict[str, str] = {}
        """Requests that have ended as far as the broker knows, and how."""
        self._outcomes: dict[str, ApprovalDecided | ApprovalUnavailable] = {}
        self._submitted: dict[str, set[ApprovalDecision]] = {}
        self._synced_decisions: set[str] = set()
        self._result_times_s: dict[str, float] = {}
        self._crash_times_s: dict[str, float] = {}
        """When the agent that asked crashed, by request."""

    def start_run(self) -> None:
        """Start a run of the program, which asks open requests again by their ids."""
        self._requests.clear()
        self._received.clear()
        self._ended.clear()
        self._outcomes.clear()
        self._submitted.clear()  # what a power cut took was never acknowledged
        self._result_times_s.clear()
        self._crash_times_s.clear()

    def on_agent_restarted(self) -> None:
        """Observe a restart of the agent, which asks again under new ids."""
        for request_id in self._requests:
            self._crash_times_s.setdefault(request_id, self._now())

    def on_send(self, to: Address, message: Message, sender: Address) -> None:
        """Observe the agent's requests, and what the broker shows and answers."""
        if sender == PRIMARY and isinstance(message, APPROVAL_REQUESTS):
            self._requests[message.id] = message
        elif sender == APPROVALS and to == CONSOLE and isinstance(message, ShowApproval):
            self._check_shown(message.request)
        elif sender == APPROVALS and to == CONSOLE and isinstance(message, DismissApproval):
            self._ended.setdefault(message.id, message.outcome)
        elif sender == APPROVALS and isinstance(message, ApprovalDecided | ApprovalUnavailable):
            self._check_outcome(message)

    def _check_shown(self, request: AnyApprovalRequest) -> None:
        require = self._violations.require
        end = self._ended.get(request.id)
        require(end is None, f"{request.id} is shown after it was {end}")
        is_same = self._requests.get(request.id) == request
        require(is_same, f"{request.id} is not what the agent asked")
        require(self._is_on_disk(request), f"{request.id} is shown before it is on disk")

    def _check_outcome(self, outcome: ApprovalDecided | ApprovalUnavailable) -> None:
        require = self._violations.require
        require(outcome.id in self._requests, f"{outcome.id} is answered but was never asked")
        if isinstance(outcome, ApprovalDecided):
            is_late = self._ended.get(outcome.id) == "withdrawn"
            require(not is_late, f"{outcome.id} is answered after it was withdrawn")
        is_same = self._outcomes.setdefault(outcome.id, outcome) == outcome
        require(is_same, f"{outcome.id} ends twice")
        self._ended.setdefault(outcome.id, "decided")
        if isinstance(outcome, ApprovalDecided):
            require(self._is_on_disk(outcome), f"{outcome.id} is answered before it is on disk")
            by_user = outcome.decision in self._submitted.get(outcome.id, ())
            by_rule = outcome.decided_by == "rule" and self._has_allowed_request(outcome.id)
            require(by_user or by_rule, f"{outcome.id}: neither user nor engine decided that")

    def on_received(self, by: Address, message: Message) -> None:
        """Observe what the broker has handled."""
        if by != APPROVALS:
            return
        match message:
            case ExecApprovalRequest() | PatchApprovalRequest() | QuestionRequest():
                self._received.add(message.id)
            case ApprovalWithdrawn():
                self._ended.setdefault(message.id, "withdrawn")
            case WithdrawApprovals():
                for request_id in sorted(self._received):
                    if self._requests[request_id].agent.is_under(message.under):
                        self._ended.setdefault(request_id, "withdrawn")
            case _:
                pass

    def on_synced_record(self, record: Message) -> None:
        """Observe a record that is on disk."""
        if isinstance(record, ApprovalDecided):
            self._synced_decisions.add(record.id)

    def check_drained(self) -> None:
        """Check that an orderly stop has lost no decision."""
        for request_id in self._submitted:
            is_safe = (
                request_id not in self._requests
                or request_id in self._ended
                or request_id in self._synced_decisions
            )
            self._violations.require(is_safe, f"the decision on {request_id} was lost")

    def on_request_shown(self, request: AnyApprovalRequest) -> None:
        """Check a request that is on screen."""
        if self._calls.find_result(request.call_id) is not None:
            ended_s = self._result_times_s.setdefault(request.call_id, self._now())
            is_recent = self._now() <= ended_s + MAX_STALE_S
            self._violations.require(
                is_recent, f"{request.id} is on screen long after its call ended"
            )
        crashed_s = self._crash_times_s.get(request.id, self._now())
        is_recent = self._now() <= crashed_s + MAX_STALE_S
        self._violations.require(
            is_recent, f"{request.id} is on screen long after its agent crashed"
        )

    def on_tool_result(self, call_id: str) -> None:
        """Record when a call ended."""
        self._result_times_s.setdefault(call_id, self._now())

    def on_user_decision(self, submitted: SubmitDecision) -> None:
        """Observe a decision of the user."""
        decisions = self._submitted.setdefault(submitted.id, set())
        decisions.add(submitted.decision)
        if submitted.decision != "no":
            decisions.add("once")
        request = self._requests.get(submitted.id)
        if request is not None:
            self._calls.on_user_decision(request, submitted)

    def check_idle(self, on_screen: tuple[str, ...]) -> None:
        """Check that no request is open."""
        self._violations.require(not on_screen, f"{', '.join(on_screen)} left on screen")
        for request in self._requests.values():
            # A broker that crashed while it withdrew a request ended it without a message.
            has_ended = (
                request.id in self._ended
                or request.call_id in self._result_times_s
                or self._calls.find_result(request.call_id) is not None
            )
            self._violations.require(has_ended, f"{request.id} never ended")

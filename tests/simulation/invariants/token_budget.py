"""The token budget of a tree: what is used, what the user allowed, and who may send a request."""

from actors.agents.turn.limits import Limits, Weights, weigh_tokens
from messages.address import PRIMARY, Address
from messages.approvals import ApprovalDecided, ApprovalUnavailable, QuestionRequest
from messages.base import Message
from messages.content import Usage
from messages.turns import ModelRetrying, ReplyCompleted, TurnFailed, TurnInterrupted
from tests.simulation.invariants.violations import Violations


class TokenBudget:
    """Checks each request of one run against what all agents have used, failed requests aside."""

    def __init__(self, violations: Violations) -> None:
        self._violations = violations
        self.allowed_tokens: int | None = None
        self._limit_tokens = 0
        self._used_tokens = 0
        self._max_in_flight_tokens = 0
        self._question_id = ""

    def start_run(self, limits: Limits, slot_limit: int, request_usage: Usage) -> None:
        """Start a run of the program; the primary agent needs no slot."""
        no_limits = limits.tokens is None
        self._limit_tokens = 0 if limits.tokens is None else weigh_limit(limits.tokens)
        self.allowed_tokens = None if no_limits else self._limit_tokens
        self._used_tokens, self._question_id = 0, ""
        self._max_in_flight_tokens = (slot_limit + 1) * weigh_tokens(request_usage, Weights())

    def on_send(self, to: Address, message: Message, *, is_own_event: bool) -> None:
        """Track usage that an agent reports, questions and answers."""
        match message:
            case ReplyCompleted() | ModelRetrying() if is_own_event:
                self._used_tokens += weigh_tokens(message.usage, Weights())
            case TurnFailed() | TurnInterrupted() if is_own_event:
                self._used_tokens += weigh_tokens(message.request.usage, Weights())
            case QuestionRequest(limit="token_budget"):
                self._question_id = message.id
            case ApprovalDecided() | ApprovalUnavailable() if (
                to == PRIMARY and message.id == self._question_id
            ):
                self._question_id = ""
                is_extended = isinstance(message, ApprovalDecided) and message.answers != ("Stop",)
                if is_extended and self.allowed_tokens is not None:
                    self.allowed_tokens += self._limit_tokens
            case _:
                pass

    def check_request(self) -> None:
        """Check that the tree exceeds its budget at most by the requests in flight."""
        if self.allowed_tokens is not None:
            self._violations.require(
                self._used_tokens < self.allowed_tokens + self._max_in_flight_tokens,
                f"sent a request after {self._used_tokens} of {self.allowed_tokens} tokens",
            )


def weigh_limit(tokens: int) -> int:
    """Return a limit in the unit of weighted tokens."""
    return tokens * Weights().input

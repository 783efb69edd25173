"""Each tool call has one result, and no effect that was not allowed or comes too late."""

from collections import Counter

from messages.address import CONSOLE, JOURNAL, PRIMARY, Address
from messages.approvals import (
    AnyApprovalRequest,
    ExecApprovalRequest,
    PatchApprovalRequest,
    SubmitDecision,
)
from messages.base import Message
from messages.content import ToolUseBlock
from messages.journal import Append, Record
from messages.turns import (
    CancelTurn,
    ReplyCompleted,
    ToolEnded,
    ToolStarted,
    TurnCompleted,
    TurnFailed,
    TurnInterrupted,
    TurnStarted,
)
from tests.simulation.invariants.permissions import PermissionInvariants
from tests.simulation.invariants.violations import Violations

CHANGING_EFFECTS = ("starts", "changes")
EFFECT_PERMISSIONS = {"looks": "read", "changes": "write", "starts": "bash", "works": "bash"}
"""The permission that each effect needs."""


class ToolCallInvariants:
    """Finds the call of an effect by the tag in the call's arguments."""

    def __init__(self, violations: Violations, permissions: PermissionInvariants) -> None:
        self._violations = violations
        self._permissions = permissions
        self._calls_by_tag: dict[str, ToolUseBlock] = {}
        self._turns: dict[str, int] = {}
        self._effect_counts: Counter[str] = Counter()
        self._started: set[str] = set()
        """Ids of calls whose start is on disk."""
        self._results: dict[str, ToolEnded] = {}
        self._ended_turns: set[int] = set()
        self._cancelled_turns: set[int] = set()
        self._approved: set[tuple[str, str]] = set()
        """Call ids with the details that the user approved."""
        self.is_agent_running = True

    def on_tool_use(self, tag: str, call: ToolUseBlock) -> None:
        """Observe a call that the model makes."""
        self._calls_by_tag[tag] = call

    def start_run(self, records: tuple[Record, ...]) -> None:
        """Start a run of the program from the records on disk."""
        self._results, self._turns = {}, {}
        self._ended_turns, self._cancelled_turns = set(), set()
        self.is_agent_running = True
        for record in records:
            self._add_record(record)

    def on_synced_record(self, record: Message) -> None:
        """Observe a record that is on disk."""
        if isinstance(record, ToolStarted):
            self._started.add(record.call_id)
        elif isinstance(record, ReplyCompleted | ToolEnded):  # perhaps of an earlier incarnation
            self._add_record(record)

    def on_send(self, to: Address, message: Message, sender: Address) -> None:
        """Observe what the agent sends to the journal and the console."""
        if sender != PRIMARY:
            return
        if to == JOURNAL and isinstance(message, Append):
            for record in message.records:
                self._add_record(record)
                self._check_turn_end(record)
        elif to == CONSOLE and isinstance(message, TurnCompleted | TurnInterrupted | TurnFailed):
            self._ended_turns.add(message.turn)
        elif to == CONSOLE and isinstance(message, TurnStarted | ToolStarted):
            is_live = message.turn not in self._cancelled_turns
            self._violations.require(
                is_live, f"{message.type} of turn {message.turn} after its cancel"
            )

    def on_received(self, by: Address, message: Message) -> None:
        """Observe what the agent has handled."""
        if by == PRIMARY and isinstance(message, CancelTurn):
            self._cancelled_turns.add(message.turn)

    def _check_turn_end(self, record: Record) -> None:
        if isinstance(record, TurnCompleted | TurnInterrupted | TurnFailed):
            calls = [call_id for call_id, turn in self._turns.items() if turn == record.turn]
            open_calls = [call_id for call_id in calls if call_id not in self._results]
            self._violations.require(
                not open_calls,
                f"turn {record.turn} ends without a result of {', '.join(open_calls)}",
            )

    def _add_record(self, record: Record) -> None:
        match record:
            case ReplyCompleted():
                calls = [block for block in record.content if isinstance(block, ToolUseBlock)]
                self._turns.update({call.id: record.turn for call in calls})
            case ToolEnded():
                known = self._results.setdefault(record.call_id, record)
                self._violations.require(known == record, f"{record.call_id} has two results")
            case _:
                pass

    def find_result(self, call_id: str) -> ToolEnded | None:
        """Return the result of a call, or None if it has none yet."""
        return self._results.get(call_id)

    def on_user_decision(self, request: AnyApprovalRequest, submitted: SubmitDecision) -> None:
        """Observe the user's decision on what was shown."""
        if submitted.decision != "no":
            details = ""
            if isinstance(request, PatchApprovalRequest):
                details = request.diff
            elif isinstance(request, ExecApprovalRequest):
                details = request.command
            self._approved.add((request.call_id, details))
        self._permissions.on_user_decision(request, submitted)

    def on_effect(self, tag: str, effect: str, details: str) -> None:
        """Check an effect; after a power cut there are none."""
        if self._violations.is_closed:
            return
        call = self._calls_by_tag.get(tag)
        if call is None:
            self._violations.report(f"{tag} {effect}, and the model made no such call")
            return
        require, call_id = self._violations.require, call.id
        require(call_id not in self._results, f"{call_id} {effect} after its result")
        turn = self._turns.get(call_id)
        require(turn not in self._ended_turns, f"{call_id} {effect} after its turn")
        require(self.is_agent_running, f"{call_id} {effect} after its agent's end")
        is_allowed = (call_id, details) in self._approved or self._permissions.has_allowed_call(
            call_id, EFFECT_PERMISSIONS[effect]
        )
        require(is_allowed, f"{call_id} {effect}, and it was not allowed: {details}")
        if effect in CHANGING_EFFECTS:
            self._effect_counts[call_id] += 1
            require(self._effect_counts[call_id] == 1, f"{call_id} {effect} again")
            require(call_id in self._started, f"{call_id} {effect} before its start is on disk")

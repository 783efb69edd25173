"""The account of tool calls: one result each, and no effect that was not allowed, or too late."""

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
from tests.simulation.in_memory_workspace import LOOK_TOOL
from tests.simulation.invariants.permissions import PermissionInvariants
from tests.simulation.violations import Violations


class ToolCallInvariants:
    """Knows each call by the tag in its arguments, which its effects name."""

    def __init__(self, ledger: Violations, policies: PermissionInvariants) -> None:
        self._ledger = ledger
        self._policies = policies
        self._meant: dict[str, ToolUseBlock] = {}
        self._turns: dict[str, int] = {}
        self._begun: Counter[str] = Counter()
        self._started: set[str] = set()
        self._results: dict[str, ToolEnded] = {}
        self._over: set[int] = set()
        self._cancelled: set[int] = set()
        self._yes: set[tuple[str, str]] = set()
        self.is_agent_alive = True
        self.has_abandoned_job = False
        """A job was deaf to the end: what it still does is nobody's fault."""

    def on_tool_use(self, tag: str, use: ToolUseBlock) -> None:
        """Hear of a call as the model writes it."""
        self._meant[tag] = use

    def start_run(self, records: tuple[Record, ...]) -> None:
        """Start from what is on disk; what was only under way is gone."""
        self._results, self._turns, self._over, self._cancelled = {}, {}, set(), set()
        self.is_agent_alive, self.has_abandoned_job = True, False
        for record in records:
            self._recorded(record)

    def on_synced_record(self, record: Message) -> None:
        """Hear of a record that is on disk."""
        if isinstance(record, ToolStarted):
            self._started.add(record.call_id)
        elif isinstance(record, ReplyCompleted | ToolEnded):  # perhaps of an earlier life
            self._recorded(record)

    def on_send(self, to: Address, message: Message, sender: Address) -> None:
        """Hear what the agent tells the journal and the console."""
        if sender != PRIMARY:
            return
        if to == JOURNAL and isinstance(message, Append):
            for record in message.records:
                self._recorded(record)
                self._closed(record)
        elif to == CONSOLE and isinstance(message, TurnCompleted | TurnInterrupted | TurnFailed):
            self._over.add(message.turn)
        elif to == CONSOLE and isinstance(message, TurnStarted | ToolStarted):
            begins = message.turn not in self._cancelled
            self._ledger.require(begins, f"{message.type} of turn {message.turn} after its cancel")

    def on_received(self, by: Address, message: Message) -> None:
        """Hear what the agent has handled to its end."""
        if by == PRIMARY and isinstance(message, CancelTurn):
            self._cancelled.add(message.turn)

    def _closed(self, record: Record) -> None:
        if isinstance(record, TurnCompleted | TurnInterrupted | TurnFailed):
            calls = [each for each, turn in self._turns.items() if turn == record.turn]
            open_calls = [each for each in calls if each not in self._results]
            what = f"turn {record.turn} ends without a result of {', '.join(open_calls)}"
            self._ledger.require(not open_calls, what)

    def _recorded(self, record: Record) -> None:
        match record:
            case ReplyCompleted():
                uses = [each for each in record.content if isinstance(each, ToolUseBlock)]
                self._turns.update({use.id: record.turn for use in uses})
            case ToolEnded():
                known = self._results.setdefault(record.call_id, record)
                self._ledger.require(known == record, f"{record.call_id} has two results")
            case _:
                pass

    def find_result(self, call_id: str) -> ToolEnded | None:
        """Tell the result of a call, once there is one."""
        return self._results.get(call_id)

    def on_user_decision(self, request: AnyApprovalRequest, given: SubmitDecision) -> None:
        """Hear what the person said to what they saw."""
        if given.decision != "no":
            shown = request.diff if isinstance(request, PatchApprovalRequest) else ""
            shown = request.command if isinstance(request, ExecApprovalRequest) else shown
            self._yes.add((request.call_id, shown))
        self._policies.on_user_decision(request, given)

    def on_effect(self, tag: str, what: str, shown: str) -> None:
        """Hear of an effect on the world; after a power cut there is none."""
        if self._ledger.is_closed:
            return
        use = self._meant.get(tag)
        if use is None:
            self._ledger.require(
                condition=False, message=f"{tag} {what}, and no model asked for it"
            )
            return
        require, call_id = self._ledger.require, use.id
        require(call_id not in self._results, f"{call_id} {what} after its result")
        require(self._turns.get(call_id) not in self._over, f"{call_id} {what} after its turn")
        require(
            self.is_agent_alive or self.has_abandoned_job, f"{call_id} {what} after its agent's end"
        )
        require(self._allowed(use, shown), f"{call_id} {what}, and nobody allowed it: {shown}")
        if what in ("begins", "changes"):
            self._begun[call_id] += 1
            require(self._begun[call_id] == 1, f"{call_id} {what} again")
            require(call_id in self._started, f"{call_id} {what}, and its start is not on disk")

    def _allowed(self, use: ToolUseBlock, shown: str) -> bool:
        """Whether the engine allowed it, or the person's own yes to exactly this."""
        path = str(use.input.get("path", ""))
        text = f"look {path}" if use.name == LOOK_TOOL else shown
        return (use.id, text) in self._yes or self._policies.has_allowed_call(use.id)

"""What an agent knows about the compaction of its conversation."""

from collections.abc import Iterable
from dataclasses import dataclass

from actors.agents.turn.limits import count_tokens
from actors.agents.turn.with_changes import with_changes
from messages.address import Address
from messages.base import Message
from messages.compaction import Compacted, CompactionTrigger
from messages.journal import Record
from messages.subagents import SubagentEnded, SubagentStarted
from messages.turns import ReplyCompleted, ToolEnded, TurnStarted

MAX_LOW_GAINS = 3
"""Compactions in a row that may gain little before automatic ones stop."""
_MIN_GAIN = 0.2


@dataclass(frozen=True, slots=True)
class CompactionSettings:
    """The user's settings of compaction."""

    model: str = ""
    """Writes the summaries; empty: the agent's own model, whose cache then applies."""
    threshold: float = 0.75
    """Share of the usable window at which compaction starts in the background."""
    remote: bool = False
    """Let the provider summarize, where it can. Off by default: its block is readable only to it,
    ties the conversation to one server, and keeps sentences that our summaries leave out."""


@dataclass(frozen=True, slots=True)
class RunningCompaction:
    """A compaction whose subagent has not ended."""

    child: Address
    number: int
    trigger: CompactionTrigger
    is_lost: bool = False
    """Its subagent ended with an earlier run or incarnation."""


@dataclass(frozen=True)
class CompactionState:
    """Compactions so far, and the one that is running."""

    settings: CompactionSettings = CompactionSettings()
    last_number: int = 0
    running: RunningCompaction | None = None
    ready: Compacted | None = None
    """A replacement that waits until no model request is running."""
    has_reply: bool = True
    """The model has replied since the last compaction."""
    compacted_from_tokens: int = 0
    """Size before the last compaction, until a reply shows what it gained."""
    low_gain_count: int = 0
    """Compactions in a row that gained little."""
    has_reported_stop: bool = False
    """The user knows that automatic compaction has stopped."""
    overflow_count: int = 0
    """Requests in a row that the model refused as too long."""
    failed_turn: int = 0
    """The last turn in which an automatic compaction failed; the next one tries again."""
    added_chars: int = 0
    """Text added to the conversation since the model last counted it."""

    @property
    def has_stopped(self) -> bool:
        """Automatic compaction gains too little."""
        return self.low_gain_count >= MAX_LOW_GAINS

    def with_running(self, running: RunningCompaction) -> "CompactionState":
        """Return the state after a compaction started."""
        return with_changes(self, running=running, last_number=running.number)

    def with_reply(self, context_tokens: int) -> "CompactionState":
        """Return the state after a reply of the model, which counted the conversation."""
        low_gain_count = self.low_gain_count
        if self.compacted_from_tokens:
            has_gained = context_tokens <= (1 - _MIN_GAIN) * self.compacted_from_tokens
            low_gain_count = 0 if has_gained else low_gain_count + 1
        return with_changes(
            self,
            has_reply=True,
            compacted_from_tokens=0,
            low_gain_count=low_gain_count,
            overflow_count=0,
            added_chars=0,
        )

    def with_compacted(self, compacted: Compacted) -> "CompactionState":
        """Return the state after the earlier messages were replaced."""
        return with_changes(
            self,
            ready=None,
            has_reply=False,
            compacted_from_tokens=compacted.tokens_before,
            added_chars=0,
        )

    def with_failure(
        self, trigger: CompactionTrigger, turn: int, *, is_final: bool
    ) -> "CompactionState":
        """Return the state after a compaction that replaced nothing."""
        if trigger == "user":
            return self
        low_gain_count = MAX_LOW_GAINS if is_final else self.low_gain_count
        return with_changes(
            self,
            low_gain_count=low_gain_count,
            has_reported_stop=self.has_reported_stop or is_final,  # the failure is reported
            failed_turn=turn,
        )

    def with_records(self, records: Iterable[Record], agent: str) -> "CompactionState":
        """Return the state of an agent with these records."""
        state = self
        for record in records:
            match record:
                case ReplyCompleted():
                    state = state.with_reply(count_tokens(record.usage))
                case Compacted():
                    state = state.with_compacted(record)
                case ToolEnded() | TurnStarted():
                    chars = state.added_chars + count_chars(record)
                    state = with_changes(state, added_chars=chars)
                case SubagentStarted() if _is_compactor(record) and record.parent == agent:
                    number = state.last_number + 1
                    running = RunningCompaction(record.child, number, "automatic", is_lost=True)
                    state = state.with_running(running)
                case SubagentEnded() if state.running and record.child == state.running.child:
                    state = with_changes(state, running=None)
                case _:
                    pass
        return state


def count_chars(record: Message) -> int:
    """Return how much text a record adds that the model has not counted yet."""
    match record:
        case ToolEnded():
            return len(record.text)
        case TurnStarted():
            return len(record.prompt)
        case _:
            return 0


def _is_compactor(started: SubagentStarted) -> bool:
    return started.subagent_source.kind == "compact"

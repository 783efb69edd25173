"""What a compaction replaces, whether that can help, and the resulting record. Pure."""

from dataclasses import dataclass

from actors.agents.compaction.ledger import cut_middle
from actors.agents.compaction.summary_request import measure
from actors.agents.turn.context_window import CHARS_PER_TOKEN
from actors.agents.turn.history_splice import Json, build_replacement
from actors.models.model_client import ModelRequest
from messages.compaction import Compacted, CompactionMethod, CompactionTrigger
from messages.content import Usage
from messages.policy import PermissionMode

MAX_SUMMARY_TOKENS = 8_000
MAX_LEDGER_MESSAGE_TOKENS = 20_000
"""Of the user's messages in the ledger."""
_MAX_WINDOW_SHARE = 0.125
"""Of the summary, and of the user's messages in the ledger, each."""
_MAX_OVERHEAD_SHARE = 0.5
_MIN_REPLACED_SHARE = 0.2
_MIN_SUMMARY_CHARS = 2_000
"""A summary of a short conversation keeps at least this much."""
_HEADER_BYTES = 800
"""For the headers of summary and ledger."""
_MAX_TOKENS_PER_BYTE = 0.5
"""Of the densest text; some servers count something else."""

NOTHING_TO_REPLACE = "there is nothing to summarize yet"
MOSTLY_NEW = (
    "the newest messages, which stay as they are, take about {tail:,} of {total:,} tokens; start a "
    "new session with /clear, or choose a model with a larger context window with /model"
)
TOO_MUCH_OVERHEAD = (
    "system prompt and instructions ({system:,} tokens), tools ({tools:,}) and ledger "
    "({ledger:,}) take more than half of the usable context window ({usable:,} tokens), so it "
    "would be full again at once; shorten the instruction files, offer fewer tools, or choose a "
    "model with a larger context window with /model"
)


@dataclass(frozen=True, slots=True)
class RequestSizes:
    """Sizes of the parts of a request, in bytes; measured once, because it may be very long."""

    system: int
    tools: int
    head: int
    """The messages that are replaced."""
    tail: int
    """The others."""

    @property
    def total(self) -> int:
        """The whole request."""
        return self.system + self.tools + self.head + self.tail


def measure_request(request: ModelRequest, message_count: int) -> RequestSizes:
    """Return the sizes of a request whose first messages are replaced."""
    return RequestSizes(
        measure(request.system),
        measure(request.tools),
        measure(request.messages[:message_count]),
        measure(request.messages[message_count:]),
    )


@dataclass(frozen=True, slots=True)
class SummaryPlan:
    """One compaction, as it starts."""

    number: int
    trigger: CompactionTrigger
    request: ModelRequest
    """The agent's next request; its first messages are summarized."""
    message_count: int
    """How many are."""
    sizes: RequestSizes
    context_tokens: int
    """Estimated size of the whole request; 0: unknown."""
    usable_tokens: int
    """As `get_usable_tokens`."""
    ledger: str
    """Without what the permission engine knows."""
    max_mode: PermissionMode
    """The agent's."""
    prefix: str
    """Id of the request's prefix."""
    must_succeed: bool = False
    """As in `StartCompactor`."""
    instructions: str = ""
    """The user's wish."""
    tries_remote: bool = False
    """Ask the provider for a block first."""
    plain_head: tuple[Json, ...] = ()
    """If the request starts with a compaction block: the replaced messages without it."""

    @property
    def head(self) -> tuple[Json, ...]:
        """The messages that are replaced."""
        return self.request.messages[: self.message_count]

    def find_overhead(self, ledger: str) -> str:
        """Return what takes so much space that no compaction can help; empty if nothing does."""
        sizes, per_byte = self.sizes, self._tokens_per_byte
        if (
            sizes.system + sizes.tools + len(ledger)
        ) * per_byte <= _MAX_OVERHEAD_SHARE * self.usable_tokens:
            return ""
        return TOO_MUCH_OVERHEAD.format(
            system=int(sizes.system * per_byte),
            tools=int(sizes.tools * per_byte),
            ledger=int(len(ledger) * per_byte),
            usable=self.usable_tokens,
        )

    def find_problem(self) -> str:
        """Return why this compaction cannot help; empty if it can."""
        if not self.message_count:
            return NOTHING_TO_REPLACE
        sizes, per_byte = self.sizes, self._tokens_per_byte
        is_worthwhile = sizes.head >= _MIN_REPLACED_SHARE * (sizes.head + sizes.tail)
        if is_worthwhile or self.trigger == "user":
            return ""
        return MOSTLY_NEW.format(tail=int(sizes.tail * per_byte), total=int(sizes.total * per_byte))

    def is_small_enough(self, block: str) -> bool:
        """Return whether a block is not longer than what it replaces, if that is not very short."""
        return len(block.encode()) <= max(self.sizes.head, _MIN_SUMMARY_CHARS)

    def build_compacted(
        self,
        method: CompactionMethod,
        ledger: str,
        usage: Usage,
        summary: str = "",
        block: str = "",
    ) -> Compacted:
        """Return the record of this compaction.

        A summary that is too long loses its middle: the result is shorter than what it replaces,
        unless that is very short itself.
        """
        head_bytes = self.sizes.head
        max_chars = min(
            limit_tokens(MAX_SUMMARY_TOKENS, self.usable_tokens) * CHARS_PER_TOKEN,
            head_bytes - len(ledger.encode()) - _HEADER_BYTES,
        )
        compacted = Compacted(
            number=self.number,
            trigger=self.trigger,
            method=method,
            message_count=self.message_count,
            summary=cut_middle(summary, max(max_chars, _MIN_SUMMARY_CHARS)),
            block=block,
            block_prefix=self.prefix if block else "",
            ledger=ledger,
            tokens_before=self.context_tokens or int(self.sizes.total * self._tokens_per_byte),
            tokens_after=0,
            usage=usage,
        )
        saved_bytes = head_bytes - measure(build_replacement(compacted))
        tokens_after = compacted.tokens_before - int(saved_bytes * self._tokens_per_byte)
        return compacted.model_copy(update={"tokens_after": max(tokens_after, 0)})

    @property
    def _tokens_per_byte(self) -> float:
        """The ratio that the model's own count gives, if it is plausible; else an estimate."""
        if not self.context_tokens:
            return 1 / CHARS_PER_TOKEN
        return min(self.context_tokens / self.sizes.total, _MAX_TOKENS_PER_BYTE)


def limit_tokens(max_tokens: int, usable_tokens: int) -> int:
    """Return a limit that also leaves room in a small window."""
    return min(max_tokens, int(_MAX_WINDOW_SHARE * usable_tokens))

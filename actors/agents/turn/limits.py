"""An agent's limits and what it has used of them."""

from dataclasses import dataclass

from actors.agents.turn.with_changes import with_changes
from messages.content import Usage
from messages.failure_reasons import LimitReason

TURNS_SETTING = "--max-turns, or turns in [budget]"
SECONDS_SETTING = "--time-limit, or seconds in [budget]"


WEIGHT_UNIT = 1_000
"""Weights are whole thousandths, so that their sums are exact and agree between agents."""


@dataclass(frozen=True, slots=True)
class Weights:
    """How much one token of each kind counts against the token budget, in thousandths."""

    input: int = WEIGHT_UNIT
    output: int = WEIGHT_UNIT
    cache_read: int = WEIGHT_UNIT
    cache_write: int = WEIGHT_UNIT


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of an agent; None means no limit."""

    turns: int | None = None
    """Model requests per prompt; a retried request counts once."""
    tokens: int | None = None
    """Weighted tokens read and written in one run of the program."""
    weights: Weights = Weights()
    seconds: float | None = None
    """Seconds per prompt; time spent waiting for approval does not count."""
    turns_setting: str = TURNS_SETTING
    """Where `turns` is set, for the user."""
    seconds_setting: str = SECONDS_SETTING


@dataclass(frozen=True, slots=True)
class LimitReached:
    """A limit that ends the turn."""

    reason: LimitReason
    detail: str


@dataclass(frozen=True, slots=True)
class TimerState:
    """Timer of a turn's time limit; it is paused while the turn waits for approval."""

    remaining_s: float | None = None
    """Time left when the timer was last started; None: no limit."""
    is_running: bool = False
    """The timer was started and has not yet reported that it stopped."""
    is_pausing: bool = False
    """The timer was asked to stop."""


@dataclass(frozen=True)
class UsageTotals:
    """What an agent has used."""

    limits: Limits = Limits()
    earlier_runs: Usage = Usage()  # noqa: RUF009  (frozen, so it may be shared)
    """Usage in earlier runs of the session."""
    this_run: Usage = Usage()  # noqa: RUF009  (as above)
    """The agent's own usage in this run."""
    subagents: Usage = Usage()  # noqa: RUF009  (as above)
    """Usage of its subagents in this run."""
    reply_count: int = 0
    """Replies to the current prompt."""
    context_tokens: int = 0
    """Size of the conversation after the last reply."""
    budget_exhausted: str = ""
    """Which limit of an ancestor forbids further requests; empty: none."""

    @property
    def total(self) -> Usage:
        """Usage of the whole session."""
        return self.earlier_runs + self.this_run + self.subagents

    def with_own(self, usage: Usage) -> "UsageTotals":
        """Return the totals after a request of the agent itself, failed or not."""
        return with_changes(self, this_run=self.this_run + usage)

    def with_reply(self, usage: Usage) -> "UsageTotals":
        """Return the totals after a complete reply, whose usage is counted by `with_own`."""
        return with_changes(
            self, reply_count=self.reply_count + 1, context_tokens=count_tokens(usage)
        )

    def with_subagent(self, usage: Usage) -> "UsageTotals":
        """Return the totals after a request of a subagent."""
        return with_changes(self, subagents=self.subagents + usage)

    def with_next_prompt(self) -> "UsageTotals":
        """Return the totals at the start of the next prompt."""
        return with_changes(self, reply_count=0)


def count_tokens(usage: Usage) -> int:
    """Count all tokens read and written."""
    read = usage.cache_creation_input_tokens + usage.cache_read_input_tokens
    return usage.input_tokens + read + usage.output_tokens


def weigh_tokens(usage: Usage, weights: Weights) -> int:
    """Return what the tokens count against the token budget, in thousandths of a token."""
    return (
        usage.input_tokens * weights.input
        + usage.output_tokens * weights.output
        + usage.cache_read_input_tokens * weights.cache_read
        + usage.cache_creation_input_tokens * weights.cache_write
    )


def find_reached_limit(totals: UsageTotals) -> LimitReached | None:
    """Return the limit that forbids the next request, if any."""
    limits = totals.limits
    used = weigh_tokens(totals.this_run + totals.subagents, limits.weights)
    if limits.turns is not None and totals.reply_count >= limits.turns:
        plural = "" if limits.turns == 1 else "s"
        return LimitReached(
            "max_turns",
            f"stopped after {limits.turns} request{plural} to the model, the limit per prompt "
            f"({limits.turns_setting})",
        )
    if limits.tokens is not None and used >= limits.tokens * WEIGHT_UNIT:
        return LimitReached(
            "token_budget",
            f"stopped after {used / WEIGHT_UNIT:,.15g} tokens; the limit is {limits.tokens:,} "
            "(tokens in [budget])",
        )
    return None


def build_time_limit_reached(limits: Limits) -> LimitReached:
    """Return the limit for a prompt whose time is up."""
    return LimitReached(
        "time_limit",
        f"stopped after {limits.seconds:g} s, the limit per prompt ({limits.seconds_setting})",
    )

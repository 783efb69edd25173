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
    """A limit at which the user is asked whether to continue; otherwise it ends the turn."""

    reason: LimitReason
    detail: str
    extension: str = ""
    """What "continue" adds, for the user."""
    spawn_limit: int = 0
    """With `spawn_budget`: the limit that was reached."""

    @property
    def pauses_subtree(self) -> bool:
        """It also concerns what the agent's subagents do now."""
        return self.reason in ("token_budget", "time_limit")


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
    allowed_turns: int | None = None
    """Replies to the current prompt that the user allowed; None: `limits.turns`."""
    allowed_tokens: int | None = None
    """Thousandths of weighted tokens in this run that the user, or for a subagent the agent that
    started it, allowed; None: `limits.tokens`."""

    @property
    def max_turns(self) -> int | None:
        """Replies to the current prompt; None: no limit."""
        return self.limits.turns if self.allowed_turns is None else self.allowed_turns

    @property
    def max_tokens(self) -> int | None:
        """Thousandths of weighted tokens in this run; None: no limit."""
        tokens = None if self.limits.tokens is None else self.limits.tokens * WEIGHT_UNIT
        return tokens if self.allowed_tokens is None else self.allowed_tokens

    @property
    def used_tokens(self) -> int:
        """Thousandths of weighted tokens that the agent and its subagents used in this run."""
        return weigh_tokens(self.this_run + self.subagents, self.limits.weights)

    @property
    def tokens_left(self) -> int | None:
        """What is left of `max_tokens`; None: no limit."""
        return None if self.max_tokens is None else max(self.max_tokens - self.used_tokens, 0)

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
        return with_changes(self, reply_count=0, allowed_turns=None)

    def with_tokens_left(self, tokens_left: int | None) -> "UsageTotals":
        """Return the totals of a subagent that may use as many tokens from now on."""
        allowed = None if tokens_left is None else self.used_tokens + tokens_left
        return with_changes(self, allowed_tokens=allowed)

    def with_extension(self, reason: LimitReason) -> "UsageTotals":
        """Return the totals after the user allowed another such amount of requests or tokens."""
        limits = self.limits
        if reason == "max_turns" and self.max_turns is not None:
            return with_changes(self, allowed_turns=self.max_turns + (limits.turns or 0))
        if reason == "token_budget" and self.max_tokens is not None:
            more = (limits.tokens or 0) * WEIGHT_UNIT
            return with_changes(self, allowed_tokens=self.max_tokens + more)
        return self


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
    limits, turns = totals.limits, totals.max_turns
    if turns is not None and totals.reply_count >= turns:
        return LimitReached(
            "max_turns",
            f"stopped after {_count(turns, 'request')} to the model, the limit per prompt "
            f"({limits.turns_setting})",
            f"another {_count(limits.turns or turns, 'request')}",
        )
    return find_token_limit(totals)


def find_token_limit(totals: UsageTotals) -> LimitReached | None:
    """Return the token limit if it is reached."""
    if totals.max_tokens is None or totals.used_tokens < totals.max_tokens:
        return None
    used, limit = totals.used_tokens / WEIGHT_UNIT, totals.max_tokens / WEIGHT_UNIT
    return LimitReached(
        "token_budget",
        f"stopped after {used:,.15g} tokens; the limit is {limit:,.15g} (tokens in [budget])",
        f"another {totals.limits.tokens or 0:,} tokens",
    )


def build_time_limit_reached(limits: Limits) -> LimitReached:
    """Return the limit for a prompt whose time is up."""
    return LimitReached(
        "time_limit",
        f"stopped after {limits.seconds:g} s, the limit per prompt ({limits.seconds_setting})",
        f"another {limits.seconds:g} s",
    )


def build_spawn_limit_reached(detail: str, limit: int) -> LimitReached:
    """Return the limit of an agent that may start no more subagents."""
    return LimitReached("spawn_budget", detail, "as many subagents again", limit)


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"

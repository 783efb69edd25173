"""How far an agent may go, what it has used so far, and when that is enough."""

from dataclasses import dataclass

from messages.content import Usage
from messages.model_events import LimitReason


@dataclass(frozen=True, slots=True)
class Limits:
    """None: no limit."""

    turns: int | None = None
    """Requests to the model for one prompt; one that had to be sent again counts once."""
    tokens: int | None = None
    """Read and written in one run of the program, cached ones included."""
    seconds: float | None = None
    """For one prompt; waiting for a person's approval does not count."""


@dataclass(frozen=True, slots=True)
class LimitReached:
    """A limit that ends the turn."""

    reason: LimitReason
    detail: str


@dataclass(frozen=True, slots=True)
class TimerState:
    """The time limit of a turn; it stands still while a person is asked."""

    remaining_s: float | None = None
    """When the clock was last started; None: no limit."""
    is_running: bool = False
    """It was started, and has not yet said that it stopped."""
    is_pausing: bool = False
    """It was told to stop."""


@dataclass(frozen=True, slots=True)
class UsageTotals:
    """What an agent has used."""

    limits: Limits = Limits()
    earlier_runs: Usage = Usage()  # noqa: RUF009  (frozen, so it may be shared)
    """In earlier runs of the session."""
    this_run: Usage = Usage()  # noqa: RUF009  (as above)
    """In this run."""
    subagents: Usage = Usage()  # noqa: RUF009  (as above)
    """By those below, in this run."""
    reply_count: int = 0
    """To the prompt at hand."""
    context_tokens: int = 0
    """The conversation as the last reply left it."""

    @property
    def total(self) -> Usage:
        """Of the whole session."""
        return self.earlier_runs + self.this_run + self.subagents


def count_tokens(usage: Usage) -> int:
    """Count every token that was read or written."""
    read = usage.cache_creation_input_tokens + usage.cache_read_input_tokens
    return usage.input_tokens + read + usage.output_tokens


def find_reached_limit(totals: UsageTotals) -> LimitReached | None:
    """Say which limit forbids the next request, if one does."""
    limits, used = totals.limits, count_tokens(totals.this_run + totals.subagents)
    if limits.turns is not None and totals.reply_count >= limits.turns:
        plural = "" if limits.turns == 1 else "s"
        said = f"stopped after {limits.turns} request{plural} to the model, the limit for a prompt"
        return LimitReached("max_turns", f"{said} (--max-turns, or turns in [budget])")
    if limits.tokens is not None and used >= limits.tokens:
        return LimitReached(
            "token_budget", f"stopped after {used} tokens; tokens in [budget] is {limits.tokens}"
        )
    return None


def build_time_limit_reached(limits: Limits) -> LimitReached:
    """Say that the time for a prompt is up."""
    return LimitReached(
        "time_limit",
        f"stopped after {limits.seconds:g} s, the limit for a prompt (--time-limit, or seconds in "
        "[budget])",
    )

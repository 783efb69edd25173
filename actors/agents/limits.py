"""How far an agent may go, what it has used so far, and when that is enough."""

from dataclasses import dataclass

from messages.content import Usage
from messages.models import LimitReason


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

    left_s: float | None = None
    """When the clock was last started; None: no limit."""
    runs: bool = False
    """It was started, and has not yet said that it stopped."""
    held: bool = False
    """It was told to stop."""


@dataclass(frozen=True, slots=True)
class UsageTotals:
    """What an agent has used."""

    limits: Limits = Limits()
    before: Usage = Usage()  # noqa: RUF009  (frozen, so it may be shared)
    """In earlier runs of the session."""
    spent: Usage = Usage()  # noqa: RUF009  (as above)
    """In this run."""
    below: Usage = Usage()  # noqa: RUF009  (as above)
    """By those below, in this run."""
    reply_count: int = 0
    """To the prompt at hand."""
    context_tokens: int = 0
    """The conversation as the last reply left it."""

    @property
    def total(self) -> Usage:
        """Of the whole session."""
        return self.before + self.spent + self.below


def tokens_of(usage: Usage) -> int:
    """Count every token that was read or written."""
    read = usage.cache_creation_input_tokens + usage.cache_read_input_tokens
    return usage.input_tokens + read + usage.output_tokens


def reached(account: UsageTotals) -> LimitReached | None:
    """Say which limit forbids the next request, if one does."""
    limits, used = account.limits, tokens_of(account.spent + account.below)
    if limits.turns is not None and account.reply_count >= limits.turns:
        plural = "" if limits.turns == 1 else "s"
        said = f"stopped after {limits.turns} request{plural} to the model, the limit for a prompt"
        return LimitReached("max_turns", f"{said} (--max-turns, or turns in [budget])")
    if limits.tokens is not None and used >= limits.tokens:
        return LimitReached(
            "token_budget", f"stopped after {used} tokens; tokens in [budget] is {limits.tokens}"
        )
    return None


def out_of_time(limits: Limits) -> LimitReached:
    """Say that the time for a prompt is up."""
    return LimitReached(
        "time_limit",
        f"stopped after {limits.seconds:g} s, the limit for a prompt (--time-limit, or seconds in "
        "[budget])",
    )

"""What people read while a failed request waits to be sent again."""

from messages.turns import ModelRetrying

_WORDS = {
    "overloaded": "overloaded",
    "rate_limited": "rate limit reached",
    "server_failed": "the service failed",
    "unavailable": "the service is unavailable",
    "gateway": "a gateway got no answer from the service",
    "unreachable": "no connection",
    "cut_off": "the reply was cut off",
}


def format_retry(event: ModelRetrying, remaining_s: float) -> str:
    """Say why, when and how often it is tried again."""
    why = _WORDS.get(event.reason, "the request failed")
    when = f" in {remaining_s:.0f} s" if round(remaining_s) > 0 else ""
    return f"{why}, trying again{when} ({event.attempt} of {event.max_attempts})"

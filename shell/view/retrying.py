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


def told(event: ModelRetrying, left_s: float) -> str:
    """Say why, when and how often it is tried again."""
    why = _WORDS.get(event.reason, "the request failed")
    when = f" in {left_s:.0f} s" if round(left_s) > 0 else ""
    return f"{why}, trying again{when} ({event.attempt} of {event.of})"

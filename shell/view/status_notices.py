"""What a person is told of the disk that the session is kept on."""

from pathlib import PurePath

from messages.turns import ModelRetrying, PersistenceChanged

PERSISTENCE_RECOVERED = "The session is written again; nothing that was said is missing."


def format_write_failure(event: PersistenceChanged) -> str:
    """Say that nothing is recorded, why, and what that means."""
    return (
        f"The session cannot be written ({event.detail}). Until it can, nothing is changed and "
        "nobody is asked; what is said meanwhile is kept, and lost only if Greenroom ends before."
    )


def format_persistence_line(event: PersistenceChanged) -> str:
    """Say it where there is no footer."""
    match event.state:
        case "well":
            return PERSISTENCE_RECOVERED
        case "failing":
            return format_write_failure(event)
        case "slow":
            return "The disk is slow to take what is said."


def format_persistence_warning(status: PersistenceChanged, file: str) -> str:
    """Say in a few words what stands in the footer; empty: all is well."""
    match status.state:
        case "well":
            return ""
        case "failing":
            return "⚠ the session is not saved"
        case "slow":
            return f"⚠ the disk is slow: {PurePath(file).name or 'the session'} waits"


SCRIPTED_MODEL_NOTICE = (
    "Rehearsal: no model is at work here, a script plays its part. "
    "Set ANTHROPIC_API_KEY or ANTHROPIC_BASE_URL for a real one."
)


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

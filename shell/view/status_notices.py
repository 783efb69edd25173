"""Notices about persistence, attachments, model retries and the scripted model."""

from pathlib import PurePath

from messages.effort import Effort
from messages.snapshots import SnapshotFailed
from messages.turns import ModelRetrying, PersistenceChanged, RequestPaused, TurnStarted
from shell.view.number_format import format_wait

PERSISTENCE_RECOVERED = "The session is being saved again; nothing is missing."
SCRIPTED_MODEL_NOTICE = (
    "Offline demo model: a script answers. "
    "Set ANTHROPIC_API_KEY or ANTHROPIC_BASE_URL to use a real model."
)
_FAILURES = {
    "overloaded": "the service is overloaded",
    "rate_limited": "rate limit reached",
    "context_too_long": "the conversation is too long and is being compacted",
    "thinking_rejected": "the service rejected earlier thinking, which is now left out",
    "compaction_rejected": (
        "the service rejected its own summary of earlier messages, which is now sent as text"
    ),
    "server_error": "the service failed",
    "unavailable": "the service is unavailable",
    "gateway_error": "a gateway got no response from the service",
    "unreachable": "no connection",
    "stream_interrupted": "the reply was interrupted",
}


def format_write_failure(event: PersistenceChanged) -> str:
    """Return a notice that the session cannot be saved, with the reason and the effect."""
    return (
        f"The session cannot be saved ({event.detail}). "
        "Until it can, nothing is changed and no approval is requested."
    )


def format_missing_snapshot(event: SnapshotFailed) -> str:
    """Return a notice that files are not kept, with the reason and the effect."""
    return (
        f"No snapshot of your files could be taken ({event.detail}). "
        "/undo cannot undo what is changed from here on."
    )


def format_persistence_line(event: PersistenceChanged) -> str:
    """Return the status as one line, for output without a footer."""
    match event.state:
        case "ok":
            return PERSISTENCE_RECOVERED
        case "failing":
            return format_write_failure(event)
        case "slow":
            return "Saving the session is slow."


def format_persistence_warning(status: PersistenceChanged, file: str) -> str:
    """Return the warning for the footer; empty if there is no problem."""
    match status.state:
        case "ok":
            return ""
        case "failing":
            return "⚠ session not saved"
        case "slow":
            return f"⚠ saving {PurePath(file).name or 'the session'} is slow"


def format_effort(effort: Effort | None) -> str:
    """Return the effort as the user reads it."""
    return effort or "the model's default"


def format_attached_files(event: TurnStarted) -> str:
    """Return what was attached to a prompt, as one line; empty: nothing."""
    attached = [item for item in event.attachments if not item.problem]
    names = ", ".join(f"@{item.mention} ({item.summary})" for item in attached)
    return f"Attached {names}." if names else ""


def list_attachment_problems(event: TurnStarted) -> list[str]:
    """Return a line for each file that could not be attached to a prompt."""
    return [
        f"@{item.mention} was not attached ({item.problem})."
        for item in event.attachments
        if item.problem
    ]


def format_retry(event: ModelRetrying, remaining_s: float) -> str:
    """Return the reason for a retry, the time until it and the attempt number."""
    reason = _FAILURES.get(event.reason, "the request failed")
    if event.reason == "setting_rejected":
        reason = event.detail
    when = f" in {format_wait(remaining_s)}" if round(remaining_s) > 0 else ""
    return f"{reason}, retrying{when} ({event.attempt} of {event.max_attempts})"


def format_pause(event: RequestPaused, remaining_s: float) -> str:
    """Return why no requests are sent now, and for how long."""
    how_long = f" {format_wait(remaining_s)}" if round(remaining_s) > 0 else ""
    return f"{_FAILURES.get(event.reason, 'the request failed')}, waiting{how_long}"

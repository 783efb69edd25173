"""A model request that waits: for its retry, or until the provider accepts requests again."""

from dataclasses import dataclass

from messages.turns import ModelRetrying, RequestPaused
from shell.view.status_notices import format_pause, format_retry


@dataclass(frozen=True, slots=True)
class PendingRequest:
    """Why a model request was not sent yet, and when that changes."""

    event: ModelRetrying | RequestPaused
    due_s: float


def make_pending_request(event: ModelRetrying | RequestPaused, now_s: float) -> PendingRequest:
    """Return the request that `event` reports at `now_s`."""
    return PendingRequest(event, due_s=now_s + event.wait_s)


def format_pending_request(pending: PendingRequest, now_s: float) -> str:
    """Return why the request waits and for how long."""
    remaining_s = pending.due_s - now_s
    match pending.event:
        case ModelRetrying():
            return format_retry(pending.event, remaining_s)
        case RequestPaused():
            return format_pause(pending.event, remaining_s)

"""First pass of a decision: what each request of a tool call does, from its text alone."""

from collections.abc import Iterable
from typing import NamedTuple

from actors.bash.parse import ParsedCommand, parse_command
from messages.policy import PermissionRequest

MAX_TARGET_CHARS = 200_000
"""A call with a longer target is not analyzed and asks."""


class AnalyzedRequest(NamedTuple):
    """One request of a tool, with what its text shows."""

    request: PermissionRequest
    command: ParsedCommand | None = None
    """For a command: what it would do."""
    ask_reason: str = ""
    """Why the request as a whole asks. Empty: its parts decide."""
    deny_reason: str = ""
    """Why the request as a whole is denied. Empty: the rules decide."""
    is_too_long: bool = False
    """Its target was not analyzed."""


def analyze_call(requests: Iterable[PermissionRequest]) -> tuple[AnalyzedRequest, ...]:
    """Analyze the requests of a call. Look at no file."""
    return tuple([_analyze_request(request) for request in requests])


def _analyze_request(request: PermissionRequest) -> AnalyzedRequest:
    if len(request.target) > MAX_TARGET_CHARS:
        reason = f"it is longer than {MAX_TARGET_CHARS:,} characters"
        return AnalyzedRequest(request, ask_reason=reason, is_too_long=True)
    if request.permission != "bash":
        return AnalyzedRequest(request)
    command = parse_command(request.target)
    ask_reason = command.ask_reason or ("" if command.parts else "it contains no command")
    return AnalyzedRequest(request, command, ask_reason, command.deny_reason)

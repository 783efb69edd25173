"""May a file be read unasked? For tools that open many."""

from actors.permissions.rules import Policy, judge
from messages.permissions import PermissionRequest


def may_read(target: str, within: str = "") -> bool:
    """Judge one file by the built-in defaults."""
    del within
    request = PermissionRequest(permission="read", target=target)
    return judge((request,), Policy()).action == "allow"

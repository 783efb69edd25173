"""Permission modes, from strictest to loosest."""

from typing import get_args

from messages.policy import PermissionMode

MODES: tuple[PermissionMode, ...] = get_args(PermissionMode)


def find_strictest_mode(*modes: PermissionMode) -> PermissionMode:
    """Return the strictest of several modes."""
    return min(modes, key=MODES.index)


def is_stricter(mode: PermissionMode, other: PermissionMode) -> bool:
    """Whether a mode allows less than another one."""
    return MODES.index(mode) < MODES.index(other)

"""Changes on their way to the disk, and what of them holds before they are there."""

from collections import deque

from actors.permissions.policy_changes import PolicyUpdate, apply_update, is_tightening
from messages.address import Address
from messages.permissions import ChangeMode, ReplaceRules, RevokeGrant, StoreGrant
from messages.policy import Policy


class PendingChanges:
    """One change at a time goes to the disk: each record is whole.

    What was taken back, and the last mode that was asked for, hold at once: an older change that
    reaches the disk after it loosens nothing of that. So they do where the disk refuses them.
    """

    def __init__(self) -> None:
        self._waiting: deque[tuple[PolicyUpdate, Address]] = deque()
        self._tight: tuple[PolicyUpdate, ...] = ()

    @property
    def first(self) -> PolicyUpdate | None:
        """Name the change that is being written."""
        return self._waiting[0][0] if self._waiting else None

    def add(self, update: PolicyUpdate, requester: Address) -> bool:
        """Take a change up; True: it is the first."""
        self._tight = add_tightening_update(self._tight, update)
        self._waiting.append((update, requester))
        return len(self._waiting) == 1

    def complete_first(self) -> tuple[PolicyUpdate, Address]:
        """Strike the first off: it is on disk."""
        change, asker = self._waiting.popleft()
        left = [each for each, _ in self._waiting]
        self._tight = tuple(each for each in self._tight if each != change or each in left)
        return change, asker

    def fail_first(self) -> tuple[PolicyUpdate, Address]:
        """Strike the first off: it is not on disk; what it tightened holds all the same."""
        return self._waiting.popleft()

    def with_tightening(self, policy: Policy) -> Policy:
        """Let a policy allow no more than it may."""
        for change in self._tight:
            if is_tightening(change, policy):
                policy = apply_update(policy, change)
        return policy


def add_tightening_update(
    tightening: tuple[PolicyUpdate, ...], update: PolicyUpdate
) -> tuple[PolicyUpdate, ...]:
    """Say what holds at once; a new grant of what was taken back counts again."""
    match update:
        case RevokeGrant():
            return (*tightening, update)
        case ChangeMode():
            return (*(each for each in tightening if not isinstance(each, ChangeMode)), update)
        case StoreGrant() | ReplaceRules():
            return tuple(each for each in tightening if not _gives_back(update, each))


def _gives_back(change: StoreGrant | ReplaceRules, taken: PolicyUpdate) -> bool:
    if not isinstance(change, StoreGrant) or not isinstance(taken, RevokeGrant):
        return False
    return taken.scope == change.scope and taken.rule in change.rules

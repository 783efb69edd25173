"""Policy changes that are being written to disk, and what they restrict before that."""

from collections import deque

from actors.permissions.policy_changes import PolicyUpdate, apply_update, is_tightening
from messages.address import Address
from messages.permissions import ChangeMode, ReplaceRules, RevokeGrant, StoreGrant
from messages.policy import Policy


class PendingChanges:
    """A queue of policy changes that are written one at a time, because each record is complete.

    Revocations and the last requested mode apply immediately: an older change that reaches the
    disk later cannot loosen them. They stay in effect even if writing them fails.
    """

    def __init__(self) -> None:
        self._queue: deque[tuple[PolicyUpdate, Address]] = deque()
        self._tightening: tuple[PolicyUpdate, ...] = ()

    @property
    def first(self) -> PolicyUpdate | None:
        """The change that is being written."""
        return self._queue[0][0] if self._queue else None

    def add(self, update: PolicyUpdate, requester: Address) -> bool:
        """Add a change; return whether it is the first, so that writing has to start."""
        self._tightening = add_tightening_update(self._tightening, update)
        self._queue.append((update, requester))
        return len(self._queue) == 1

    def complete_first(self) -> tuple[PolicyUpdate, Address]:
        """Remove the first change, which is on disk now, with its requester."""
        update, requester = self._queue.popleft()
        pending = [pending_update for pending_update, _ in self._queue]
        self._tightening = tuple(
            tightening
            for tightening in self._tightening
            if tightening != update or tightening in pending
        )
        return update, requester

    def fail_first(self) -> tuple[PolicyUpdate, Address]:
        """Remove the first change, which could not be written; what it restricted stays so."""
        return self._queue.popleft()

    def with_tightening(self, policy: Policy) -> Policy:
        """Return the policy restricted by the changes that take effect immediately."""
        for update in self._tightening:
            if is_tightening(update, policy):
                policy = apply_update(policy, update)
        return policy


def add_tightening_update(
    tightening: tuple[PolicyUpdate, ...], update: PolicyUpdate
) -> tuple[PolicyUpdate, ...]:
    """Return the updates that apply immediately; a new grant cancels its earlier revocation."""
    match update:
        case RevokeGrant():
            return (*tightening, update)
        case ChangeMode():
            return (
                *(earlier for earlier in tightening if not isinstance(earlier, ChangeMode)),
                update,
            )
        case StoreGrant() | ReplaceRules():
            return tuple(earlier for earlier in tightening if not _cancels(update, earlier))


def _cancels(update: StoreGrant | ReplaceRules, revocation: PolicyUpdate) -> bool:
    if not isinstance(update, StoreGrant) or not isinstance(revocation, RevokeGrant):
        return False
    return revocation.scope == update.scope and revocation.rule in update.rules

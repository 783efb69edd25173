"""Changes of project grants that were acknowledged survive a power cut."""

from messages.base import Message
from messages.permissions import GrantRevoked, GrantStored, RevokeGrant, StoreGrant
from messages.policy import Rule
from tests.simulation.invariants.violations import Violations


class ProjectGrantInvariants:
    """Tracks which rules were reported as stored and which as revoked."""

    def __init__(self, violations: Violations) -> None:
        self._violations = violations
        self._stored: set[Rule] = set()
        self._revoked: set[Rule] = set()
        self._storing: set[Rule] = set()
        self._revoking: set[Rule] = set()

    def on_change_requested(self, change: Message) -> None:
        """Observe a request; until it is acknowledged, the rule may be there or not."""
        match change:
            case StoreGrant(scope="project"):
                self._storing |= set(change.rules)
                self._revoked -= self._storing
            case RevokeGrant(scope="project"):
                self._revoking.add(change.rule)
                self._stored -= self._revoking
            case _:
                pass

    def on_change_done(
        self, result: GrantStored | GrantRevoked, request: StoreGrant | None = None
    ) -> None:
        """Observe an acknowledgement; `request` is the one that stored a grant."""
        if self._violations.is_closed:
            return
        if isinstance(result, GrantRevoked) and result.scope == "project":
            self._revoking.discard(result.rule)
            self._revoked |= {result.rule} - self._storing
        elif request is not None and request.scope == "project":
            rules = set(request.rules)
            self._storing -= rules
            self._stored |= rules - self._revoking

    def check_store(self, rules: tuple[Rule, ...]) -> None:
        """Compare with what the next run finds on disk."""
        lost = self._stored - set(rules)
        self._violations.require(not lost, f"stored for the project and lost: {lost}")
        restored = self._revoked & set(rules)
        self._violations.require(not restored, f"revoked and there again: {restored}")
        self._storing.clear()
        self._revoking.clear()

"""The account of the project's grants: what a person was told of them holds after a power cut."""

from messages.base import Message
from messages.permissions import GrantRevoked, GrantStored, RevokeGrant, StoreGrant
from messages.policy import Rule
from tests.simulation.violations import Violations


class ProjectGrantInvariants:
    """Remembers which rules are said to be in the store, and which are said to be gone."""

    def __init__(self, ledger: Violations) -> None:
        self._ledger = ledger
        self._stored: set[Rule] = set()
        self._gone: set[Rule] = set()
        self._storing: set[Rule] = set()
        self._revoking: set[Rule] = set()

    def on_change_requested(self, change: Message) -> None:
        """Hear of a change on its way: until it is told of, either may be so."""
        match change:
            case StoreGrant(scope="project"):
                self._storing |= set(change.rules)
                self._gone -= self._storing
            case RevokeGrant(scope="project"):
                self._revoking.add(change.rule)
                self._stored -= self._revoking
            case _:
                pass

    def on_change_done(
        self, done: GrantStored | GrantRevoked, change: StoreGrant | None = None
    ) -> None:
        """Hear what the engine says is done; of `change`, when it stored one."""
        if self._ledger.is_closed:
            return
        if isinstance(done, GrantRevoked) and done.scope == "project":
            self._revoking.discard(done.rule)
            self._gone |= {done.rule} - self._storing
        elif change is not None and change.scope == "project":
            rules = set(change.rules)
            self._storing -= rules
            self._stored |= rules - self._revoking

    def check_store(self, rules: tuple[Rule, ...]) -> None:
        """Hold it against what the next run finds on disk."""
        lost = self._stored - set(rules)
        self._ledger.require(not lost, f"stored for the project and lost: {lost}")
        back = self._gone & set(rules)
        self._ledger.require(not back, f"taken back and there again: {back}")
        self._storing.clear()
        self._revoking.clear()

"""Each actor that starts ends once, and its parent is notified once."""

from collections import Counter
from collections.abc import Callable

from actors.runtime.cell import DEFAULT_STOP_TIMEOUT_S
from actors.runtime.supervision import MAX_RESTART_DELAY_S, Restart
from messages.address import ROOT, Address
from messages.base import Message
from messages.child_lifecycle import ChildCancelled, ChildCompleted, ChildFailed
from tests.simulation.invariants.violations import Violations


class LifecycleInvariants:
    """Counts starts and ends."""

    def __init__(self, violations: Violations, now: Callable[[], float]) -> None:
        self._violations = violations
        self._now = now
        self._restarts: dict[Address, Restart] = {}
        self._incarnation_times_s: dict[Address, list[float]] = {}
        self._running: Counter[Address] = Counter()
        self._unreported: Counter[Address] = Counter()
        """Starts whose end the parent has not handled yet."""

    def start_run(self) -> None:
        """Start a run of the program."""
        self._running.clear()
        self._unreported.clear()

    def set_restart_policy(self, address: Address, restart: Restart) -> None:
        """Record how often an actor may restart."""
        self._restarts[address] = restart
        self._incarnation_times_s[address] = []

    def on_incarnation(self, address: Address) -> bool:
        """Check the restart limit; return True if this is a restart."""
        times_s, restart = self._incarnation_times_s[address], self._restarts[address]
        times_s.append(self._now())
        # The budget counts crashes, and the restart itself comes only after the stop and a delay.
        since_s = self._now() - restart.window_s + DEFAULT_STOP_TIMEOUT_S + MAX_RESTART_DELAY_S
        recent = [time_s for time_s in times_s[1:] if time_s > since_s]
        allowed = len(recent) <= restart.limit and (restart.limit > 0 or len(times_s) == 1)
        self._violations.require(allowed, f"{address} was restarted {len(recent)} times")
        is_restart = len(times_s) > 1
        if is_restart:
            self._forget_ended_children(address)
        return is_restart

    def _forget_ended_children(self, parent: Address) -> None:
        """Expect no report of children that ended with the incarnation that started them."""
        for address in self._unreported:
            if address != ROOT and address.parent == parent:
                self._unreported[address] = self._running[address]

    def on_started(self, address: Address) -> None:
        """Count a start."""
        self._running[address] += 1
        self._unreported[address] += 1
        self._violations.require(self._running[address] == 1, f"{address} runs twice")

    def is_running(self, address: Address) -> bool:
        """Return True if an actor has started and not ended."""
        return self._running[address] > 0

    def on_ended(self, address: Address) -> None:
        """Count an end."""
        self._running[address] -= 1
        self._violations.require(self._running[address] >= 0, f"{address} ended twice")

    def on_received(self, by: Address, message: Message) -> None:
        """Count an end that a parent has handled."""
        if isinstance(message, ChildCompleted | ChildCancelled | ChildFailed):
            self._unreported[message.child] -= 1
            is_first = self._unreported[message.child] >= 0 and message.child.parent == by
            self._violations.require(is_first, f"the end of {message.child} reached {by} twice")

    def check_idle(self) -> None:
        """Check that each end was reported to a parent that is running."""
        for address, count in self._unreported.items():
            parent_runs = address != ROOT and self._running[address.parent]
            is_reported = count == self._running[address] or not parent_runs
            self._violations.require(is_reported, f"the end of {address} was not reported")

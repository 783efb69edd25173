"""The account of actors: each that starts ends once, and whoever runs hears of it once."""

from collections import Counter
from collections.abc import Callable

from actors.runtime.cell import DEFAULT_STOP_TIMEOUT_S
from actors.runtime.supervision import MAX_RESTART_DELAY_S, Restart
from messages.address import ROOT, Address
from messages.base import Message
from messages.child_lifecycle import ChildCancelled, ChildCompleted, ChildFailed
from tests.simulation.violations import Violations


class LifecycleInvariants:
    """Counts starts and ends."""

    def __init__(self, ledger: Violations, now: Callable[[], float]) -> None:
        self._ledger = ledger
        self._now = now
        self._restarts: dict[Address, Restart] = {}
        self._made_s: dict[Address, list[float]] = {}
        self._living: Counter[Address] = Counter()
        self._unheard: Counter[Address] = Counter()
        """Starts whose ends the parent has not heard of."""

    def start_run(self) -> None:
        """Start a new run, in which nobody lives yet."""
        self._living.clear()
        self._unheard.clear()

    def set_restart_policy(self, address: Address, restart: Restart) -> None:
        """Hear how often an actor may be made anew."""
        self._restarts[address] = restart
        self._made_s[address] = []

    def on_incarnation(self, address: Address) -> bool:
        """Hear of an incarnation; whether it is not the first."""
        made_s, restart = self._made_s[address], self._restarts[address]
        made_s.append(self._now())
        # The budget counts crashes, and an actor may be made anew only after it has wound down.
        since_s = self._now() - restart.window_s + DEFAULT_STOP_TIMEOUT_S + MAX_RESTART_DELAY_S
        recent = [each for each in made_s[1:] if each > since_s]
        allowed = len(recent) <= restart.limit and (restart.limit > 0 or len(made_s) == 1)
        self._ledger.require(allowed, f"{address} was restarted {len(recent)} times")
        return len(made_s) > 1

    def on_started(self, address: Address) -> None:
        """Hear of a start."""
        self._living[address] += 1
        self._unheard[address] += 1
        self._ledger.require(self._living[address] == 1, f"{address} lives twice")

    def is_alive(self, address: Address) -> bool:
        """Tell whether an actor has not ended."""
        return self._living[address] > 0

    def on_ended(self, address: Address) -> None:
        """Hear of an end."""
        self._living[address] -= 1
        self._ledger.require(self._living[address] >= 0, f"{address} ended twice")

    def on_received(self, by: Address, message: Message) -> None:
        """Hear what a parent has heard."""
        if isinstance(message, ChildCompleted | ChildCancelled | ChildFailed):
            self._unheard[message.child] -= 1
            rightly = self._unheard[message.child] >= 0 and message.child.parent == by
            self._ledger.require(rightly, f"{by} hears of the end of {message.child} twice")

    def check_idle(self) -> None:
        """Hold that everyone who has ended was heard of, while the parent lived to hear it."""
        for address, count in self._unheard.items():
            living = self._living[address]
            parent_lives = address != ROOT and self._living[address.parent]
            heard = count == living or not parent_lives
            self._ledger.require(heard, f"nobody heard of the end of {address}")

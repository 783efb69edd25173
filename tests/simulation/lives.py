"""The account of actors: each that starts ends once, and whoever runs hears of it once."""

from collections import Counter
from collections.abc import Callable

from actors.runtime.life import UNTOLD_DEADLINE_S
from actors.runtime.supervision import LONGEST_REST_S, Restart
from messages.address import ROOT, Address
from messages.agents import ChildCancelled, ChildCompleted, ChildFailed
from messages.base import Message
from tests.simulation.ledger import Ledger


class Lives:
    """Counts starts and ends."""

    def __init__(self, ledger: Ledger, now: Callable[[], float]) -> None:
        self._ledger = ledger
        self._now = now
        self._restarts: dict[Address, Restart] = {}
        self._made_s: dict[Address, list[float]] = {}
        self._living: Counter[Address] = Counter()
        self._unheard: Counter[Address] = Counter()
        """Starts whose ends the parent has not heard of."""

    def begin(self) -> None:
        """Start a new run, in which nobody lives yet."""
        self._living.clear()
        self._unheard.clear()

    def may_restart(self, address: Address, restart: Restart) -> None:
        """Hear how often an actor may be made anew."""
        self._restarts[address] = restart
        self._made_s[address] = []

    def made(self, address: Address) -> bool:
        """Hear of an incarnation; whether it is not the first."""
        made_s, restart = self._made_s[address], self._restarts[address]
        made_s.append(self._now())
        # The budget counts crashes, and an actor may be made anew only after it has wound down.
        since_s = self._now() - restart.window_s + UNTOLD_DEADLINE_S + LONGEST_REST_S
        recent = [each for each in made_s[1:] if each > since_s]
        allowed = len(recent) <= restart.limit and (restart.limit > 0 or len(made_s) == 1)
        self._ledger.require(allowed, f"{address} was restarted {len(recent)} times")
        return len(made_s) > 1

    def started(self, address: Address) -> None:
        """Hear of a start."""
        self._living[address] += 1
        self._unheard[address] += 1
        self._ledger.require(self._living[address] == 1, f"{address} lives twice")

    def lives(self, address: Address) -> bool:
        """Tell whether an actor has not ended."""
        return self._living[address] > 0

    def ended(self, address: Address) -> None:
        """Hear of an end."""
        self._living[address] -= 1
        self._ledger.require(self._living[address] >= 0, f"{address} ended twice")

    def received(self, by: Address, message: Message) -> None:
        """Hear what a parent has heard."""
        if isinstance(message, ChildCompleted | ChildCancelled | ChildFailed):
            self._unheard[message.child] -= 1
            rightly = self._unheard[message.child] >= 0 and message.child.parent == by
            self._ledger.require(rightly, f"{by} hears of the end of {message.child} twice")

    def at_rest(self) -> None:
        """Hold that everyone who has ended was heard of, while the parent lived to hear it."""
        for address, count in self._unheard.items():
            living = self._living[address]
            parent_lives = address != ROOT and self._living[address.parent]
            heard = count == living or not parent_lives
            self._ledger.require(heard, f"nobody heard of the end of {address}")

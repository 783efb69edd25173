"""Injects crashes: every step of an actor and every job may raise."""

import asyncio
from collections.abc import Awaitable, Callable
from random import Random
from typing import Any, TypeVar

from actors.runtime.actor import Actor, ActorFactory
from messages.address import Address
from tests.simulation.trace import Trace

T = TypeVar("T")

EXCEPTION_TYPES: tuple[type[BaseException], ...] = (
    RuntimeError,
    SystemExit,
    KeyboardInterrupt,
    asyncio.CancelledError,
)
HANDLER_NAMES = ("on_start", "on_receive", "on_stop")
RARE_STEP_WEIGHT = 3.0
"""Factor for steps that run once per incarnation and would otherwise hardly ever raise."""


class CrashInjector:
    """While armed, raises at random before and after each step of an actor and each job."""

    def __init__(self, random: Random, chance: float, trace: Trace) -> None:
        self._random = random
        self._chance = chance
        self._trace = trace
        self.is_armed = False
        self.count = 0

    def maybe_raise(self, where: str, weight: float = 1.0) -> None:
        """Raise a random exception with the given chance."""
        if self.is_armed and self._random.random() < self._chance * weight:
            exception_type = self._random.choice(EXCEPTION_TYPES)
            self.count += 1
            self._trace.add_note(f"raises {exception_type.__name__} {where}")
            message = f"injected {where}"
            raise exception_type(message)

    def wrap_factory(self, address: Address, make: ActorFactory) -> ActorFactory:
        """Return a factory that may raise, and whose actors may raise in each step."""

        def make_crashing() -> Actor[Any]:
            self.maybe_raise(f"in the factory of {address}", RARE_STEP_WEIGHT)
            behavior = make()
            for name in HANDLER_NAMES:
                self._wrap_handler(behavior, name, address)
            return behavior

        return make_crashing

    def _wrap_handler(self, behavior: Actor[Any], name: str, address: Address) -> None:
        handle: Callable[..., None] = getattr(behavior, name)
        weight = 1.0 if name == "on_receive" else RARE_STEP_WEIGHT

        def handle_or_raise(*message: object) -> None:
            self.maybe_raise(f"before {name} of {address}", weight)
            handle(*message)
            self.maybe_raise(f"after {name} of {address}", weight)

        setattr(behavior, name, handle_or_raise)

    def wrap_job(self, job: Callable[[], Awaitable[T]], name: str) -> Callable[[], Awaitable[T]]:
        """Return a job that may raise before it starts or after it has done its work."""

        async def run_or_raise() -> T:
            self.maybe_raise(f"before {name}")
            result = await job()
            self.maybe_raise(f"after {name}")
            return result

        return run_or_raise

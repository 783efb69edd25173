"""Faults that the world plants: what can raise, raises now and then."""

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
"""Steps that happen once in a life, and would else hardly ever fail."""


class CrashInjector:
    """Raises before and after every step of an actor and every job, by chance and while armed."""

    def __init__(self, random: Random, chance: float, trace: Trace) -> None:
        self._random = random
        self._chance = chance
        self._trace = trace
        self.is_armed = False
        self.count = 0

    def maybe_raise(self, where: str, weight: float = 1.0) -> None:
        """Raise, perhaps."""
        if self.is_armed and self._random.random() < self._chance * weight:
            kind = self._random.choice(EXCEPTION_TYPES)
            self.count += 1
            self._trace.add_note(f"raises {kind.__name__} {where}")
            message = f"planted {where}"
            raise kind(message)

    def wrap_factory(self, address: Address, make: ActorFactory) -> ActorFactory:
        """Let a factory, and the steps of whatever it makes, raise now and then."""

        def made() -> Actor[Any]:
            self.maybe_raise(f"in the factory of {address}", RARE_STEP_WEIGHT)
            behaviour = make()
            for step in HANDLER_NAMES:
                self._endanger(behaviour, step, address)
            return behaviour

        return made

    def _endanger(self, behaviour: Actor[Any], step: str, address: Address) -> None:
        carry_out: Callable[..., None] = getattr(behaviour, step)
        weight = 1.0 if step == "on_receive" else RARE_STEP_WEIGHT

        def endangered(*message: object) -> None:
            self.maybe_raise(f"before {step} of {address}", weight)
            carry_out(*message)
            self.maybe_raise(f"after {step} of {address}", weight)

        setattr(behaviour, step, endangered)

    def wrap_job(self, job: Callable[[], Awaitable[T]], name: str) -> Callable[[], Awaitable[T]]:
        """Let a job raise before it begins, or after it has done everything."""

        async def endangered() -> T:
            self.maybe_raise(f"before {name}")
            result = await job()
            self.maybe_raise(f"after {name}")
            return result

        return endangered

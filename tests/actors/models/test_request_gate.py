"""The gate of all requests of a session: pauses, probes, final limits; in virtual time."""

import asyncio
from collections.abc import Callable, Coroutine
from itertools import pairwise
from random import Random
from typing import Any

import pytest

from actors.models.model_client import ModelError
from actors.models.request_gate import (
    FINAL_LIMIT_S,
    MAX_LIMITED_S,
    PROBE_TIMEOUT_S,
    Admission,
    RequestGate,
    RequestGates,
)
from messages.failure_reasons import ModelFailureReason
from messages.turns import RequestPaused
from tests.simulation.simulated_loop import (
    make_random,
    make_simulated_loop,
    run_on_simulated_loop,
)

pytestmark = pytest.mark.quick

LATENCY_S = 0.2
LIMIT_REASONS: tuple[ModelFailureReason, ...] = (
    "rate_limited",
    "overloaded",
    "unavailable",
    "usage_limit",
)
Outcome = str
"""`ok`, or the reason of the failure."""


class LimitedServer:
    """Answers requests through a gate: `answer` decides about each by its number, from 1."""

    def __init__(
        self, answer: Callable[[int], ModelError | None], latency_s: float = LATENCY_S
    ) -> None:
        self.gate = RequestGate(Random(1))  # noqa: S311  (must be repeatable)
        self.sent_at_s: list[float] = []
        self.paused: list[RequestPaused] = []
        self.answer, self.latency_s = answer, latency_s
        self.active_count = 0
        self.max_active_count = 0

    async def request(self) -> Outcome:
        """Send one request as an agent's job does, without a retry."""
        try:
            async with self.gate.admit(self.paused.append) as admission:
                self.sent_at_s.append(asyncio.get_running_loop().time())
                number = len(self.sent_at_s)
                self.active_count += 1
                self.max_active_count = max(self.max_active_count, self.active_count)
                try:
                    await asyncio.sleep(self.latency_s)
                finally:
                    self.active_count -= 1
                error = self.answer(number)
                if error is not None:
                    raise error
                self.gate.confirm(admission)
        except ModelError as error:
            return error.reason
        return "ok"


def make_limit(
    reason: ModelFailureReason = "rate_limited", retry_after_s: float = 0.0, detail: str = "busy"
) -> ModelError:
    return ModelError(reason, detail, is_retryable=True, retry_after_s=retry_after_s)


def run(scenario: Callable[[], Coroutine[Any, Any, None]]) -> None:
    run_on_simulated_loop(scenario())


def test_an_open_gate_lets_every_request_pass_at_once() -> None:
    async def scenario() -> None:
        server = LimitedServer(lambda _: None)
        outcomes = await asyncio.gather(*(server.request() for _ in range(20)))
        assert outcomes == ["ok"] * 20
        assert server.max_active_count == 20
        assert not server.paused

    run(scenario)


def test_a_thousand_agents_wait_for_a_single_probe() -> None:
    async def scenario() -> None:
        server = LimitedServer(lambda number: make_limit(retry_after_s=20) if number <= 2 else None)
        assert await server.request() == "rate_limited"
        server.max_active_count = 0
        agents = [asyncio.create_task(server.request()) for _ in range(1_000)]
        await asyncio.sleep(39)
        assert len(server.sent_at_s) == 2, "more than one probe"
        outcomes = [await agent for agent in agents]
        assert outcomes.count("ok") == 999, "only the failed probe has to be retried"
        waits_s = {paused.wait_s for paused in server.paused}
        assert {20.0} <= waits_s
        assert server.max_active_count < 40, "all agents were released at once"

    run(scenario)


def test_each_failed_probe_makes_the_pause_longer() -> None:
    async def scenario() -> None:
        server = LimitedServer(lambda number: make_limit("overloaded") if number <= 6 else None)
        while await server.request() != "ok":
            pass
        pauses_s = [later - sent for sent, later in pairwise(server.sent_at_s)]
        for number, pause_s in enumerate(pauses_s):
            assert 0.75 * 2**number <= pause_s - LATENCY_S <= 2**number + 0.1

    run(scenario)


def test_the_next_agent_probes_if_the_probe_is_cancelled() -> None:
    async def scenario() -> None:
        server = LimitedServer(lambda number: make_limit(retry_after_s=5) if number == 1 else None)
        await server.request()
        agents = [asyncio.create_task(server.request()) for _ in range(3)]
        await asyncio.sleep(5 + LATENCY_S / 2)
        assert len(server.sent_at_s) == 2
        agents[0].cancel()
        assert [await agent for agent in agents[1:]] == ["ok", "ok"]
        assert asyncio.get_running_loop().time() < 7

    run(scenario)


def test_a_waiting_agent_that_is_cancelled_never_becomes_the_probe() -> None:
    async def scenario() -> None:
        server = LimitedServer(lambda number: make_limit(retry_after_s=5) if number == 1 else None)
        await server.request()
        agents = [asyncio.create_task(server.request()) for _ in range(3)]
        await asyncio.sleep(1)
        agents[0].cancel()
        assert [await agent for agent in agents[1:]] == ["ok", "ok"]
        assert len(server.sent_at_s) == 3

    run(scenario)


def test_the_next_agent_probes_if_the_probe_fails_otherwise() -> None:
    async def scenario() -> None:
        errors = {1: make_limit(retry_after_s=5), 2: make_limit("server_error")}
        server = LimitedServer(errors.get)
        await server.request()
        outcomes = await asyncio.gather(*(server.request() for _ in range(3)))
        assert sorted(outcomes) == ["ok", "ok", "server_error"]
        assert asyncio.get_running_loop().time() < 7

    run(scenario)


def test_a_probe_without_an_answer_does_not_hold_the_others() -> None:
    async def scenario() -> None:
        server = LimitedServer(lambda number: make_limit(retry_after_s=5) if number == 1 else None)
        await server.request()
        server.latency_s = 10 * PROBE_TIMEOUT_S
        probe = asyncio.create_task(server.request())
        await asyncio.sleep(6)
        server.latency_s = LATENCY_S
        assert await server.request() == "ok"
        assert asyncio.get_running_loop().time() == pytest.approx(5 + PROBE_TIMEOUT_S, abs=1)
        assert await probe == "ok"

    run(scenario)


def test_requests_sent_before_the_pause_do_not_make_it_longer() -> None:
    async def scenario() -> None:
        server = LimitedServer(lambda number: make_limit() if number <= 50 else None)
        await asyncio.gather(*(server.request() for _ in range(50)))
        assert await server.request() == "ok"
        assert server.sent_at_s[-1] <= 2 * LATENCY_S + 1

    run(scenario)


def test_a_final_limit_ends_all_waiting_requests_at_once() -> None:
    async def scenario() -> None:
        errors = {1: make_limit(retry_after_s=5), 2: make_limit("usage_limit", detail="at 17:00")}
        server = LimitedServer(errors.get)
        await server.request()
        outcomes = await asyncio.gather(*(server.request() for _ in range(1_000)))
        assert outcomes == ["usage_limit"] * 1_000
        assert len(server.sent_at_s) == 2
        with pytest.raises(ModelError, match="at 17:00"):
            await server.gate.admit(server.paused.append).__aenter__()
        assert len(server.sent_at_s) == 2

        await asyncio.sleep(FINAL_LIMIT_S)
        assert await server.request() == "ok", "the limit is never checked again"
        assert await server.request() == "ok"

    run(scenario)


def test_only_one_request_checks_whether_a_final_limit_still_applies() -> None:
    async def scenario() -> None:
        server = LimitedServer(lambda _: make_limit("usage_limit"))
        await server.request()
        await asyncio.sleep(FINAL_LIMIT_S)
        assert set(await asyncio.gather(*(server.request() for _ in range(100)))) == {"usage_limit"}
        assert len(server.sent_at_s) == 2

    run(scenario)


def test_a_long_retry_after_of_an_overloaded_server_is_final() -> None:
    async def scenario() -> None:
        server = LimitedServer(lambda _: make_limit("unavailable", retry_after_s=1_800))
        await server.request()
        assert await server.request() == "unavailable"
        assert len(server.sent_at_s) == 1

    run(scenario)


def test_an_overload_of_many_minutes_ends_all_requests() -> None:
    async def scenario() -> None:
        server = LimitedServer(lambda _: make_limit("overloaded"))

        async def retry() -> float:
            while True:
                overloaded = make_limit("overloaded")
                try:
                    async with server.gate.admit(server.paused.append):
                        await asyncio.sleep(LATENCY_S)
                        raise overloaded
                except ModelError as error:
                    if not error.is_retryable:
                        return asyncio.get_running_loop().time()

        ends_s = await asyncio.gather(*(retry() for _ in range(30)))
        assert max(ends_s) == min(ends_s)
        assert MAX_LIMITED_S <= ends_s[0] <= MAX_LIMITED_S + PROBE_TIMEOUT_S + 1

    run(scenario)


def test_a_limit_of_one_model_does_not_pause_another() -> None:
    gates = RequestGates(Random(1))  # noqa: S311  (must be repeatable)
    assert gates.get("small") is not gates.get("large")
    assert gates.get("small") is gates.get("small")


class RandomServer(LimitedServer):
    """A server that limits requests in random periods; agents retry and are cancelled at random."""

    def __init__(self, seed: int) -> None:
        super().__init__(lambda _: None)
        self.random = make_random(seed, "gate")
        self.limited_until_s = 0.0
        self.last_limit_s = 0.0
        self.violations: list[str] = []
        self._probes: dict[object, float] = {}

    def is_limited(self, now_s: float) -> bool:
        if now_s >= self.limited_until_s and self.random.random() < 0.05:
            self.limited_until_s = now_s + self.random.random() * 60
        return now_s < self.limited_until_s

    async def work(self) -> None:
        """Send requests until three have succeeded."""
        loop, successes = asyncio.get_running_loop(), 0
        while successes < 3:
            try:
                async with self.gate.admit(self.paused.append) as admission:
                    self.check_probe(loop.time())
                    await asyncio.sleep(self.random.random())
                    self.raise_error(loop.time())
                    self.gate.confirm(admission)
                    self._probes.clear()
                    self.last_limit_s = 0.0
                    await asyncio.sleep(self.random.random())
                    self.raise_error(loop.time())
                    successes += 1
            except ModelError:
                await asyncio.sleep(self.random.random())

    def check_probe(self, now_s: float) -> None:
        """After a limit, only one request may be sent until it is answered."""
        if not self.last_limit_s:
            return
        if any(sent_s > self.last_limit_s for sent_s in self._probes.values()):
            self.violations.append(f"two probes at {now_s:.2f}")
        self._probes[object()] = now_s

    def raise_error(self, now_s: float) -> None:
        if self.is_limited(now_s):
            self.last_limit_s = now_s
            retry_after_s = self.random.choice((0.0, 0.0, 3.0, 40.0))
            raise make_limit(self.random.choice(LIMIT_REASONS), retry_after_s)
        if self.random.random() < 0.05:
            self._probes.clear()
            reason: ModelFailureReason = "server_error"
            raise make_limit(reason)

    async def cancel_some(self, agents: list[asyncio.Task[None]]) -> None:
        for agent in self.random.sample(agents, k=len(agents) // 3):
            await asyncio.sleep(self.random.random() * 10)
            self._probes.clear()
            agent.cancel()


def run_random_server(seed: int) -> list[str]:
    """Run agents until all have ended; return what was violated."""
    server = RandomServer(seed)

    async def run_agents() -> None:
        agents = [asyncio.create_task(server.work()) for _ in range(12)]
        await server.cancel_some(agents)
        await asyncio.gather(*agents, return_exceptions=True)

    loop = make_simulated_loop(make_random(seed, "loop"), lag_chance=0.1)
    task = loop.create_task(run_agents())
    if not loop.run(task.done):
        server.violations.append("an agent waits forever")
    loop.close()
    return server.violations


@pytest.mark.parametrize("seed", range(40))
def test_no_agent_waits_forever_and_only_one_probes(seed: int) -> None:
    assert run_random_server(seed) == []


def never_set_timer(gate: RequestGate) -> None:
    """Never let the first waiting request pass."""


def admit_without_probe(gate: RequestGate) -> Admission:
    """Let the next request follow before the probe is answered."""
    return Admission(vars(gate)["_generation"])


@pytest.mark.parametrize(
    ("method", "mutant"), [("_set_timer", never_set_timer), ("_admit_next", admit_without_probe)]
)
def test_some_seed_finds_each_mutant_of_the_gate(
    monkeypatch: pytest.MonkeyPatch, method: str, mutant: Callable[..., Any]
) -> None:
    monkeypatch.setattr(RequestGate, method, mutant)
    assert any(run_random_server(seed) for seed in range(40))

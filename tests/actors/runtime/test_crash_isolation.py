"""No exception leaves its cell, whatever it is and wherever it is raised."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Literal, Self

import pytest

from actors.runtime.actor import Actor, JobFailure
from actors.runtime.system import ActorSystem
from messages.address import ROOT
from messages.child_lifecycle import ChildCancelled, ChildCompleted, ChildFailed, FailureCause
from tests.actors.runtime.sample_actors import Echo, Observed, Ping, report_failure
from tests.probe import PROBE_TIMEOUT_S, Probe

pytestmark = pytest.mark.quick

FailurePoint = Literal["init", "start", "receive", "on_failure", "stop", "job", "subtask"]


class RaisingActor(Actor[Ping | Observed]):
    """Raises an exception at one point; finishes after the outcome of its job."""

    def __init__(self, point: FailurePoint, error: type[BaseException]) -> None:
        self._point = point
        self._error = error
        self._raise_if_at("init")

    def on_start(self) -> None:
        self._raise_if_at("start")

    def on_receive(self, message: Ping | Observed) -> None:
        match message:
            case Ping():
                self._raise_if_at("receive")
                self._start_job_or_finish()
            case Observed():
                self.tell(ROOT, message)
                self.finish()

    def on_stop(self) -> None:
        self._raise_if_at("stop")

    def _start_job_or_finish(self) -> None:
        match self._point:
            case "job" | "on_failure":
                self.start_job(partial(raise_error, self._error), self._on_failure)
            case "subtask":
                self.start_job(partial(raise_in_subtask, self._error), self._on_failure)
            case _:
                self.finish()

    def _on_failure(self, failure: JobFailure) -> Observed:
        self._raise_if_at("on_failure")
        return report_failure(failure)

    def _raise_if_at(self, point: FailurePoint) -> None:
        if point == self._point:
            raise self._error(point)


class RaisingActorOnThread(RaisingActor):
    dispatcher = "thread"


async def raise_error(error: type[BaseException]) -> Observed:
    raise error("job")  # noqa: EM101  (the text is the failure point)


async def raise_in_subtask(error: type[BaseException]) -> Observed:
    return await asyncio.create_task(raise_error(error))


class UnprintableError(Exception):
    def __str__(self) -> str:
        raise ValueError


class ErrorWithoutText(BaseExceptionGroup[BaseException]):
    """A group with exceptions that would end a program."""

    def __new__(cls, point: str) -> Self:
        return super().__new__(cls, point, [KeyboardInterrupt(), SystemExit()])

    def __init__(self, point: str) -> None:
        super().__init__(point, self.exceptions)

    def __str__(self) -> str:
        return self.message


class DeepRecursionError(RecursionError):
    """Raised at the recursion limit."""

    def __init__(self, point: str) -> None:
        super().__init__(point)
        with suppress(RecursionError):
            recurse_forever()


def recurse_forever() -> None:
    recurse_forever()


ERRORS = (
    RuntimeError,
    SystemExit,
    KeyboardInterrupt,
    asyncio.CancelledError,
    GeneratorExit,
    StopIteration,
    StopAsyncIteration,
    MemoryError,
    DeepRecursionError,
    ErrorWithoutText,
)
STOP_ITERATION_DETAIL = "raised RuntimeError: coroutine raised StopIteration"
"""Python converts `StopIteration` in a coroutine to `RuntimeError`."""
each_error = pytest.mark.parametrize("error", ERRORS)
each_dispatcher = pytest.mark.parametrize("actor_class", [RaisingActor, RaisingActorOnThread])

MakeRaisingActor = Callable[[FailurePoint, type[BaseException]], RaisingActor]


def start_and_ping(
    system: ActorSystem,
    actor_class: MakeRaisingActor,
    point: FailurePoint,
    error: type[BaseException],
) -> None:
    child = system.start(partial(actor_class, point, error), "raising")
    system.tell(child, Ping())


def assert_system_works(system: ActorSystem, root: Probe) -> None:
    root.expect_nothing_more()
    sibling = system.start(Echo)
    assert system.ask(sibling, Ping(text="hello"), PROBE_TIMEOUT_S) == Observed(text="hello")
    assert root.address.child("raising") not in system.addresses


@each_dispatcher
@each_error
@pytest.mark.parametrize(
    ("point", "cause"),
    [("init", "start"), ("start", "start"), ("receive", "crash"), ("on_failure", "crash")],
)
def test_an_exception_fails_the_start_or_is_a_crash(  # noqa: PLR0913, PLR0917  (fixtures)
    system: ActorSystem,
    root: Probe,
    actor_class: MakeRaisingActor,
    point: FailurePoint,
    cause: FailureCause,
    error: type[BaseException],
) -> None:
    start_and_ping(system, actor_class, point, error)
    detail = f"{error.__name__}: {point}"
    root.expect(ChildFailed(child=ROOT.child("raising"), cause=cause, detail=detail))
    assert_system_works(system, root)


@each_dispatcher
@each_error
def test_an_exception_in_on_stop_does_not_change_the_end(
    system: ActorSystem, root: Probe, actor_class: MakeRaisingActor, error: type[BaseException]
) -> None:
    start_and_ping(system, actor_class, "stop", error)
    root.expect(ChildCompleted(child=ROOT.child("raising")))
    child = system.start(partial(actor_class, "stop", error), "raising")
    system.stop_child(child)
    root.expect(ChildCancelled(child=child))
    assert_system_works(system, root)


@each_dispatcher
@each_error
@pytest.mark.parametrize("point", ["job", "subtask"])
def test_an_exception_in_a_job_is_its_outcome(
    system: ActorSystem,
    root: Probe,
    actor_class: MakeRaisingActor,
    point: FailurePoint,
    error: type[BaseException],
) -> None:
    start_and_ping(system, actor_class, point, error)
    crash = "JobCrashError: " if error in (SystemExit, KeyboardInterrupt) else ""
    outcome = f"raised {crash}{error.__name__}: job"
    if error is asyncio.CancelledError:
        outcome = "cancelled"
    if error is StopIteration:
        outcome = STOP_ITERATION_DETAIL
    root.expect(Observed(text=outcome), ChildCompleted(child=ROOT.child("raising")))
    assert_system_works(system, root)


@each_dispatcher
def test_an_exception_without_text_ends_only_its_actor(
    system: ActorSystem, root: Probe, actor_class: MakeRaisingActor
) -> None:
    start_and_ping(system, actor_class, "receive", UnprintableError)
    end = ChildFailed(child=ROOT.child("raising"), cause="crash", detail="UnprintableError")
    root.expect(end)
    assert_system_works(system, root)


@each_dispatcher
@each_error
@pytest.mark.parametrize("point", ["init", "start", "receive", "on_failure", "stop", "job"])
def test_every_exception_is_logged_with_its_traceback(  # noqa: PLR0913, PLR0917  (fixtures)
    system: ActorSystem,
    root: Probe,
    caplog: pytest.LogCaptureFixture,
    actor_class: MakeRaisingActor,
    point: FailurePoint,
    error: type[BaseException],
) -> None:
    start_and_ping(system, actor_class, point, error)
    while not isinstance(root.next(), ChildCompleted | ChildFailed):
        pass
    logged = [record.exc_info[1] for record in caplog.records if record.exc_info]
    if point == "job" and error is asyncio.CancelledError:
        assert logged == []  # a cancelled job is no error
        return
    if point == "on_failure":
        logged = logged[1:]  # the job's own exception comes first
        assert len(logged) == (error is not asyncio.CancelledError)
        return
    (raised,) = logged
    assert raised is not None
    found = raised if isinstance(raised, error) else raised.__cause__
    assert isinstance(found, error)
    assert found.__traceback__ is not None


def test_nothing_is_printed_without_a_configured_log(
    system: ActorSystem,
    root: Probe,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    """Only the shell writes to the terminal."""
    start_and_ping(system, RaisingActor, "receive", RuntimeError)
    root.expect_kind(ChildFailed)
    assert "raising failed (crash)" in caplog.text
    assert capfd.readouterr().err == ""

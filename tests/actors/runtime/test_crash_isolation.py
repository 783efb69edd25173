"""Nothing that a feature raises leaves its cell, wherever and whatever it is."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Literal, Self

import pytest

from actors.runtime.actor import Actor, JobFailure
from actors.runtime.system import ActorSystem
from messages.address import ROOT
from messages.child_lifecycle import ChildCancelled, ChildCompleted, ChildFailed
from tests.actors.runtime.sample_actors import Echo, Observed, Ping, report_failure
from tests.probe import PROBE_TIMEOUT_S, Probe

pytestmark = pytest.mark.quick

FailurePoint = Literal["init", "start", "receive", "failed", "stop", "job", "subtask"]


class RaisingActor(Actor[Ping | Observed]):
    """Raises at one place of its life; finishes once a work's outcome has come."""

    def __init__(self, place: FailurePoint, error: type[BaseException]) -> None:
        self._place = place
        self._error = error
        self._pass("init")

    def on_start(self) -> None:
        self._pass("start")

    def on_receive(self, message: Ping | Observed) -> None:
        match message:
            case Ping():
                self._pass("receive")
                self._go_to_work()
            case Observed():
                self.tell(ROOT, message)
                self.finish()

    def on_stop(self) -> None:
        self._pass("stop")

    def _go_to_work(self) -> None:
        match self._place:
            case "job" | "failed":
                self.start_job(partial(raise_error, self._error), self._failed)
            case "subtask":
                self.start_job(partial(raise_in_subtask, self._error), self._failed)
            case _:
                self.finish()

    def _failed(self, failure: JobFailure) -> Observed:
        self._pass("failed")
        return report_failure(failure)

    def _pass(self, place: FailurePoint) -> None:
        if place == self._place:
            raise self._error(place)


class RaisingActorOnThread(RaisingActor):
    dispatcher = "thread"


async def raise_error(error: type[BaseException]) -> Observed:
    raise error("job")  # noqa: EM101  (the place is the text)


async def raise_in_subtask(error: type[BaseException]) -> Observed:
    return await asyncio.create_task(raise_error(error))


class UnprintableError(Exception):
    def __str__(self) -> str:
        raise ValueError


class ErrorWithoutText(BaseExceptionGroup[BaseException]):
    """One that holds what would end a program."""

    def __new__(cls, place: str) -> Self:
        return super().__new__(cls, place, [KeyboardInterrupt(), SystemExit()])

    def __init__(self, place: str) -> None:
        super().__init__(place, self.exceptions)

    def __str__(self) -> str:
        return self.message


class DeepRecursionError(RecursionError):
    """Raised as deep as it goes."""

    def __init__(self, place: str) -> None:
        super().__init__(place)
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
"""Python's own word: an iteration's end would be taken for the coroutine's."""
each_error = pytest.mark.parametrize("error", ERRORS)
each_dispatcher = pytest.mark.parametrize("faulty", [RaisingActor, RaisingActorOnThread])

MakeRaisingActor = Callable[[FailurePoint, type[BaseException]], RaisingActor]


def start_and_ping(
    system: ActorSystem, faulty: MakeRaisingActor, place: FailurePoint, error: type[BaseException]
) -> None:
    child = system.start(partial(faulty, place, error), "faulty")
    system.tell(child, Ping())


def assert_system_works(system: ActorSystem, root: Probe) -> None:
    root.expect_nothing_more()
    sibling = system.start(Echo)
    assert system.ask(sibling, Ping(text="well?"), PROBE_TIMEOUT_S) == Observed(text="well?")
    assert root.address.child("faulty") not in system.addresses


@each_dispatcher
@each_error
@pytest.mark.parametrize("place", ["init", "start"])
def test_what_is_raised_before_the_first_message_is_a_failed_start(
    system: ActorSystem,
    root: Probe,
    faulty: MakeRaisingActor,
    place: FailurePoint,
    error: type[BaseException],
) -> None:
    start_and_ping(system, faulty, place, error)
    detail = f"{error.__name__}: {place}"
    root.expect(ChildFailed(child=ROOT.child("faulty"), cause="start", detail=detail))
    assert_system_works(system, root)


@each_dispatcher
@each_error
@pytest.mark.parametrize("place", ["receive", "failed"])
def test_what_is_raised_later_is_a_crash(
    system: ActorSystem,
    root: Probe,
    faulty: MakeRaisingActor,
    place: FailurePoint,
    error: type[BaseException],
) -> None:
    start_and_ping(system, faulty, place, error)
    detail = f"{error.__name__}: {place}"
    root.expect(ChildFailed(child=ROOT.child("faulty"), cause="crash", detail=detail))
    assert_system_works(system, root)


@each_dispatcher
@each_error
def test_what_is_raised_while_cleaning_up_changes_nothing_about_the_end(
    system: ActorSystem, root: Probe, faulty: MakeRaisingActor, error: type[BaseException]
) -> None:
    start_and_ping(system, faulty, "stop", error)
    root.expect(ChildCompleted(child=ROOT.child("faulty")))
    child = system.start(partial(faulty, "stop", error), "faulty")
    system.stop_child(child)
    root.expect(ChildCancelled(child=child))
    assert_system_works(system, root)


@each_dispatcher
@each_error
@pytest.mark.parametrize("place", ["job", "subtask"])
def test_what_a_job_raises_is_its_outcome_and_its_actor_lives_on(
    system: ActorSystem,
    root: Probe,
    faulty: MakeRaisingActor,
    place: FailurePoint,
    error: type[BaseException],
) -> None:
    start_and_ping(system, faulty, place, error)
    crash = "JobCrashError: " if error in (SystemExit, KeyboardInterrupt) else ""
    outcome = f"raised {crash}{error.__name__}: job"
    if error is asyncio.CancelledError:
        outcome = "cancelled"
    if error is StopIteration:
        outcome = STOP_ITERATION_DETAIL
    root.expect(Observed(text=outcome), ChildCompleted(child=ROOT.child("faulty")))
    assert_system_works(system, root)


@each_dispatcher
def test_an_exception_that_cannot_even_say_what_it_is_ends_its_actor_only(
    system: ActorSystem, root: Probe, faulty: MakeRaisingActor
) -> None:
    start_and_ping(system, faulty, "receive", UnprintableError)
    end = ChildFailed(child=ROOT.child("faulty"), cause="crash", detail="UnprintableError")
    root.expect(end)
    assert_system_works(system, root)


@each_dispatcher
@each_error
@pytest.mark.parametrize("place", ["init", "start", "receive", "failed", "stop", "job"])
def test_whatever_is_raised_anywhere_is_in_the_log_with_its_traceback(  # noqa: PLR0913, PLR0917  (fixtures)
    system: ActorSystem,
    root: Probe,
    caplog: pytest.LogCaptureFixture,
    faulty: MakeRaisingActor,
    place: FailurePoint,
    error: type[BaseException],
) -> None:
    start_and_ping(system, faulty, place, error)
    while not isinstance(root.next(), ChildCompleted | ChildFailed):
        pass
    kept = [each.exc_info[1] for each in caplog.records if each.exc_info]
    if place == "job" and error is asyncio.CancelledError:
        assert kept == []  # it is how a job ends that was cancelled
        return
    if place == "failed":
        kept = kept[1:]  # the job's own comes first
        assert len(kept) == (error is not asyncio.CancelledError)
        return
    (raised,) = kept
    assert raised is not None
    found = raised if isinstance(raised, error) else raised.__cause__
    assert isinstance(found, error)
    assert found.__traceback__ is not None


def test_without_a_configured_log_nothing_is_printed(
    system: ActorSystem,
    root: Probe,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    """The terminal belongs to the shell."""
    start_and_ping(system, RaisingActor, "receive", RuntimeError)
    root.expect_kind(ChildFailed)
    assert "faulty failed (crash)" in caplog.text
    assert capfd.readouterr().err == ""

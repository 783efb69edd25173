"""What wakes the main thread of a run without a person, and what waits until something does."""

import threading

import pytest

from messages.address import PRIMARY
from shell.headless.event_queue import (
    MAX_UNSIGNALED_EVENTS,
    EventQueue,
    QueuedEvent,
    QueueItem,
    RunEnded,
)
from tests.probe import PROBE_TIMEOUT_S
from tests.shell import sample_events

pytestmark = pytest.mark.quick

REPLY = QueuedEvent(PRIMARY, sample_events.reply_completed("So."), ends_turn=False)
END = RunEnded(0, "")


def take_in_thread(happenings: EventQueue, count: int) -> tuple[list[QueueItem], threading.Thread]:
    """Take so many on a thread of their own, as the main thread does."""
    seen: list[QueueItem] = []

    def take() -> None:
        seen.extend(happenings.get() for _ in range(count))

    thread = threading.Thread(target=take, daemon=True)
    thread.start()
    return seen, thread


def test_what_need_not_be_soon_waits_for_what_must_and_keeps_its_order() -> None:
    happenings = EventQueue()
    seen, thread = take_in_thread(happenings, 3)
    happenings.put(REPLY, wake=False)
    happenings.put(REPLY, wake=False)
    happenings.put(END)
    thread.join(PROBE_TIMEOUT_S)
    assert seen == [REPLY, REPLY, END]


def test_what_need_not_be_soon_does_not_gather_without_end() -> None:
    happenings = EventQueue()
    seen, thread = take_in_thread(happenings, MAX_UNSIGNALED_EVENTS)
    for _ in range(MAX_UNSIGNALED_EVENTS):
        happenings.put(REPLY, wake=False)
    thread.join(PROBE_TIMEOUT_S)
    assert len(seen) == MAX_UNSIGNALED_EVENTS

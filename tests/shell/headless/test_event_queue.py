"""Which events wake the main thread of a headless run, and which wait for the next one."""

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

REPLY = QueuedEvent(PRIMARY, sample_events.reply_completed("So."), ends_run=False)
END = RunEnded(0, "")


def take_in_thread(queue: EventQueue, count: int) -> tuple[list[QueueItem], threading.Thread]:
    """Take items on another thread, as the main thread does."""
    items: list[QueueItem] = []

    def take() -> None:
        items.extend(queue.get() for _ in range(count))

    thread = threading.Thread(target=take, daemon=True)
    thread.start()
    return items, thread


def test_an_event_without_wake_up_waits_and_keeps_its_order() -> None:
    queue = EventQueue()
    items, thread = take_in_thread(queue, 3)
    queue.put(REPLY, wake=False)
    queue.put(REPLY, wake=False)
    queue.put(END)
    thread.join(PROBE_TIMEOUT_S)
    assert items == [REPLY, REPLY, END]


def test_events_without_wake_up_are_bounded() -> None:
    queue = EventQueue()
    items, thread = take_in_thread(queue, MAX_UNSIGNALED_EVENTS)
    for _ in range(MAX_UNSIGNALED_EVENTS):
        queue.put(REPLY, wake=False)
    thread.join(PROBE_TIMEOUT_S)
    assert len(items) == MAX_UNSIGNALED_EVENTS

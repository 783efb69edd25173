"""The queue of screen events loses nothing and stays bounded."""

from threading import Thread

import pytest

from messages.address import Address
from messages.turns import TextDelta, ThinkingDelta
from shell.console.screen_event_queue import (
    MAX_DELTA_CHARS,
    MAX_QUEUED_EVENTS,
    Notice,
    ScreenEventQueue,
    SubagentEvent,
    TextDropped,
)

pytestmark = pytest.mark.quick


def test_many_events_wake_the_reader_once() -> None:
    wake_ups: list[int] = []
    queue = ScreenEventQueue()
    queue.set_wake_callback(lambda: wake_ups.append(1))
    for number in range(5):
        queue.put_notice(str(number))
    assert len(wake_ups) == 1
    assert queue.take_all() == tuple(Notice(str(number)) for number in range(5))
    queue.put_notice("next")
    assert len(wake_ups) == 2


def test_a_late_reader_is_woken_for_waiting_events() -> None:
    wake_ups: list[int] = []
    queue = ScreenEventQueue()
    queue.put_notice("early")
    queue.set_wake_callback(lambda: wake_ups.append(1))
    assert wake_ups == [1]


def test_no_event_of_any_thread_is_lost() -> None:
    queue, taken = ScreenEventQueue(), list[str]()
    wake_ups = list[int]()
    queue.set_wake_callback(lambda: wake_ups.append(1))

    def put(name: int) -> None:
        for number in range(500):
            queue.put_notice(f"{name}-{number}")

    threads = [Thread(target=put, args=(name,)) for name in range(4)]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads) or wake_ups:
        if wake_ups:
            wake_ups.pop()
            taken.extend(event.text for event in queue.take_all() if isinstance(event, Notice))
    assert sorted(taken) == sorted(f"{name}-{number}" for name in range(4) for number in range(500))


def test_waiting_deltas_are_joined_in_order() -> None:
    queue = ScreenEventQueue()
    for text in ("a", "b"):
        queue.put(TextDelta(text=text))
    queue.put(ThinkingDelta(text="c"))
    queue.put_notice("here")
    queue.put(TextDelta(text="d"))
    assert queue.take_all() == (
        TextDelta(text="ab"),
        ThinkingDelta(text="c"),
        Notice("here"),
        TextDelta(text="d"),
    )


def test_waiting_text_is_bounded_and_omissions_are_counted() -> None:
    queue = ScreenEventQueue()
    text = "x" * MAX_DELTA_CHARS
    for _ in range(MAX_QUEUED_EVENTS + 500):
        queue.put(TextDelta(text=text))
    queue.put_notice("last")
    waiting = queue.take_all()
    assert len(waiting) == MAX_QUEUED_EVENTS + 2
    assert waiting[-2:] == (TextDropped(500 * MAX_DELTA_CHARS), Notice("last"))


def test_the_stream_of_a_subagent_is_joined_and_bounded() -> None:
    first, second = Address("/primary/general-1"), Address("/primary/general-2")
    queue = ScreenEventQueue()
    for source, text in ((first, "a"), (first, "b"), (second, "c")):
        queue.put(SubagentEvent(source, TextDelta(text=text)))
    joined = SubagentEvent(first, TextDelta(text="ab"))
    assert queue.take_all() == (joined, SubagentEvent(second, TextDelta(text="c")))

    for _ in range(MAX_QUEUED_EVENTS + 500):
        queue.put(SubagentEvent(first, TextDelta(text="x" * MAX_DELTA_CHARS)))
    assert len(queue.take_all()) == MAX_QUEUED_EVENTS


def test_joining_while_the_reader_reads_loses_nothing() -> None:
    queue, read = ScreenEventQueue(), list[str]()

    def write() -> None:
        for number in range(20_000):
            queue.put(TextDelta(text=f"{number} "))

    writer = Thread(target=write)
    writer.start()
    while writer.is_alive() or queue:
        while event := queue.take_next():
            assert isinstance(event, TextDelta)
            read.append(event.text)
    assert "".join(read).split() == [str(number) for number in range(20_000)]

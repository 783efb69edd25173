from threading import Thread

import pytest

from messages.address import Address
from messages.turns import TextDelta, ThinkingDelta
from shell.console.screen_events import (
    MAX_DELTA_CHARS,
    MAX_QUEUED_EVENTS,
    Notice,
    ScreenEventQueue,
    SubagentEvent,
    TextDropped,
)

pytestmark = pytest.mark.quick


def test_many_events_wake_the_reader_once_until_it_takes_them() -> None:
    woken: list[int] = []
    inbox = ScreenEventQueue()
    inbox.set_wake_callback(lambda: woken.append(1))
    for number in range(5):
        inbox.put_notice(str(number))
    assert len(woken) == 1
    assert inbox.take_all() == tuple(Notice(str(number)) for number in range(5))
    inbox.put_notice("next")
    assert len(woken) == 2


def test_a_reader_that_comes_late_is_woken_for_what_waits() -> None:
    woken: list[int] = []
    inbox = ScreenEventQueue()
    inbox.put_notice("early")
    inbox.set_wake_callback(lambda: woken.append(1))
    assert woken == [1]


def test_no_event_of_any_thread_is_lost_or_left_without_a_wake_up() -> None:
    inbox, taken = ScreenEventQueue(), list[str]()
    woken = list[int]()
    inbox.set_wake_callback(lambda: woken.append(1))

    def put(name: int) -> None:
        for number in range(500):
            inbox.put_notice(f"{name}-{number}")

    threads = [Thread(target=put, args=(name,)) for name in range(4)]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads) or woken:
        if woken:
            woken.pop()
            taken.extend(event.text for event in inbox.take_all() if isinstance(event, Notice))
    assert sorted(taken) == sorted(f"{name}-{number}" for name in range(4) for number in range(500))


def test_pieces_of_text_that_wait_are_joined_and_keep_their_places() -> None:
    inbox = ScreenEventQueue()
    for text in ("a", "b"):
        inbox.put(TextDelta(text=text))
    inbox.put(ThinkingDelta(text="c"))
    inbox.put_notice("here")
    inbox.put(TextDelta(text="d"))
    assert inbox.take_all() == (
        TextDelta(text="ab"),
        ThinkingDelta(text="c"),
        Notice("here"),
        TextDelta(text="d"),
    )


def test_however_much_text_comes_what_waits_is_bounded_and_what_is_left_out_is_told() -> None:
    inbox = ScreenEventQueue()
    piece = "x" * MAX_DELTA_CHARS
    for _ in range(MAX_QUEUED_EVENTS + 500):
        inbox.put(TextDelta(text=piece))
    inbox.put_notice("last")
    waiting = inbox.take_all()
    assert len(waiting) == MAX_QUEUED_EVENTS + 2
    assert waiting[-2:] == (TextDropped(500 * MAX_DELTA_CHARS), Notice("last"))


def test_what_one_subagent_streams_is_joined_and_bounded() -> None:
    one, two = Address("/primary/general-1"), Address("/primary/general-2")
    inbox = ScreenEventQueue()
    for source, text in ((one, "a"), (one, "b"), (two, "c")):
        inbox.put(SubagentEvent(source, TextDelta(text=text)))
    joined = SubagentEvent(one, TextDelta(text="ab"))
    assert inbox.take_all() == (joined, SubagentEvent(two, TextDelta(text="c")))

    for _ in range(MAX_QUEUED_EVENTS + 500):
        inbox.put(SubagentEvent(one, TextDelta(text="x" * MAX_DELTA_CHARS)))
    assert len(inbox.take_all()) == MAX_QUEUED_EVENTS


def test_joining_while_the_reader_takes_loses_nothing() -> None:
    inbox, read = ScreenEventQueue(), list[str]()

    def write() -> None:
        for number in range(20_000):
            inbox.put(TextDelta(text=f"{number} "))

    writer = Thread(target=write)
    writer.start()
    while writer.is_alive() or inbox:
        while event := inbox.take_next():
            assert isinstance(event, TextDelta)
            read.append(event.text)
    assert "".join(read).split() == [str(number) for number in range(20_000)]

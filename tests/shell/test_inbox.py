from threading import Thread

import pytest

from messages.address import Address
from messages.turns import MessageDelta, ThinkingDelta
from shell.inbox import LONGEST_DELTA_CHARS, MOST_WAITING, Inbox, Notice, OfSubagent, Omitted

pytestmark = pytest.mark.quick


def test_many_events_wake_the_reader_once_until_it_takes_them() -> None:
    woken: list[int] = []
    inbox = Inbox()
    inbox.listen(lambda: woken.append(1))
    for number in range(5):
        inbox.put_notice(str(number))
    assert len(woken) == 1
    assert inbox.take() == tuple(Notice(str(number)) for number in range(5))
    inbox.put_notice("next")
    assert len(woken) == 2


def test_a_reader_that_comes_late_is_woken_for_what_waits() -> None:
    woken: list[int] = []
    inbox = Inbox()
    inbox.put_notice("early")
    inbox.listen(lambda: woken.append(1))
    assert woken == [1]


def test_no_event_of_any_thread_is_lost_or_left_without_a_wake_up() -> None:
    inbox, taken = Inbox(), list[str]()
    woken = list[int]()
    inbox.listen(lambda: woken.append(1))

    def put(name: int) -> None:
        for number in range(500):
            inbox.put_notice(f"{name}-{number}")

    threads = [Thread(target=put, args=(name,)) for name in range(4)]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads) or woken:
        if woken:
            woken.pop()
            taken.extend(event.text for event in inbox.take() if isinstance(event, Notice))
    assert sorted(taken) == sorted(f"{name}-{number}" for name in range(4) for number in range(500))


def test_pieces_of_text_that_wait_are_joined_and_keep_their_places() -> None:
    inbox = Inbox()
    for text in ("a", "b"):
        inbox.put(MessageDelta(text=text))
    inbox.put(ThinkingDelta(text="c"))
    inbox.put_notice("here")
    inbox.put(MessageDelta(text="d"))
    assert inbox.take() == (
        MessageDelta(text="ab"),
        ThinkingDelta(text="c"),
        Notice("here"),
        MessageDelta(text="d"),
    )


def test_however_much_text_comes_what_waits_is_bounded_and_what_is_left_out_is_told() -> None:
    inbox = Inbox()
    piece = "x" * LONGEST_DELTA_CHARS
    for _ in range(MOST_WAITING + 500):
        inbox.put(MessageDelta(text=piece))
    inbox.put_notice("last")
    waiting = inbox.take()
    assert len(waiting) == MOST_WAITING + 2
    assert waiting[-2:] == (Omitted(500 * LONGEST_DELTA_CHARS), Notice("last"))


def test_what_one_subagent_streams_is_joined_and_bounded() -> None:
    one, two = Address("/primary/general-1"), Address("/primary/general-2")
    inbox = Inbox()
    for source, text in ((one, "a"), (one, "b"), (two, "c")):
        inbox.put(OfSubagent(source, MessageDelta(text=text)))
    joined = OfSubagent(one, MessageDelta(text="ab"))
    assert inbox.take() == (joined, OfSubagent(two, MessageDelta(text="c")))

    for _ in range(MOST_WAITING + 500):
        inbox.put(OfSubagent(one, MessageDelta(text="x" * LONGEST_DELTA_CHARS)))
    assert len(inbox.take()) == MOST_WAITING


def test_joining_while_the_reader_takes_loses_nothing() -> None:
    inbox, read = Inbox(), list[str]()

    def write() -> None:
        for number in range(20_000):
            inbox.put(MessageDelta(text=f"{number} "))

    writer = Thread(target=write)
    writer.start()
    while writer.is_alive() or inbox:
        while event := inbox.next():
            assert isinstance(event, MessageDelta)
            read.append(event.text)
    assert "".join(read).split() == [str(number) for number in range(20_000)]

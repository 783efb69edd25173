from threading import Thread

import pytest

from shell.inbox import Inbox, Notice

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

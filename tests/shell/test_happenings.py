"""What wakes the main thread of a run without a person, and what waits until something does."""

import threading

import pytest

from messages.address import PRIMARY
from shell.happenings import MOST_WAITING, Happening, Happenings, QueuedEvent, RunEnded
from tests.probe import PATIENCE_S
from tests.shell import reports

pytestmark = pytest.mark.quick

REPLY = QueuedEvent(PRIMARY, reports.reply("So."), last=False)
END = RunEnded(0, "")


def taken(happenings: Happenings, count: int) -> tuple[list[Happening], threading.Thread]:
    """Take so many on a thread of their own, as the main thread does."""
    seen: list[Happening] = []

    def take() -> None:
        seen.extend(happenings.get() for _ in range(count))

    thread = threading.Thread(target=take, daemon=True)
    thread.start()
    return seen, thread


def test_what_need_not_be_soon_waits_for_what_must_and_keeps_its_order() -> None:
    happenings = Happenings()
    seen, thread = taken(happenings, 3)
    happenings.put(REPLY, soon=False)
    happenings.put(REPLY, soon=False)
    happenings.put(END)
    thread.join(PATIENCE_S)
    assert seen == [REPLY, REPLY, END]


def test_what_need_not_be_soon_does_not_gather_without_end() -> None:
    happenings = Happenings()
    seen, thread = taken(happenings, MOST_WAITING)
    for _ in range(MOST_WAITING):
        happenings.put(REPLY, soon=False)
    thread.join(PATIENCE_S)
    assert len(seen) == MOST_WAITING

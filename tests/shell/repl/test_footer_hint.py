"""The line that replaces the footer, with timers that the test fires."""

from collections.abc import Callable

import pytest

from shell.repl.footer_hint import MESSAGE_DURATION_S, FooterHint

pytestmark = pytest.mark.quick


class ManualTimers:
    def __init__(self) -> None:
        self.callbacks: list[Callable[[], None]] = []
        self.delays_s: list[float] = []

    def call_later(self, delay_s: float, callback: Callable[[], None]) -> None:
        self.delays_s.append(delay_s)
        self.callbacks.append(callback)


def create_hint() -> tuple[FooterHint, ManualTimers, list[str]]:
    """Return a hint, its timers, and the texts at each redraw."""
    drawn: list[str] = []
    timers = ManualTimers()
    hint = FooterHint(lambda: drawn.append(hint.text), timers.call_later)
    return hint, timers, drawn


def test_a_hint_ends_after_its_time() -> None:
    hint, timers, drawn = create_hint()
    hint.show("press again", 3.0)
    timers.callbacks[0]()
    assert (drawn, timers.delays_s) == (["press again", ""], [3.0])


def test_an_old_timer_does_not_end_newer_hints() -> None:
    hint, timers, drawn = create_hint()
    hint.show("old", 3.0)
    hint.show("new", 3.0)
    timers.callbacks[0]()
    assert drawn == ["old", "new"]


def test_the_next_key_ends_messages_but_not_hints() -> None:
    hint, timers, drawn = create_hint()
    hint.show_message("nothing there")
    hint.clear_message()
    hint.show("press again", 3.0)
    hint.clear_message()
    assert (drawn, timers.delays_s[0]) == (["nothing there", "", "press again"], MESSAGE_DURATION_S)

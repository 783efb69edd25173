"""Which key does what, and when: tables. What it then means is decided by the hands."""

from collections.abc import Callable

from prompt_toolkit.filters import Condition, Filter
from prompt_toolkit.filters.base import Always
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.keys import Keys

from shell.hands import Hands
from shell.terminal import ACKNOWLEDGED

ALWAYS = Always()


def bindings(hands: Hands) -> KeyBindings:
    """Build the tables."""
    keys = KeyBindings()
    _plain(keys, hands)
    _dialog(keys, hands)
    _escape(keys, hands)
    return keys


def _plain(keys: KeyBindings, hands: Hands) -> None:
    _bind(keys, "enter", hands.enter)
    _bind(keys, "c-j", hands.new_line)
    _bind(keys, "c-c", hands.ctrl_c)
    _bind(keys, Keys.SIGINT, hands.ctrl_c)
    _bind(keys, "c-d", hands.ctrl_d)
    _bind(keys, "c-z", hands.suspend)
    _bind(keys, "c-y", hands.to_approval)
    _bind(keys, "up", hands.take_back, Condition(lambda: hands.can_take_back))
    _bind(keys, ACKNOWLEDGED, hands.acknowledge)

    @keys.add(Keys.BracketedPaste)
    def _paste(event: KeyPressEvent) -> None:
        hands.paste(event.key_sequence[-1].data)


def _dialog(keys: KeyBindings, hands: Hands) -> None:
    is_open = Condition(lambda: hands.dialog_open and not hands.reasoning)
    armed = Condition(lambda: hands.dialog_armed and not hands.reasoning)
    _bind(keys, "pagedown", lambda: hands.page(1), is_open)
    _bind(keys, "pageup", lambda: hands.page(-1), is_open)
    _bind(keys, "down", lambda: hands.scroll(1), armed)
    _bind(keys, "up", lambda: hands.scroll(-1), armed)
    _bind(keys, " ", lambda: hands.page(1), armed)
    _bind(keys, "tab", hands.refuse_with_reason, armed)

    @keys.add(Keys.Any, filter=armed)
    def _answer(event: KeyPressEvent) -> None:
        hands.answer(event.key_sequence[-1].data, last=_last(event))


def _escape(keys: KeyBindings, hands: Hands) -> None:
    """Esc alone, twice, and as the prefix that Alt sends.

    A terminal's answer or a paste may follow within the time in which Esc waits for the rest of
    its sequence; it must not be taken for one.
    """
    _bind(keys, "escape", hands.escape)
    keys.add("escape", "escape")(_calling(hands.escape))
    keys.add("escape", "enter")(_calling(hands.new_line))
    keys.add("escape", Keys.Any)(_calling(_nothing))

    @keys.add("escape", ACKNOWLEDGED)
    def _then_answer(_event: KeyPressEvent) -> None:
        hands.acknowledge()
        hands.escape()

    @keys.add("escape", Keys.BracketedPaste)
    def _then_paste(event: KeyPressEvent) -> None:
        hands.escape()
        hands.paste(event.key_sequence[-1].data)


def _bind(keys: KeyBindings, press: str, act: Callable[[], None], when: Filter = ALWAYS) -> None:
    keys.add(press, filter=when)(_calling(act))


def _calling(act: Callable[[], None]) -> Callable[[KeyPressEvent], None]:
    def handle(_event: KeyPressEvent) -> None:
        act()

    return handle


def _nothing() -> None:
    """Alt with a key that has no meaning does nothing."""


def _last(event: KeyPressEvent) -> bool:
    """Whether nothing was read behind this key; behind one of an unmarked paste there is."""
    return not any(key.key != ACKNOWLEDGED for key in event.key_processor.input_queue)

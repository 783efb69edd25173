"""Which key does what, and when: a table for each focus. What it means, the hands know."""

from collections.abc import Callable

from prompt_toolkit.filters import Condition, Filter
from prompt_toolkit.filters.base import Always
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.keys import Keys

from shell.repl.hands import Focus, KeyActions
from shell.repl.paging import FAR
from shell.repl.terminal import ACKNOWLEDGED

ALWAYS = Always()


def bindings(hands: KeyActions) -> KeyBindings:
    """Build the tables; of two that hold, the later one counts."""
    keys = KeyBindings()
    _always(keys, hands)
    _draft(keys, hands, _while(hands, Focus.DRAFT, Focus.MENU))
    _menu(keys, hands, _while(hands, Focus.MENU))
    _dialog(keys, hands)
    _question(keys, hands, _while(hands, Focus.QUESTION))
    _picker(keys, hands, _while(hands, Focus.PICKER))
    _page(keys, hands, _while(hands, Focus.PAGE))
    _overseeing(keys, hands, _while(hands, Focus.PAGE, Focus.PICKER))
    _escape(keys, hands)
    return keys


def _always(keys: KeyBindings, hands: KeyActions) -> None:
    _bind(keys, "c-j", hands.new_line)
    _bind(keys, "c-c", hands.ctrl_c)
    _bind(keys, Keys.SIGINT, hands.ctrl_c)
    _bind(keys, "c-d", hands.ctrl_d)
    _bind(keys, "c-z", hands.suspend)
    _bind(keys, "c-y", hands.to_approval)
    _bind(keys, "c-r", _nothing)
    _bind(keys, "s-tab", hands.next_mode)
    _bind(keys, ACKNOWLEDGED, hands.acknowledge)

    @keys.add("enter")
    def _enter(event: KeyPressEvent) -> None:
        hands.enter(last=_last(event))

    @keys.add(Keys.BracketedPaste)
    def _paste(event: KeyPressEvent) -> None:
        hands.paste(event.key_sequence[-1].data)


def _draft(keys: KeyBindings, hands: KeyActions, typing: Filter) -> None:
    _bind(keys, "up", hands.drafting.up, typing)
    _bind(keys, "down", hands.drafting.down, typing)
    _bind(keys, "c-r", hands.drafting.search, typing)
    _bind(keys, "backspace", hands.drafting.rub_out, typing)
    _bind(keys, "c-o", hands.show_details, typing)
    _bind(keys, "tab", _nothing, typing)


def _menu(keys: KeyBindings, hands: KeyActions, is_open: Filter) -> None:
    _bind(keys, "up", lambda: hands.completing.move(-1), is_open)
    _bind(keys, "down", lambda: hands.completing.move(1), is_open)
    _bind(keys, "tab", hands.completing.accept, is_open)


def _dialog(keys: KeyBindings, hands: KeyActions) -> None:
    is_open = Condition(lambda: hands.dialog_open)
    armed = _while(hands, Focus.ARMED)
    _bind(keys, "pagedown", lambda: hands.answering.page(1), is_open)
    _bind(keys, "pageup", lambda: hands.answering.page(-1), is_open)
    _bind(keys, "down", lambda: hands.answering.scroll(1), armed)
    _bind(keys, "up", lambda: hands.answering.scroll(-1), armed)
    _bind(keys, " ", lambda: hands.answering.page(1), armed)
    _bind(keys, "home", lambda: hands.answering.scroll(-FAR), armed)
    _bind(keys, "end", lambda: hands.answering.scroll(FAR), armed)
    _bind(keys, "tab", hands.answering.begin_words, armed)

    @keys.add(Keys.Any, filter=armed)
    def _answer(event: KeyPressEvent) -> None:
        hands.answering.answer(event.key_sequence[-1].data, last=_last(event))


def _question(keys: KeyBindings, hands: KeyActions, armed: Filter) -> None:
    _bind(keys, "down", lambda: hands.replying.move(1), armed)
    _bind(keys, "up", lambda: hands.replying.move(-1), armed)
    _bind(keys, " ", hands.replying.tick, armed)
    _bind(keys, "tab", hands.answering.begin_words, armed)

    @keys.add(Keys.Any, filter=armed)
    def _press(event: KeyPressEvent) -> None:
        hands.replying.press(event.key_sequence[-1].data, last=_last(event))


def _picker(keys: KeyBindings, hands: KeyActions, is_open: Filter) -> None:
    _bind(keys, "up", lambda: hands.choosing.move(-1), is_open)
    _bind(keys, "down", lambda: hands.choosing.move(1), is_open)
    _bind(keys, "c-r", lambda: hands.choosing.move(1), is_open)
    _bind(keys, "tab", hands.choosing.accept, is_open)
    _bind(keys, "left", hands.choosing.close, is_open & Condition(lambda: hands.choosing.whole))


def _page(keys: KeyBindings, hands: KeyActions, is_open: Filter) -> None:
    keys.add(Keys.Any, filter=is_open)(_calling(_nothing))
    _bind(keys, "up", lambda: hands.paging.move(-1), is_open)
    _bind(keys, "down", lambda: hands.paging.move(1), is_open)
    _bind(keys, "pageup", lambda: hands.paging.turn(-1), is_open)
    _bind(keys, "pagedown", lambda: hands.paging.turn(1), is_open)
    _bind(keys, " ", lambda: hands.paging.turn(1), is_open)
    _bind(keys, "home", lambda: hands.paging.move(-FAR), is_open)
    _bind(keys, "end", lambda: hands.paging.move(FAR), is_open)
    _bind(keys, "q", hands.paging.close, is_open)
    _bind(keys, "left", hands.overseeing.back, is_open)
    _bind(keys, "c-o", hands.paging.close, is_open)


def _overseeing(keys: KeyBindings, hands: KeyActions, is_open: Filter) -> None:
    of_agent = Condition(lambda: hands.overseeing.agent is not None)
    asks = Condition(lambda: hands.overseeing.asks)
    _bind(keys, "x", hands.overseeing.stop, is_open & of_agent)
    _bind(keys, "y", hands.overseeing.stop, is_open & asks)


def _escape(keys: KeyBindings, hands: KeyActions) -> None:
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


def _while(hands: KeyActions, *focus: Focus) -> Filter:
    return Condition(lambda: hands.focus in focus)


def _bind(keys: KeyBindings, press: str, act: Callable[[], object], when: Filter = ALWAYS) -> None:
    keys.add(press, filter=when)(_calling(act))


def _calling(act: Callable[[], object]) -> Callable[[KeyPressEvent], None]:
    def handle(_event: KeyPressEvent) -> None:
        act()

    return handle


def _nothing() -> None:
    """Do nothing: Alt with a key that has no meaning, for one."""


def _last(event: KeyPressEvent) -> bool:
    """Whether nothing was read behind this key; behind one of an unmarked paste there is."""
    return not any(key.key != ACKNOWLEDGED for key in event.key_processor.input_queue)

"""Which key does what, and when: a table for each focus. What it means, the hands know."""

from collections.abc import Callable

from prompt_toolkit.filters import Condition, Filter
from prompt_toolkit.filters.base import Always
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.keys import Keys

from shell.repl.key_actions import Focus, KeyActions
from shell.repl.page_view import MAX_SCROLL_ROWS
from shell.repl.terminal import ACKNOWLEDGED_KEY

ALWAYS = Always()


def create_key_bindings(key_actions: KeyActions) -> KeyBindings:
    """Build the tables; of two that hold, the later one counts."""
    keys = KeyBindings()
    _always(keys, key_actions)
    _draft(keys, key_actions, _while(key_actions, Focus.DRAFT, Focus.MENU))
    _menu(keys, key_actions, _while(key_actions, Focus.MENU))
    _dialog(keys, key_actions)
    _question(keys, key_actions, _while(key_actions, Focus.QUESTION))
    _picker(keys, key_actions, _while(key_actions, Focus.PICKER))
    _page(keys, key_actions, _while(key_actions, Focus.PAGE))
    _overseeing(keys, key_actions, _while(key_actions, Focus.PAGE, Focus.PICKER))
    _escape(keys, key_actions)
    return keys


def _always(keys: KeyBindings, hands: KeyActions) -> None:
    _bind(keys, "c-j", hands.insert_newline)
    _bind(keys, "c-c", hands.on_ctrl_c)
    _bind(keys, Keys.SIGINT, hands.on_ctrl_c)
    _bind(keys, "c-d", hands.on_ctrl_d)
    _bind(keys, "c-z", hands.suspend)
    _bind(keys, "c-y", hands.focus_approval)
    _bind(keys, "c-r", _nothing)
    _bind(keys, "s-tab", hands.cycle_mode)
    _bind(keys, ACKNOWLEDGED_KEY, hands.on_acknowledged)

    @keys.add("enter")
    def _enter(event: KeyPressEvent) -> None:
        hands.on_enter(is_last=_last(event))

    @keys.add(Keys.BracketedPaste)
    def _paste(event: KeyPressEvent) -> None:
        hands.on_paste(event.key_sequence[-1].data)


def _draft(keys: KeyBindings, hands: KeyActions, typing: Filter) -> None:
    _bind(keys, "up", hands.draft_input.move_up, typing)
    _bind(keys, "down", hands.draft_input.move_down, typing)
    _bind(keys, "c-r", hands.draft_input.search_history, typing)
    _bind(keys, "backspace", hands.draft_input.backspace, typing)
    _bind(keys, "c-o", hands.show_full_output, typing)
    _bind(keys, "tab", _nothing, typing)


def _menu(keys: KeyBindings, hands: KeyActions, is_open: Filter) -> None:
    _bind(keys, "up", lambda: hands.completion.move(-1), is_open)
    _bind(keys, "down", lambda: hands.completion.move(1), is_open)
    _bind(keys, "tab", hands.completion.accept, is_open)


def _dialog(keys: KeyBindings, hands: KeyActions) -> None:
    is_open = Condition(lambda: hands.is_approval_open)
    armed = _while(hands, Focus.APPROVAL)
    _bind(keys, "pagedown", lambda: hands.approval_input.scroll_pages(1), is_open)
    _bind(keys, "pageup", lambda: hands.approval_input.scroll_pages(-1), is_open)
    _bind(keys, "down", lambda: hands.approval_input.scroll(1), armed)
    _bind(keys, "up", lambda: hands.approval_input.scroll(-1), armed)
    _bind(keys, " ", lambda: hands.approval_input.scroll_pages(1), armed)
    _bind(keys, "home", lambda: hands.approval_input.scroll(-MAX_SCROLL_ROWS), armed)
    _bind(keys, "end", lambda: hands.approval_input.scroll(MAX_SCROLL_ROWS), armed)
    _bind(keys, "tab", hands.approval_input.start_text_answer, armed)

    @keys.add(Keys.Any, filter=armed)
    def _answer(event: KeyPressEvent) -> None:
        hands.approval_input.on_key(event.key_sequence[-1].data, is_last=_last(event))


def _question(keys: KeyBindings, hands: KeyActions, armed: Filter) -> None:
    _bind(keys, "down", lambda: hands.question_input.move(1), armed)
    _bind(keys, "up", lambda: hands.question_input.move(-1), armed)
    _bind(keys, " ", hands.question_input.toggle, armed)
    _bind(keys, "tab", hands.approval_input.start_text_answer, armed)

    @keys.add(Keys.Any, filter=armed)
    def _press(event: KeyPressEvent) -> None:
        hands.question_input.on_key(event.key_sequence[-1].data, is_last=_last(event))


def _picker(keys: KeyBindings, hands: KeyActions, is_open: Filter) -> None:
    _bind(keys, "up", lambda: hands.list_input.move(-1), is_open)
    _bind(keys, "down", lambda: hands.list_input.move(1), is_open)
    _bind(keys, "c-r", lambda: hands.list_input.move(1), is_open)
    _bind(keys, "tab", hands.list_input.accept, is_open)
    _bind(
        keys,
        "left",
        hands.list_input.close,
        is_open & Condition(lambda: hands.list_input.is_filter_empty),
    )


def _page(keys: KeyBindings, hands: KeyActions, is_open: Filter) -> None:
    keys.add(Keys.Any, filter=is_open)(_calling(_nothing))
    _bind(keys, "up", lambda: hands.page_view.scroll(-1), is_open)
    _bind(keys, "down", lambda: hands.page_view.scroll(1), is_open)
    _bind(keys, "pageup", lambda: hands.page_view.scroll_pages(-1), is_open)
    _bind(keys, "pagedown", lambda: hands.page_view.scroll_pages(1), is_open)
    _bind(keys, " ", lambda: hands.page_view.scroll_pages(1), is_open)
    _bind(keys, "home", lambda: hands.page_view.scroll(-MAX_SCROLL_ROWS), is_open)
    _bind(keys, "end", lambda: hands.page_view.scroll(MAX_SCROLL_ROWS), is_open)
    _bind(keys, "q", hands.page_view.close, is_open)
    _bind(keys, "left", hands.task_view.go_back, is_open)
    _bind(keys, "c-o", hands.page_view.close, is_open)


def _overseeing(keys: KeyBindings, hands: KeyActions, is_open: Filter) -> None:
    of_agent = Condition(lambda: hands.task_view.selected_agent is not None)
    asks = Condition(lambda: hands.task_view.is_confirming_stop)
    _bind(keys, "x", hands.task_view.stop_agent, is_open & of_agent)
    _bind(keys, "y", hands.task_view.stop_agent, is_open & asks)


def _escape(keys: KeyBindings, hands: KeyActions) -> None:
    """Esc alone, twice, and as the prefix that Alt sends.

    A terminal's answer or a paste may follow within the time in which Esc waits for the rest of
    its sequence; it must not be taken for one.
    """
    _bind(keys, "escape", hands.on_escape)
    keys.add("escape", "escape")(_calling(hands.on_escape))
    keys.add("escape", "enter")(_calling(hands.insert_newline))
    keys.add("escape", Keys.Any)(_calling(_nothing))

    @keys.add("escape", ACKNOWLEDGED_KEY)
    def _then_answer(_event: KeyPressEvent) -> None:
        hands.on_acknowledged()
        hands.on_escape()

    @keys.add("escape", Keys.BracketedPaste)
    def _then_paste(event: KeyPressEvent) -> None:
        hands.on_escape()
        hands.on_paste(event.key_sequence[-1].data)


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
    return not any(key.key != ACKNOWLEDGED_KEY for key in event.key_processor.input_queue)

"""Key bindings: one table for each focus; `KeyActions` implements the actions."""

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
    """Create all bindings; of several active ones for a key, the last one applies."""
    keys = KeyBindings()
    _bind_always(keys, key_actions)
    _bind_draft(keys, key_actions, _has_focus(key_actions, Focus.DRAFT, Focus.MENU))
    _bind_menu(keys, key_actions, _has_focus(key_actions, Focus.MENU))
    _bind_approval(keys, key_actions)
    _bind_question(keys, key_actions, _has_focus(key_actions, Focus.QUESTION))
    _bind_picker(keys, key_actions, _has_focus(key_actions, Focus.PICKER))
    _bind_page(keys, key_actions, _has_focus(key_actions, Focus.PAGE))
    _bind_task_view(keys, key_actions, _has_focus(key_actions, Focus.PAGE, Focus.PICKER))
    _bind_escape(keys, key_actions)
    return keys


def _bind_always(keys: KeyBindings, actions: KeyActions) -> None:
    _bind(keys, "c-j", actions.insert_newline)
    _bind(keys, "c-c", actions.on_ctrl_c)
    _bind(keys, Keys.SIGINT, actions.on_ctrl_c)
    _bind(keys, "c-d", actions.on_ctrl_d)
    _bind(keys, "c-z", actions.suspend)
    _bind(keys, "c-y", actions.focus_approval)
    _bind(keys, "c-r", _do_nothing)
    _bind(keys, "s-tab", actions.cycle_mode)
    _bind(keys, ACKNOWLEDGED_KEY, actions.on_acknowledged)

    @keys.add("enter")
    def _enter(event: KeyPressEvent) -> None:
        actions.on_enter(is_last=_is_last(event))

    @keys.add(Keys.BracketedPaste)
    def _paste(event: KeyPressEvent) -> None:
        actions.on_paste(event.key_sequence[-1].data)


def _bind_draft(keys: KeyBindings, actions: KeyActions, is_typing: Filter) -> None:
    _bind(keys, "up", actions.draft_input.move_up, is_typing)
    _bind(keys, "down", actions.draft_input.move_down, is_typing)
    _bind(keys, "c-r", actions.draft_input.search_history, is_typing)
    _bind(keys, "backspace", actions.draft_input.backspace, is_typing)
    _bind(keys, "c-o", actions.show_full_output, is_typing)
    _bind(keys, "tab", _do_nothing, is_typing)


def _bind_menu(keys: KeyBindings, actions: KeyActions, is_open: Filter) -> None:
    _bind(keys, "up", lambda: actions.completion.move(-1), is_open)
    _bind(keys, "down", lambda: actions.completion.move(1), is_open)
    _bind(keys, "tab", actions.completion.accept, is_open)


def _bind_approval(keys: KeyBindings, actions: KeyActions) -> None:
    is_open = Condition(lambda: actions.is_approval_open)
    is_armed = _has_focus(actions, Focus.APPROVAL)
    _bind(keys, "pagedown", lambda: actions.approval_input.scroll_pages(1), is_open)
    _bind(keys, "pageup", lambda: actions.approval_input.scroll_pages(-1), is_open)
    _bind(keys, "down", lambda: actions.approval_input.scroll(1), is_armed)
    _bind(keys, "up", lambda: actions.approval_input.scroll(-1), is_armed)
    _bind(keys, " ", lambda: actions.approval_input.scroll_pages(1), is_armed)
    _bind(keys, "home", lambda: actions.approval_input.scroll(-MAX_SCROLL_ROWS), is_armed)
    _bind(keys, "end", lambda: actions.approval_input.scroll(MAX_SCROLL_ROWS), is_armed)
    _bind(keys, "tab", actions.approval_input.start_text_answer, is_armed)

    @keys.add(Keys.Any, filter=is_armed)
    def _answer(event: KeyPressEvent) -> None:
        actions.approval_input.on_key(event.key_sequence[-1].data, is_last=_is_last(event))


def _bind_question(keys: KeyBindings, actions: KeyActions, is_armed: Filter) -> None:
    _bind(keys, "down", lambda: actions.question_input.move(1), is_armed)
    _bind(keys, "up", lambda: actions.question_input.move(-1), is_armed)
    _bind(keys, " ", actions.question_input.toggle, is_armed)
    _bind(keys, "tab", actions.approval_input.start_text_answer, is_armed)

    @keys.add(Keys.Any, filter=is_armed)
    def _press(event: KeyPressEvent) -> None:
        actions.question_input.on_key(event.key_sequence[-1].data, is_last=_is_last(event))


def _bind_picker(keys: KeyBindings, actions: KeyActions, is_open: Filter) -> None:
    _bind(keys, "up", lambda: actions.list_input.move(-1), is_open)
    _bind(keys, "down", lambda: actions.list_input.move(1), is_open)
    _bind(keys, "c-r", lambda: actions.list_input.move(1), is_open)
    _bind(keys, "tab", actions.list_input.accept, is_open)
    _bind(
        keys,
        "left",
        actions.list_input.close,
        is_open & Condition(lambda: actions.list_input.is_filter_empty),
    )


def _bind_page(keys: KeyBindings, actions: KeyActions, is_open: Filter) -> None:
    keys.add(Keys.Any, filter=is_open)(_as_handler(_do_nothing))
    _bind(keys, "up", lambda: actions.page_view.scroll(-1), is_open)
    _bind(keys, "down", lambda: actions.page_view.scroll(1), is_open)
    _bind(keys, "pageup", lambda: actions.page_view.scroll_pages(-1), is_open)
    _bind(keys, "pagedown", lambda: actions.page_view.scroll_pages(1), is_open)
    _bind(keys, " ", lambda: actions.page_view.scroll_pages(1), is_open)
    _bind(keys, "home", lambda: actions.page_view.scroll(-MAX_SCROLL_ROWS), is_open)
    _bind(keys, "end", lambda: actions.page_view.scroll(MAX_SCROLL_ROWS), is_open)
    _bind(keys, "q", actions.page_view.close, is_open)
    _bind(keys, "left", actions.task_view.go_back, is_open)
    _bind(keys, "c-o", actions.page_view.close, is_open)


def _bind_task_view(keys: KeyBindings, actions: KeyActions, is_open: Filter) -> None:
    has_agent = Condition(lambda: actions.task_view.selected_agent is not None)
    is_confirming = Condition(lambda: actions.task_view.is_confirming_stop)
    _bind(keys, "x", actions.task_view.stop_agent, is_open & has_agent)
    _bind(keys, "y", actions.task_view.stop_agent, is_open & is_confirming)


def _bind_escape(keys: KeyBindings, actions: KeyActions) -> None:
    """Bind Esc alone, Esc twice, and Esc as the prefix that Alt sends.

    An acknowledgment or a paste may follow while Esc waits for the rest of its sequence. Neither
    may be mistaken for a part of that sequence.
    """
    _bind(keys, "escape", actions.on_escape)
    keys.add("escape", "escape")(_as_handler(actions.on_escape))
    keys.add("escape", "enter")(_as_handler(actions.insert_newline))
    keys.add("escape", Keys.Any)(_as_handler(_do_nothing))

    @keys.add("escape", ACKNOWLEDGED_KEY)
    def _escape_before_acknowledgment(_event: KeyPressEvent) -> None:
        actions.on_acknowledged()
        actions.on_escape()

    @keys.add("escape", Keys.BracketedPaste)
    def _escape_before_paste(event: KeyPressEvent) -> None:
        actions.on_escape()
        actions.on_paste(event.key_sequence[-1].data)


def _has_focus(actions: KeyActions, *focus: Focus) -> Filter:
    return Condition(lambda: actions.focus in focus)


def _bind(keys: KeyBindings, key: str, action: Callable[[], object], when: Filter = ALWAYS) -> None:
    keys.add(key, filter=when)(_as_handler(action))


def _as_handler(action: Callable[[], object]) -> Callable[[KeyPressEvent], None]:
    def handle(_event: KeyPressEvent) -> None:
        action()

    return handle


def _do_nothing() -> None:
    """Ignore a key, such as Alt with an unbound key."""


def _is_last(event: KeyPressEvent) -> bool:
    """Return whether no key was read after this one; in an unbracketed paste, others follow."""
    return not any(key.key != ACKNOWLEDGED_KEY for key in event.key_processor.input_queue)

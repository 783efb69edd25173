"""Key bindings: one table for each focus."""

from collections.abc import Callable

from prompt_toolkit.filters import Condition, Filter
from prompt_toolkit.filters.base import Always
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.keys import Keys

from shell.repl.approval_input import ApprovalInput
from shell.repl.completion import Completion
from shell.repl.draft_input import DraftInput
from shell.repl.focus import Focus, KeyFocus
from shell.repl.key_actions import InputParts, KeyActions
from shell.repl.list_input import ListInput
from shell.repl.page_view import MAX_SCROLL_ROWS, PageView
from shell.repl.question_input import QuestionInput
from shell.repl.screen_windows import ScreenWindows
from shell.repl.task_view import TaskView
from shell.repl.terminal_output import ACKNOWLEDGED_KEY
from shell.view.approval_answers import ANSWERS

ALWAYS = Always()


def create_key_bindings(
    actions: KeyActions,
    parts: InputParts,
    key_focus: KeyFocus,
    suspend: Callable[[], None],
    on_acknowledged: Callable[[], None],
) -> KeyBindings:
    """Create all bindings; of several active ones for a key, the last one applies.

    `on_acknowledged` is called when the terminal acknowledges a frame.
    """

    def has_focus(*focus: Focus) -> Filter:
        return Condition(lambda: key_focus.current in focus)

    keys = KeyBindings()
    _bind_always(keys, actions)
    _bind(keys, "c-z", suspend)
    _bind(keys, ACKNOWLEDGED_KEY, on_acknowledged)
    _bind_draft(keys, actions, parts.draft_input, has_focus(Focus.DRAFT, Focus.MENU))
    _bind_menu(keys, parts.completion, has_focus(Focus.MENU))
    is_approval_open = Condition(lambda: key_focus.is_approval_open)
    _bind_approval(
        keys, parts.approval_input, parts.windows, is_approval_open, has_focus(Focus.APPROVAL)
    )
    _bind_question(keys, parts.approval_input, parts.question_input, has_focus(Focus.QUESTION))
    _bind_text_answer(keys, parts.windows, parts.question_input, has_focus(Focus.TEXT_ANSWER))
    _bind_picker(keys, parts.list_input, has_focus(Focus.PICKER))
    _bind_page(keys, parts.page_view, has_focus(Focus.PAGE))
    _bind(keys, "left", parts.task_view.go_back, has_focus(Focus.PAGE))
    _bind_task_view(keys, parts.task_view, has_focus(Focus.PAGE, Focus.PICKER))
    _bind_task_view_below_approval(
        keys, actions, parts.task_view, parts.list_input, has_focus(Focus.APPROVAL)
    )
    _bind_escape(keys, actions, on_acknowledged)
    return keys


def _bind_always(keys: KeyBindings, actions: KeyActions) -> None:
    _bind(keys, "c-j", actions.insert_newline)
    _bind(keys, "c-c", actions.on_ctrl_c)
    _bind(keys, Keys.SIGINT, actions.on_ctrl_c)
    _bind(keys, "c-d", actions.on_ctrl_d)
    _bind(keys, "c-y", actions.focus_approval)
    _bind(keys, "c-b", actions.move_to_background)
    _bind(keys, "c-r", _do_nothing)
    _bind(keys, "s-tab", actions.cycle_mode)

    @keys.add("enter")
    def _enter(event: KeyPressEvent) -> None:
        actions.on_enter(is_last=_is_last(event))

    @keys.add(Keys.BracketedPaste)
    def _paste(event: KeyPressEvent) -> None:
        actions.on_paste(event.key_sequence[-1].data)


def _bind_draft(
    keys: KeyBindings, actions: KeyActions, draft_input: DraftInput, is_typing: Filter
) -> None:
    _bind(keys, "up", draft_input.move_up, is_typing)
    _bind(keys, "down", actions.move_down, is_typing)
    _bind(keys, "c-r", draft_input.search_history, is_typing)
    _bind(keys, "backspace", draft_input.backspace, is_typing)
    _bind(keys, "c-o", actions.show_full_output, is_typing)
    _bind(keys, "tab", _do_nothing, is_typing)


def _bind_menu(keys: KeyBindings, completion: Completion, is_open: Filter) -> None:
    _bind(keys, "up", lambda: completion.move(-1), is_open)
    _bind(keys, "down", lambda: completion.move(1), is_open)
    _bind(keys, "tab", completion.accept, is_open)


def _bind_approval(
    keys: KeyBindings,
    approval_input: ApprovalInput,
    windows: ScreenWindows,
    is_open: Filter,
    is_armed: Filter,
) -> None:
    _bind(keys, "pagedown", lambda: windows.scroll_pages(1), is_open)
    _bind(keys, "pageup", lambda: windows.scroll_pages(-1), is_open)
    _bind(keys, "down", lambda: approval_input.move(1), is_armed)
    _bind(keys, "up", lambda: approval_input.move(-1), is_armed)
    _bind(keys, " ", lambda: windows.scroll_pages(1), is_armed)
    _bind(keys, "home", lambda: windows.scroll(-MAX_SCROLL_ROWS), is_armed)
    _bind(keys, "end", lambda: windows.scroll(MAX_SCROLL_ROWS), is_armed)
    _bind(keys, "tab", approval_input.start_text_answer, is_armed)

    for answer in ANSWERS:

        def is_early(key: str = answer.key) -> bool:
            return approval_input.is_early_answer(key)

        @keys.add(answer.key, filter=is_open & ~is_armed & Condition(is_early))
        def _drop_early_answer(event: KeyPressEvent) -> None:
            if not _is_last(event):  # a paste
                event.current_buffer.insert_text(event.data)

    @keys.add(Keys.Any, filter=is_armed)
    def _answer(event: KeyPressEvent) -> None:
        approval_input.on_key(event.key_sequence[-1].data, is_last=_is_last(event))


def _bind_question(
    keys: KeyBindings,
    approval_input: ApprovalInput,
    question_input: QuestionInput,
    is_armed: Filter,
) -> None:
    _bind(keys, "down", lambda: question_input.move(1), is_armed)
    _bind(keys, "up", lambda: question_input.move(-1), is_armed)
    _bind(keys, " ", question_input.toggle, is_armed)

    @keys.add(Keys.Any, filter=is_armed)
    def _press(event: KeyPressEvent) -> None:
        approval_input.on_question_key(event.key_sequence[-1].data, is_last=_is_last(event))

    _bind(keys, "tab", approval_input.start_text_answer, is_armed)
    _bind(keys, "c-n", question_input.decline, is_armed)


def _bind_text_answer(
    keys: KeyBindings, windows: ScreenWindows, question_input: QuestionInput, is_open: Filter
) -> None:
    _bind(keys, "pagedown", lambda: windows.scroll_pages(1), is_open)
    _bind(keys, "pageup", lambda: windows.scroll_pages(-1), is_open)
    _bind(keys, "c-n", question_input.decline, is_open)


def _bind_picker(keys: KeyBindings, list_input: ListInput, is_open: Filter) -> None:
    _bind(keys, "up", lambda: list_input.move(-1), is_open)
    _bind(keys, "down", lambda: list_input.move(1), is_open)
    _bind(keys, "c-r", lambda: list_input.move(1), is_open)
    _bind(keys, "tab", list_input.accept, is_open)
    _bind(
        keys,
        "left",
        list_input.close,
        is_open & Condition(lambda: list_input.is_filter_empty),
    )


def _bind_page(keys: KeyBindings, page_view: PageView, is_open: Filter) -> None:
    keys.add(Keys.Any, filter=is_open)(_as_handler(_do_nothing))
    _bind(keys, "up", lambda: page_view.scroll(-1), is_open)
    _bind(keys, "down", lambda: page_view.scroll(1), is_open)
    _bind(keys, "pageup", lambda: page_view.scroll_pages(-1), is_open)
    _bind(keys, "pagedown", lambda: page_view.scroll_pages(1), is_open)
    _bind(keys, " ", lambda: page_view.scroll_pages(1), is_open)
    _bind(keys, "home", lambda: page_view.scroll(-MAX_SCROLL_ROWS), is_open)
    _bind(keys, "end", lambda: page_view.scroll(MAX_SCROLL_ROWS), is_open)
    _bind(keys, "q", page_view.close, is_open)
    _bind(keys, "c-o", page_view.close, is_open)


def _bind_task_view(keys: KeyBindings, task_view: TaskView, is_open: Filter) -> None:
    has_agent = Condition(lambda: task_view.selected_agent is not None)
    is_confirming = Condition(lambda: task_view.is_confirming_stop)
    _bind(keys, "x", task_view.stop_agent, is_open & has_agent)
    _bind(keys, "y", task_view.stop_agent, is_open & is_confirming)


def _bind_task_view_below_approval(
    keys: KeyBindings,
    actions: KeyActions,
    task_view: TaskView,
    list_input: ListInput,
    is_armed: Filter,
) -> None:
    """Bind the keys that an armed request leaves to the task view; PgUp and PgDn scroll it."""
    is_open = is_armed & Condition(lambda: task_view.is_open)
    is_list_open = is_armed & Condition(lambda: task_view.is_list_open)
    _bind(keys, "left", task_view.go_back, is_open)
    _bind(keys, "x", actions.stop_agent, is_open)
    _bind(keys, "up", lambda: list_input.move(-1), is_list_open)
    _bind(keys, "down", lambda: list_input.move(1), is_list_open)


def _bind_escape(
    keys: KeyBindings, actions: KeyActions, on_acknowledged: Callable[[], None]
) -> None:
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
        on_acknowledged()
        actions.on_escape()

    @keys.add("escape", Keys.BracketedPaste)
    def _escape_before_paste(event: KeyPressEvent) -> None:
        actions.on_escape()
        actions.on_paste(event.key_sequence[-1].data)


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

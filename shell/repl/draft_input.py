"""The draft in the input line: typing, pasting, history, and what Enter does with it."""

import re
from typing import TYPE_CHECKING

from shell.repl import history_file
from shell.view import folded_pastes, input_history, screen_state
from shell.view.folded_pastes import FoldedPastes
from shell.view.input_history import InputHistory
from shell.view.picker import PickerItem, create_picker

if TYPE_CHECKING:
    from shell.repl.screen_controller import ScreenController

COMMAND_PATTERN = re.compile(r"/[\w?-]*(\s|$)")
"""Matches the start of a slash command, but not a path such as `/etc/hosts` or a comment."""
SEARCH_TITLE = "Input history"
_MAX_ENTRY_CHARS = 200
"""Characters of an entry that the history search shows."""


class DraftInput:
    """The draft of one screen and the input history."""

    def __init__(self, controller: "ScreenController") -> None:
        self._controller = controller
        self._pastes = FoldedPastes()
        path = controller.host.session_context.history_file
        self._history = InputHistory(history_file.load_entries(path))

    def submit(self) -> None:
        """Send, queue or run the draft, with its pastes unfolded."""
        controller = self._controller
        draft = controller.windows.draft_buffer.text
        text = folded_pastes.unfold(self._pastes, draft)
        if not text.strip():
            return
        self._remember(text, is_private=folded_pastes.has_folded_paste(self._pastes, draft))
        self.clear()
        if COMMAND_PATTERN.match(text):
            controller.host.run_command(text.strip())
        elif text.startswith("!") and text[1:].strip():
            command = text[1:].strip()
            controller.apply(
                screen_state.run_user_command(controller.state, command, controller.now_s)
            )
        else:
            controller.apply(screen_state.submit_prompt(controller.state, text, controller.now_s))

    def clear(self) -> None:
        """Empty the input and close its completion menu."""
        self._controller.windows.draft_buffer.reset()
        self._controller.completion.close()
        self._pastes = FoldedPastes()

    def paste(self, text: str) -> None:
        """Insert pasted text, folded if it is long."""
        self._controller.windows.current_buffer.insert_text(self._fold(text))

    def prepend(self, text: str) -> None:
        """Insert text before the current draft."""
        draft = self._controller.windows.draft_buffer.text
        folded = self._fold(text)
        self._set_text(f"{folded}\n{draft}" if draft else folded)

    def backspace(self) -> None:
        """Delete the character or the whole placeholder before the cursor."""
        buffer = self._controller.windows.current_buffer
        before = buffer.document.text_before_cursor
        placeholder = folded_pastes.find_placeholder_before(self._pastes, before)
        self._pastes = folded_pastes.without_placeholder(self._pastes, placeholder)
        buffer.delete_before_cursor(max(len(placeholder), 1))

    def move_up(self) -> None:
        """Move up a line; from the first line, bring back a queued or earlier input."""
        draft = self._controller.windows.draft_buffer
        if draft.document.cursor_position_row > 0:
            draft.cursor_up()
        elif not draft.text and self._controller.state.queued_prompts:
            self._controller.apply(screen_state.restore_last_queued(self._controller.state))
        elif step := input_history.step_back(
            self._history, folded_pastes.unfold(self._pastes, draft.text)
        ):
            self._show_entry(*step)

    def move_down(self) -> None:
        """Move down a line; from the last line, step toward the draft or open the task view."""
        draft = self._controller.windows.draft_buffer
        if draft.document.cursor_position_row < draft.document.line_count - 1:
            draft.cursor_down()
        elif step := input_history.step_forward(self._history):
            self._show_entry(*step)
        elif not draft.text and not self._controller.approval_prompt.arming:
            self._controller.task_view.open()

    def search_history(self) -> None:
        """Open a list of earlier inputs."""
        entries = tuple(dict.fromkeys(reversed(self._history.entries)))
        items = tuple(PickerItem(entry[:_MAX_ENTRY_CHARS]) for entry in entries)

        def on_pick(index: int) -> None:
            self._set_text(self._fold(entries[index]))

        if items:
            self._controller.list_input.open(create_picker(SEARCH_TITLE, items, on_pick))

    def _remember(self, text: str, *, is_private: bool) -> None:
        self._history = input_history.with_entry(self._history, text)
        if not is_private:
            context = self._controller.host.session_context
            history_file.append_entry(context.history_file, text, context.secrets)

    def _show_entry(self, history: InputHistory, text: str) -> None:
        self._history = history
        self._set_text(self._fold(text))
        self._controller.completion.close()

    def _fold(self, text: str) -> str:
        self._pastes, folded = folded_pastes.fold(self._pastes, text)
        return folded

    def _set_text(self, text: str) -> None:
        draft = self._controller.windows.draft_buffer
        draft.text = text
        draft.cursor_position = len(text)

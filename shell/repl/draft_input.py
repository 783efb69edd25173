"""The input line: what is typed, pasted and brought back, and what Enter makes of it."""

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
"""A path such as `/etc/hosts`, or a comment, begins no command."""
SEARCH_TITLE = "What you said before"
_MOST_SHOWN_CHARS = 200


class DraftInput:
    """The draft of one screen, and its past."""

    def __init__(self, desk: "ScreenController") -> None:
        self._desk = desk
        self._pastes = FoldedPastes()
        self._recall = InputHistory(
            history_file.load_entries(desk.host.session_context.history_file)
        )

    def submit(self) -> None:
        """Send, queue, or run what is in the input, whole."""
        draft = self._desk.windows.draft_buffer.text
        text = folded_pastes.unfold(self._pastes, draft)
        if not text.strip():
            return
        self._remember(text, private=folded_pastes.has_folded_paste(self._pastes, draft))
        self.clear()
        if COMMAND_PATTERN.match(text):
            self._desk.host.run_command(text.strip())
        elif text.startswith("!") and text[1:].strip():
            self._desk.apply(
                screen_state.run_user_command(self._desk.state, text[1:].strip(), self._desk.now_s)
            )
        else:
            self._desk.apply(screen_state.submit_prompt(self._desk.state, text, self._desk.now_s))

    def clear(self) -> None:
        """Empty the input; what was offered for it goes with it."""
        self._desk.windows.draft_buffer.reset()
        self._desk.completion.close()
        self._pastes = FoldedPastes()

    def paste(self, text: str) -> None:
        """Insert pasted text, folded when it is long."""
        self._pastes, word = folded_pastes.fold(self._pastes, text)
        self._desk.app.current_buffer.insert_text(word)

    def prepend(self, text: str) -> None:
        """Put text before what is in the input."""
        draft = self._desk.windows.draft_buffer
        self._pastes, word = folded_pastes.fold(self._pastes, text)
        self._put(f"{word}\n{draft.text}" if draft.text else word)

    def backspace(self) -> None:
        """Delete the character before the cursor, or a folded paste."""
        buffer = self._desk.app.current_buffer
        before = buffer.document.text_before_cursor
        word = folded_pastes.find_placeholder_before(self._pastes, before)
        self._pastes = folded_pastes.without_placeholder(self._pastes, word)
        buffer.delete_before_cursor(max(len(word), 1))

    def move_up(self) -> None:
        """Go up a line; from the first one to what was queued or said before."""
        draft = self._desk.windows.draft_buffer
        if draft.document.cursor_position_row > 0:
            draft.cursor_up()
        elif not draft.text and self._desk.state.queued_prompts:
            self._desk.apply(screen_state.restore_last_queued(self._desk.state))
        elif found := input_history.step_back(
            self._recall, folded_pastes.unfold(self._pastes, draft.text)
        ):
            self._bring_back(*found)

    def move_down(self) -> None:
        """Go down a line; from the last one towards what was typed; else to the agents."""
        draft = self._desk.windows.draft_buffer
        if draft.document.cursor_position_row < draft.document.line_count - 1:
            draft.cursor_down()
        elif found := input_history.step_forward(self._recall):
            self._bring_back(*found)
        elif not draft.text and not self._desk.approval_prompt.arming:
            self._desk.task_view.open()

    def search_history(self) -> None:
        """Look for something that was said before."""
        entries = tuple(dict.fromkeys(reversed(self._recall.entries)))
        choices = tuple(PickerItem(entry[:_MOST_SHOWN_CHARS]) for entry in entries)

        def picked(number: int) -> None:
            self._put(self._folded(entries[number]))

        if choices:
            self._desk.list_input.open(create_picker(SEARCH_TITLE, choices, picked))

    def _remember(self, text: str, *, private: bool) -> None:
        self._recall = input_history.with_entry(self._recall, text)
        if not private:
            place = self._desk.host.session_context
            history_file.append_entry(place.history_file, text, place.secrets)

    def _bring_back(self, found: InputHistory, text: str) -> None:
        self._recall = found
        self._put(self._folded(text))
        self._desk.completion.close()

    def _folded(self, text: str) -> str:
        self._pastes, word = folded_pastes.fold(self._pastes, text)
        return word

    def _put(self, text: str) -> None:
        draft = self._desk.windows.draft_buffer
        draft.text = text
        draft.cursor_position = len(text)

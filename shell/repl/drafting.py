"""The input line: what is typed, pasted and brought back, and what Enter makes of it."""

import re
from typing import TYPE_CHECKING

from shell.repl import history
from shell.view import pastes, recall, state
from shell.view.pastes import Pastes
from shell.view.picker import PickerItem, opened
from shell.view.recall import InputHistory

if TYPE_CHECKING:
    from shell.repl.desk import ScreenController

COMMAND = re.compile(r"/[\w?-]*(\s|$)")
"""A path such as `/etc/hosts`, or a comment, begins no command."""
SEARCH = "What you said before"
_MOST_SHOWN_CHARS = 200


class Drafting:
    """The draft of one screen, and its past."""

    def __init__(self, desk: "ScreenController") -> None:
        self._desk = desk
        self._pastes = Pastes()
        self._recall = InputHistory(history.load(desk.person.place.history_file))

    def enter(self) -> None:
        """Send, queue, or run what is in the input, whole."""
        draft = self._desk.view.draft.text
        text = pastes.unfolded(self._pastes, draft)
        if not text.strip():
            return
        self._remember(text, private=pastes.holds_any(self._pastes, draft))
        self.clear()
        if COMMAND.match(text):
            self._desk.person.run_command(text.strip())
        elif text.startswith("!") and text[1:].strip():
            self._desk.step(state.ran_own(self._desk.state, text[1:].strip(), self._desk.now_s))
        else:
            self._desk.step(state.entered(self._desk.state, text, self._desk.now_s))

    def clear(self) -> None:
        """Empty the input; what was offered for it goes with it."""
        self._desk.view.draft.reset()
        self._desk.completing.close()
        self._pastes = Pastes()

    def paste(self, text: str) -> None:
        """Insert pasted text, folded when it is long."""
        self._pastes, word = pastes.folded(self._pastes, text)
        self._desk.app.current_buffer.insert_text(word)

    def put_back(self, text: str) -> None:
        """Put text before what is in the input."""
        draft = self._desk.view.draft
        self._pastes, word = pastes.folded(self._pastes, text)
        self._put(f"{word}\n{draft.text}" if draft.text else word)

    def rub_out(self) -> None:
        """Delete the character before the cursor, or a folded paste."""
        buffer = self._desk.app.current_buffer
        before = buffer.document.text_before_cursor
        word = pastes.word_before(self._pastes, before)
        self._pastes = pastes.without(self._pastes, word)
        buffer.delete_before_cursor(max(len(word), 1))

    def up(self) -> None:
        """Go up a line; from the first one to what was queued or said before."""
        draft = self._desk.view.draft
        if draft.document.cursor_position_row > 0:
            draft.cursor_up()
        elif not draft.text and self._desk.state.queue:
            self._desk.step(state.taken_back(self._desk.state))
        elif found := recall.older(self._recall, pastes.unfolded(self._pastes, draft.text)):
            self._bring_back(*found)

    def down(self) -> None:
        """Go down a line; from the last one towards what was typed; else to the agents."""
        draft = self._desk.view.draft
        if draft.document.cursor_position_row < draft.document.line_count - 1:
            draft.cursor_down()
        elif found := recall.newer(self._recall):
            self._bring_back(*found)
        elif not draft.text and not self._desk.dialog.arming:
            self._desk.overseeing.open()

    def search(self) -> None:
        """Look for something that was said before."""
        entries = tuple(dict.fromkeys(reversed(self._recall.entries)))
        choices = tuple(PickerItem(entry[:_MOST_SHOWN_CHARS]) for entry in entries)

        def picked(number: int) -> None:
            self._put(self._folded(entries[number]))

        if choices:
            self._desk.choosing.open(opened(SEARCH, choices, picked))

    def _remember(self, text: str, *, private: bool) -> None:
        self._recall = recall.said(self._recall, text)
        if not private:
            place = self._desk.person.place
            history.keep(place.history_file, text, place.secrets)

    def _bring_back(self, found: InputHistory, text: str) -> None:
        self._recall = found
        self._put(self._folded(text))
        self._desk.completing.close()

    def _folded(self, text: str) -> str:
        self._pastes, word = pastes.folded(self._pastes, text)
        return word

    def _put(self, text: str) -> None:
        draft = self._desk.view.draft
        draft.text = text
        draft.cursor_position = len(text)

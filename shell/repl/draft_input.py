"""The draft in the input line: typing, pasting, history, and what Enter does with it."""

from typing import Protocol

from shell.commands.command import COMMAND_PATTERN
from shell.repl import history_file
from shell.repl.completion import Completion
from shell.repl.list_input import ListInput
from shell.repl.prompt_arming import PromptArming
from shell.repl.screen_state_port import StateOwner
from shell.repl.screen_windows import ScreenWindows
from shell.sessions.session_context import SessionContext
from shell.view import folded_pastes, input_history, queued_messages, screen_state
from shell.view.folded_pastes import FoldedPastes
from shell.view.input_history import InputHistory
from shell.view.picker import PickerItem, create_picker

FINDINGS_COMMAND = "/review findings"
SEARCH_TITLE = "Input history"
_MAX_ENTRY_CHARS = 200
"""Characters of an entry that the history search shows."""


class DraftHost(StateOwner, Protocol):
    """The REPL as the draft sees it."""

    @property
    def session_context(self) -> SessionContext:
        """The folders, files and secrets of the session."""
        ...

    def run_command(self, line: str) -> None:
        """Run a slash command and print its result."""
        ...


class DraftInput:
    """The draft of one screen and the input history."""

    def __init__(
        self,
        host: DraftHost,
        windows: ScreenWindows,
        completion: Completion,
        list_input: ListInput,
        approval_prompt: PromptArming,
    ) -> None:
        self._host, self._windows, self._completion = host, windows, completion
        self._list_input, self._approval_prompt = list_input, approval_prompt
        self._pastes = FoldedPastes()
        self._folded_drafts: dict[str, tuple[str, FoldedPastes]] = {}
        """How each message with folded pastes was typed, by its full text."""
        path = host.session_context.history_file
        self._history = InputHistory(history_file.load_entries(path))

    @property
    def text(self) -> str:
        """The draft, with its pastes folded."""
        return self._windows.draft_buffer.text

    def submit(self) -> None:
        """Send, queue or run the draft, with its pastes unfolded."""
        draft = self.text
        text = folded_pastes.unfold(self._pastes, draft)
        if not text.strip():
            return
        is_folded = self._remember_folds(draft, text)
        self._remember(text, is_private=is_folded)
        self.clear()
        if COMMAND_PATTERN.match(text):
            self._host.run_command(text.strip())
        elif text.startswith("!") and text[1:].strip():
            command = text[1:].strip()
            self._host.apply(
                screen_state.run_user_command(self._host.state, command, self._host.now_s)
            )
        else:
            self._host.apply(screen_state.submit_prompt(self._host.state, text, self._host.now_s))

    def submit_or_open_findings(self) -> None:
        """Send the draft; an empty one opens the findings of a review that has just ended."""
        if not self.text and self._host.state.enter_opens_findings:
            self._host.run_command(FINDINGS_COMMAND)
        else:
            self.submit()

    def continue_line(self) -> bool:
        """Replace a backslash before the cursor by a new line; False: there is none."""
        draft = self._windows.draft_buffer
        if not draft.document.text_before_cursor.endswith("\\"):
            return False
        draft.delete_before_cursor(1)
        draft.newline(copy_margin=False)
        return True

    def clear(self) -> None:
        """Empty the input and close its completion menu."""
        self._windows.draft_buffer.reset()
        self._completion.close()
        self._pastes = FoldedPastes()

    def paste(self, text: str) -> None:
        """Insert pasted text, folded if it is long; like typing, it disarms a prompt."""
        self._approval_prompt.on_draft_edit()
        self._windows.current_buffer.insert_text(self._fold(text))

    def prepend(self, text: str) -> None:
        """Insert text before the current draft."""
        draft, earlier = self.text, text
        if text in self._folded_drafts:
            folded, pastes = self._folded_drafts[text]
            if merged := folded_pastes.merge(self._pastes, pastes):
                earlier, self._pastes = folded, merged
        self._set_text(f"{earlier}\n{draft}" if draft else earlier)

    def backspace(self) -> None:
        """Delete the character or the whole placeholder before the cursor."""
        buffer = self._windows.current_buffer
        before = buffer.document.text_before_cursor
        placeholder = folded_pastes.find_placeholder_before(self._pastes, before)
        self._pastes = folded_pastes.without_placeholder(self._pastes, placeholder)
        buffer.delete_before_cursor(max(len(placeholder), 1))

    def move_up(self) -> None:
        """Move up a line; from the first line, bring back a queued or earlier input."""
        draft = self._windows.draft_buffer
        if draft.document.cursor_position_row > 0:
            draft.cursor_up()
        elif not draft.text and self._host.state.queued:
            self._host.apply(queued_messages.withdraw_last_queued(self._host.state))
        else:
            text = folded_pastes.unfold(self._pastes, draft.text)
            if step := input_history.step_back(self._history, text):
                self._remember_folds(draft.text, text)
                self._show_entry(*step)

    def move_down(self) -> bool:
        """Move down a line, or from the last line toward the draft; False: it is empty."""
        draft = self._windows.draft_buffer
        if draft.document.cursor_position_row < draft.document.line_count - 1:
            draft.cursor_down()
        elif step := input_history.step_forward(self._history):
            self._show_entry(*step)
        else:
            return bool(draft.text)
        return True

    def search_history(self) -> None:
        """Open a list of earlier inputs."""
        entries = tuple(dict.fromkeys(reversed(self._history.entries)))
        items = tuple(PickerItem(entry[:_MAX_ENTRY_CHARS]) for entry in entries)

        def on_pick(index: int) -> None:
            self._set_text(self._restore_folds(entries[index]))

        if items:
            self._list_input.open(create_picker(SEARCH_TITLE, items, on_pick))

    def _remember(self, text: str, *, is_private: bool) -> None:
        self._history = input_history.with_entry(self._history, text)
        if not is_private:
            context = self._host.session_context
            history_file.append_entry(context.history_file, text, context.secrets)

    def _show_entry(self, history: InputHistory, text: str) -> None:
        self._history = history
        self._set_text(self._restore_folds(text))
        self._completion.close()

    def _fold(self, text: str) -> str:
        self._pastes, folded = folded_pastes.fold(self._pastes, text)
        return folded

    def _remember_folds(self, draft: str, text: str) -> bool:
        """Remember how a text was typed, if it has folded pastes; return whether it has."""
        is_folded = folded_pastes.has_folded_paste(self._pastes, draft)
        if is_folded:
            self._folded_drafts[text] = (draft, self._pastes)
        return is_folded

    def _restore_folds(self, text: str) -> str:
        """Return an earlier text as it was typed: only what was pasted is folded."""
        draft, self._pastes = self._folded_drafts.get(text, (text, FoldedPastes()))
        return draft

    def _set_text(self, text: str) -> None:
        draft = self._windows.draft_buffer
        draft.text = text
        draft.cursor_position = len(text)

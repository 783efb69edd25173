"""The completion menu below the input: follows the typed text and inserts the selected item."""

from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path

from prompt_toolkit.buffer import Buffer

from shell.repl.file_list import list_files
from shell.repl.run_in_thread import run_in_thread
from shell.repl.screen_loop import ScreenLoop
from shell.view import completion_menu
from shell.view.completion_menu import Menu

MAX_FILE_LIST_AGE_S = 5.0
"""An older file list is read again when the next `@` word is typed."""


class Completion:
    """Offers slash commands at once, and files once they have been listed."""

    def __init__(
        self,
        draft: Buffer,
        commands: Iterable[tuple[str, str]],
        root: Path,
        loop: ScreenLoop,
        on_change: Callable[[], None],
    ) -> None:
        """`commands` are names and help; `on_change` is called when a file search ends."""
        self._draft, self._commands, self._root = draft, tuple(commands), root
        self._loop, self._on_change = loop, on_change
        self._files: tuple[str, ...] = ()
        self._listed_s = float("-inf")
        self._searched_text: str | None = None
        """The text before the cursor when the running search started."""
        self.menu: Menu | None = None

    def update_menu(self) -> None:
        """Offer completions for the text before the cursor."""
        before = self._draft.document.text_before_cursor
        if completion_menu.find_mention(before) is not None:
            self._search_files(before)
            return
        is_at_end = before == self._draft.text
        self.menu = (
            completion_menu.build_command_menu(before, self._commands) if is_at_end else None
        )

    def move(self, by: int) -> None:
        """Select another item."""
        if self.menu:
            self.menu = completion_menu.move_selection(self.menu, by)

    def accept(self) -> bool:
        """Insert the selected item; return whether Enter also submits it."""
        menu, self.menu = self.menu, None
        if not menu:
            return False
        suffix = "" if menu.submits_on_enter else " "
        self._draft.delete_before_cursor(self._draft.cursor_position - menu.word_start)
        self._draft.insert_text(menu.selected_item.text + suffix)
        self.menu = None  # inserting the text has updated the menu
        return menu.submits_on_enter

    def close(self) -> None:
        """Hide the menu until the text changes."""
        self.menu = None

    def _search_files(self, before: str) -> None:
        """Search for matching files; only one search runs at a time."""
        loop = self._loop.running
        if loop and self._searched_text is None:
            is_fresh = loop.time() - self._listed_s < MAX_FILE_LIST_AGE_S
            self._searched_text = before
            search = partial(_build_menu, self._files if is_fresh else None, self._root, before)
            run_in_thread(loop, search, self._on_files_found)

    def _on_files_found(self, result: tuple[tuple[str, ...], Menu | None] | None) -> None:
        searched_text, self._searched_text = self._searched_text, None
        if result is None or not self._loop.running:
            return
        files, menu = result
        if files is not self._files:  # they were listed again
            self._files, self._listed_s = files, self._loop.running.time()
        before = self._draft.document.text_before_cursor
        if before == searched_text:
            self.menu = menu
            self._on_change()
        elif completion_menu.find_mention(before) is not None:
            self._search_files(before)


def _build_menu(
    files: tuple[str, ...] | None, root: Path, before: str
) -> tuple[tuple[str, ...], Menu | None]:
    files = list_files(root) if files is None else files
    query = completion_menu.find_mention(before) or ""
    return files, completion_menu.build_file_menu(before, query, files)

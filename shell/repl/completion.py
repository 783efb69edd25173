"""The menu below the input: follows what is typed, and puts into it what is chosen."""

from asyncio import AbstractEventLoop
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path

from prompt_toolkit.buffer import Buffer

from shell.repl.file_list import list_files
from shell.repl.run_in_thread import aside
from shell.view import completion_menu
from shell.view.completion_menu import Menu

MAX_FILE_LIST_AGE_S = 5.0
"""Files are looked for again when the last look is older, once for each word."""


class Completion:
    """Offers slash commands at once, and files when they have been looked for."""

    def __init__(
        self,
        draft: Buffer,
        commands: Iterable[tuple[str, str]],
        root: Path,
        on_change: Callable[[], None],
    ) -> None:
        """`changed` is called when offers come by themselves."""
        self._draft, self._commands, self._root, self._changed = (
            draft,
            tuple(commands),
            root,
            on_change,
        )
        self._loop: AbstractEventLoop | None = None
        self._files: tuple[str, ...] = ()
        self._looked_s = float("-inf")
        self._looking_for: str | None = None
        self.menu: Menu | None = None

    def start(self, loop: AbstractEventLoop) -> None:
        """Files can be looked for from now on."""
        self._loop = loop

    def update_menu(self) -> None:
        """Offer what fits what stands before the cursor."""
        before = self._draft.document.text_before_cursor
        wanted = completion_menu.find_mention(before)
        if wanted is not None:
            self._look_for(before)
            return
        whole = before == self._draft.text
        self.menu = completion_menu.build_command_menu(before, self._commands) if whole else None

    def move(self, by: int) -> None:
        """Choose another offer."""
        if self.menu:
            self.menu = completion_menu.move_selection(self.menu, by)

    def accept(self) -> bool:
        """Put the chosen offer into the input; whether Enter sends it too."""
        chosen, self.menu = self.menu, None
        if not chosen:
            return False
        behind = "" if chosen.submits_on_enter else " "
        self._draft.delete_before_cursor(self._draft.cursor_position - chosen.word_start)
        self._draft.insert_text(chosen.selected_item.text + behind)
        self.menu = None
        return chosen.submits_on_enter

    def close(self) -> None:
        """Offer nothing until something else is typed."""
        self.menu = None

    def _look_for(self, before: str) -> None:
        """Find the files that fit, one search at a time."""
        if not self._loop:
            return
        if self._looking_for is None:
            fresh = self._loop.time() - self._looked_s < MAX_FILE_LIST_AGE_S
            self._looking_for = before
            search = partial(_found, self._files if fresh else None, self._root, before)
            aside(self._loop, search, self._take)

    def _take(self, found: tuple[tuple[str, ...], Menu | None] | None) -> None:
        asked, self._looking_for = self._looking_for, None
        if found is None or not self._loop:
            return
        if found[0] is not self._files:
            self._files, self._looked_s = found[0], self._loop.time()
        before = self._draft.document.text_before_cursor
        if before == asked:
            self.menu = found[1]
            self._changed()
        elif completion_menu.find_mention(before) is not None:
            self._look_for(before)


def _found(
    files: tuple[str, ...] | None, root: Path, before: str
) -> tuple[tuple[str, ...], Menu | None]:
    known = list_files(root) if files is None else files
    return known, completion_menu.build_file_menu(
        before, completion_menu.find_mention(before) or "", known
    )

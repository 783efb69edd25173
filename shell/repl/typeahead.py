"""Keys that were pressed before the program had the terminal."""

from collections.abc import Generator
from contextlib import contextmanager

from prompt_toolkit.input import Input
from prompt_toolkit.key_binding import KeyPress
from prompt_toolkit.keys import Keys

ENTER_KEY = KeyPress(Keys.ControlM, "\r")


@contextmanager
def raw_mode_with_typeahead(keyboard: Input) -> Generator[list[KeyPress]]:
    """Take the terminal into our own mode, and hand out what was typed until then.

    Until then Enter comes as the character that Ctrl-J sends, and it was Enter that was meant.
    """
    with keyboard.raw_mode():
        keys: list[KeyPress] = []
        while read := keyboard.read_keys():
            keys += read
        keys += keyboard.flush_keys()
        yield [ENTER_KEY if key.key is Keys.ControlJ else key for key in keys]

"""Keys that were pressed before the program put the terminal into raw mode."""

from collections.abc import Generator
from contextlib import contextmanager

from prompt_toolkit.application import Application
from prompt_toolkit.input import Input
from prompt_toolkit.key_binding import KeyPress
from prompt_toolkit.keys import Keys

ENTER_KEY = KeyPress(Keys.ControlM, "\r")


@contextmanager
def raw_mode_with_typeahead(keyboard: Input) -> Generator[list[KeyPress]]:
    """Put the terminal into raw mode and yield the keys typed before.

    Before raw mode, Enter arrives as the character of Ctrl-J, so Ctrl-J is replaced by Enter.
    """
    with keyboard.raw_mode():
        keys: list[KeyPress] = []
        while read := keyboard.read_keys():
            keys += read
        keys += keyboard.flush_keys()
        yield [ENTER_KEY if key.key is Keys.ControlJ else key for key in keys]


def feed_keys(app: Application[int], keys: list[KeyPress]) -> None:
    """Process keys as if they were typed now."""
    if keys and app.context is not None:
        app.key_processor.feed_multiple(keys)
        app.context.copy().run(app.key_processor.process_keys)

"""Draws the README's picture from a real session: `python -m tests.draw .github/greenroom.svg`."""

import os
import sys
import tempfile
from pathlib import Path

from tests.picture import picture
from tests.shell.terminal import terminal

ROWS, COLUMNS = 40, 96
TITLE = "A session: the agent has run the tests and asks before it changes a line"


def draw(target: Path) -> None:
    """Play the demo up to its first change, and write the screen that asks for it."""
    with tempfile.TemporaryDirectory() as home:
        kept = {"PATH": os.environ["PATH"], "LANG": "C.UTF-8", "TERM": "xterm-256color"}
        environment = {**kept, "HOME": home, "GREENROOM_HOME": home}
        command = [sys.executable, "-m", "greenroom", "demo"]
        with terminal(command, environment=environment, rows=ROWS, columns=COLUMNS) as shown:
            shown.wait_for("press a key to answer")
            shown.type("y")
            shown.wait_for("+    if pieces >= DISCOUNT_FROM_PIECES:")
            shown.wait_for("press a key to answer")
            target.write_text(picture(shown.buffer, TITLE))


if __name__ == "__main__":
    draw(Path(sys.argv[1]))

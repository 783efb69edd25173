"""Draws the README's pictures from real sessions: `python -m tests.draw .github`."""

import os
import sys
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from tests.picture import Frame, film, frame, picture
from tests.shell.terminal import Terminal, terminal

ROWS, COLUMNS = 40, 96
FILM_ROWS = 30
TITLE = (
    "A session: subagents work beside each other, and one below them asks before it runs anything"
)
FILM_TITLE = "A session: subagents find the failing test, the agent mends and commits it"
ASKED = "press a key to answer"
SHOWN_S, ASKED_S, LAST_S = 1.2, 2.2, 5.0


@contextmanager
def demo(rows: int) -> Generator[Terminal]:
    """Play the demo on a terminal."""
    with tempfile.TemporaryDirectory() as home:
        kept = {"PATH": os.environ["PATH"], "LANG": "C.UTF-8", "TERM": "xterm-256color"}
        environment = {**kept, "HOME": home, "GREENROOM_HOME": home}
        command = [sys.executable, "-m", "greenroom", "demo"]
        with terminal(command, environment=environment, rows=rows, columns=COLUMNS) as shown:
            yield shown


def draw(target: Path) -> None:
    """Play the demo up to its first question, and write the screen that asks it."""
    with demo(ROWS) as shown:
        shown.wait_for("say the same")
        shown.wait_for(ASKED)
        target.write_text(picture(shown.buffer, TITLE))


def draw_film(target: Path) -> None:
    """Play all of the demo, saying yes, and write a screen for each step of it."""
    frames: list[Frame] = []
    with demo(FILM_ROWS) as shown:
        shown.wait_for("Thinking")
        frames.append(frame(shown.buffer, SHOWN_S))
        for _ in range(4):
            shown.wait_for(ASKED)
            frames.append(frame(shown.buffer, ASKED_S))
            shown.type("y")
            shown.wait_gone(ASKED)
            frames.append(frame(shown.buffer, SHOWN_S))
        shown.wait_for("This was a script")
        shown.wait_gone("Esc interrupts")
        frames.append(frame(shown.buffer, LAST_S))
    target.write_text(film(frames, COLUMNS, FILM_TITLE))


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    draw(folder / "greenroom.svg")
    draw_film(folder / "greenroom-session.svg")

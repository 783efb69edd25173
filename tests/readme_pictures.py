"""Draws the README's pictures from real sessions: `python -m tests.readme_pictures .github`."""

import os
import sys
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from tests.shell.pty_terminal import PtyTerminal, open_terminal
from tests.terminal_svg import AnimationFrame, capture_frame, render_animation, render_svg

ROWS, COLUMNS = 40, 96
ANIMATION_ROWS = 30
TITLE = (
    "A session: subagents work beside each other, and one below them asks before it runs anything"
)
ANIMATION_TITLE = "A session: subagents find the failing test, the agent mends and commits it"
APPROVAL_HINT = "Press a key to answer"
STEP_FRAME_S, APPROVAL_FRAME_S, LAST_FRAME_S = 1.2, 2.2, 5.0


@contextmanager
def run_demo(rows: int) -> Generator[PtyTerminal]:
    """Play the demo on a terminal."""
    with tempfile.TemporaryDirectory() as home:
        kept = {"PATH": os.environ["PATH"], "LANG": "C.UTF-8", "TERM": "xterm-256color"}
        environment = {**kept, "HOME": home, "GREENROOM_HOME": home}
        command = [sys.executable, "-m", "greenroom", "demo"]
        with open_terminal(command, environment=environment, rows=rows, columns=COLUMNS) as shown:
            yield shown


def draw_screenshot(target: Path) -> None:
    """Play the demo up to its first question, and write the screen that asks it."""
    with run_demo(ROWS) as shown:
        shown.wait_for_text("say the same")
        shown.wait_for_text(APPROVAL_HINT)
        target.write_text(render_svg(shown.emulator_screen, TITLE))


def draw_animation(target: Path) -> None:
    """Play all of the demo, saying yes, and write a screen for each step of it."""
    frames: list[AnimationFrame] = []
    with run_demo(ANIMATION_ROWS) as shown:
        shown.wait_for_text("Thinking")
        frames.append(capture_frame(shown.emulator_screen, STEP_FRAME_S))
        for _ in range(4):
            shown.wait_for_text(APPROVAL_HINT)
            frames.append(capture_frame(shown.emulator_screen, APPROVAL_FRAME_S))
            shown.type("y")
            shown.wait_for_no_text(APPROVAL_HINT)
            frames.append(capture_frame(shown.emulator_screen, STEP_FRAME_S))
        shown.wait_for_text("This was a script")
        shown.wait_for_no_text("Esc to interrupt")
        frames.append(capture_frame(shown.emulator_screen, LAST_FRAME_S))
    target.write_text(render_animation(frames, COLUMNS, ANIMATION_TITLE))


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    draw_screenshot(folder / "greenroom.svg")
    draw_animation(folder / "greenroom-session.svg")

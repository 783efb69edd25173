"""Draw the README's pictures from real sessions: `python -m tests.readme_pictures .github`."""

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
TITLE = "A session: subagents work in parallel, and one of them asks before it runs a command"
ANIMATION_TITLE = "A session: subagents find a failing test; the agent fixes it and commits the fix"
APPROVAL_HINT = "Press a key to answer"
STEP_FRAME_S, APPROVAL_FRAME_S, LAST_FRAME_S = 1.2, 2.2, 5.0


@contextmanager
def run_demo(rows: int) -> Generator[PtyTerminal]:
    """Run the demo in a terminal."""
    with tempfile.TemporaryDirectory() as home:
        inherited = {"PATH": os.environ["PATH"], "LANG": "C.UTF-8", "TERM": "xterm-256color"}
        environment = {**inherited, "HOME": home, "GREENROOM_HOME": home}
        command = [sys.executable, "-m", "greenroom", "demo"]
        with open_terminal(
            command, environment=environment, rows=rows, columns=COLUMNS
        ) as terminal:
            yield terminal


def draw_screenshot(target: Path) -> None:
    """Run the demo up to its first approval request and draw that screen."""
    with run_demo(ROWS) as terminal:
        terminal.wait_for_text("say the same")
        terminal.wait_for_text(APPROVAL_HINT)
        target.write_text(render_svg(terminal.emulator_screen, TITLE))


def draw_animation(target: Path) -> None:
    """Run the whole demo, approve each request, and draw a frame for each step."""
    frames: list[AnimationFrame] = []
    with run_demo(ANIMATION_ROWS) as terminal:
        terminal.wait_for_text("Esc to interrupt")
        frames.append(capture_frame(terminal.emulator_screen, STEP_FRAME_S))
        for _ in range(4):
            terminal.wait_for_text(APPROVAL_HINT)
            frames.append(capture_frame(terminal.emulator_screen, APPROVAL_FRAME_S))
            terminal.type("y")
            terminal.wait_for_no_text(APPROVAL_HINT)
            frames.append(capture_frame(terminal.emulator_screen, STEP_FRAME_S))
        terminal.wait_for_text("This was a script")
        terminal.wait_for_no_text("Esc to interrupt")
        frames.append(capture_frame(terminal.emulator_screen, LAST_FRAME_S))
    target.write_text(render_animation(frames, COLUMNS, ANIMATION_TITLE))


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    draw_screenshot(folder / "greenroom.svg")
    draw_animation(folder / "greenroom-session.svg")

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[3]
SLOW = {"anthropic", "markdown_it", "pygments", "rich"}


def test_nothing_slow_is_imported_before_the_first_screen() -> None:
    tell = (
        f"import sys, shell.repl.repl, shell.console.console; print(*{SLOW!r} & set(sys.modules))"
    )
    command = [sys.executable, "-c", tell]
    told = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert told.stdout.split() == []

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[3]
SLOW_PACKAGES = {"anthropic", "markdown_it", "pygments", "rich"}


def test_no_slow_package_is_imported_before_the_screen() -> None:
    imports = "import sys, shell.repl.repl, shell.console.console"
    code = f"{imports}; print(*{SLOW_PACKAGES!r} & set(sys.modules))"
    command = [sys.executable, "-c", code]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert result.stdout.split() == []

"""Startup loads the tools, but not the packages that a tool needs only when it is called."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[3]
LAZY = {
    "bracex",
    "tree_sitter",
    "actors.bash.command_parser",
    "actors.bash.programs.effect_lookup",
}
"""`actors.bash.parse` loads the last two on first use."""


def test_loading_the_tools_imports_no_lazy_package() -> None:
    script = f"import sys, actors.tools.toolbox; print(*{LAZY!r} & set(sys.modules))"
    process = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert process.stdout.split() == []

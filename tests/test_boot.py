"""The boot module finds the installed packages before a project's."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

BOOT = Path(__file__).parent.parent / "shell" / "_boot.py"


def write_package(folder: Path, output: str) -> None:
    (folder / "shell").mkdir(parents=True)
    (folder / "shell" / "__init__.py").touch()
    (folder / "shell" / "main.py").write_text(f"def main():\n    print({output!r})\n")


@pytest.mark.parametrize("python_path", ["", ".", "{project}"])
def test_a_projects_own_shell_package_is_not_imported(tmp_path: Path, python_path: str) -> None:
    installed, project = tmp_path / "installed", tmp_path / "project"
    write_package(installed, "ours")
    write_package(project, "theirs")
    shutil.copy(BOOT, installed / "greenroom.py")
    # After the entries for the project, before the packages of this environment.
    set_path = f"import sys; sys.path.insert(2, {str(installed)!r}); "
    result = subprocess.run(
        [sys.executable, "-c", set_path + "import greenroom; greenroom.main()"],
        cwd=project,
        env={"PYTHONPATH": python_path.format(project=project)},
        capture_output=True,
        text=True,
        check=True,
        timeout=20,
    )
    assert result.stdout == "ours\n"

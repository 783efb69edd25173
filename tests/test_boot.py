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
def test_a_project_with_a_shell_of_its_own_does_not_stand_in_for_ours(
    tmp_path: Path, python_path: str
) -> None:
    installed, project = tmp_path / "installed", tmp_path / "project"
    write_package(installed, "ours")
    write_package(project, "theirs")
    shutil.copy(BOOT, installed / "greenroom.py")
    # Behind the entries for the project, before what this environment has installed itself.
    place = f"import sys; sys.path.insert(2, {str(installed)!r}); "
    ran = subprocess.run(
        [sys.executable, "-c", place + "import greenroom; greenroom.main()"],
        cwd=project,
        env={"PYTHONPATH": python_path.format(project=project)},
        capture_output=True,
        text=True,
        check=True,
        timeout=20,
    )
    assert ran.stdout == "ours\n"

"""A command runs in the folder that was checked, whatever its name refers to by then."""

import asyncio
from pathlib import Path

import pytest

from actors.tools.command_runner import OutputTarget
from actors.tools.local_command_runner import LocalCommandRunner
from actors.tools.tool import ToolError


def run_command(command: str, cwd: Path, environment: dict[str, str] | None = None) -> str:
    runner = LocalCommandRunner(environment or {"PATH": "/usr/bin:/bin"})
    return asyncio.run(runner.run(command, cwd, 10.0, OutputTarget(cwd.parent / "outputs"))).output


def test_the_parent_folder_is_the_real_one_despite_links(tmp_path: Path) -> None:
    real, link = tmp_path.resolve() / "real" / "project", tmp_path / "link"
    real.mkdir(parents=True)
    link.symlink_to(real)

    output = run_command("pwd; cd ..; pwd", real, {"PATH": "/usr/bin:/bin", "PWD": str(link)})

    assert output.splitlines() == [str(real), str(real.parent)]


def test_a_command_does_not_run_in_a_swapped_in_link(
    tmp_path: Path,
) -> None:
    folder, outside = tmp_path.resolve() / "project", tmp_path.resolve() / "outside"
    outside.mkdir()
    folder.symlink_to(outside)

    with pytest.raises(ToolError, match="the command could not be started"):
        run_command("touch here", folder)
    assert list(outside.iterdir()) == []

"""`!command`."""

import asyncio
import os
from pathlib import Path

from actors.tools.local_command_runner import LocalCommandRunner
from shell.console.ui_commands import UserCommandEnded
from shell.console.user_shell_command import UserCommandRunner, run_user_command


def test_a_stopped_command_keeps_its_output(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    command = f"echo begin; echo reached > {pipe}; sleep 1000"
    runner = UserCommandRunner(LocalCommandRunner(), tmp_path, tmp_path / "outputs")

    async def stop() -> UserCommandEnded:
        running = asyncio.ensure_future(run_user_command(command, runner))
        await asyncio.to_thread(pipe.read_text)
        running.cancel()
        return await running

    assert asyncio.run(stop()) == UserCommandEnded(
        command=command, status="cancelled", text="begin"
    )

import os
from pathlib import Path

import pytest

from shell.repl.tmux_escape_time import get_escape_time_hint


def create_fake_tmux(folder: Path, script: str) -> dict[str, str]:
    """Create a tmux program and return an environment that finds it first."""
    program = folder / "tmux"
    program.write_text(f'#!/bin/sh\n[ "$*" = "show-options -sv escape-time" ] && {script}\n')
    program.chmod(0o755)
    return {"PATH": f"{folder}:{os.environ['PATH']}", "TMUX": "socket,1,0"}


def test_a_slow_esc_prints_the_hint_once(tmp_path: Path) -> None:
    environment = create_fake_tmux(tmp_path, "echo 500")
    hint = get_escape_time_hint(environment, tmp_path, Path("/nowhere"))
    assert "500 ms" in hint
    assert "set -sg escape-time 10" in hint
    assert get_escape_time_hint(environment, tmp_path, Path("/nowhere")) == ""


@pytest.mark.parametrize("answer", ["echo 10", "echo what", "exit 1"])
def test_a_short_delay_or_failing_tmux_prints_nothing(tmp_path: Path, answer: str) -> None:
    assert (
        get_escape_time_hint(create_fake_tmux(tmp_path, answer), tmp_path, Path("/nowhere")) == ""
    )


def test_outside_tmux_no_escape_time_is_queried(tmp_path: Path) -> None:
    environment = create_fake_tmux(tmp_path, "echo 500") | {"TMUX": ""}
    assert get_escape_time_hint(environment, tmp_path, Path("/nowhere")) == ""

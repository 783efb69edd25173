import os
from pathlib import Path

import pytest

from shell.repl.tmux_escape_time import get_escape_time_hint


def create_fake_tmux(folder: Path, script: str) -> dict[str, str]:
    """A tmux of our own, first on the path."""
    program = folder / "tmux"
    program.write_text(f'#!/bin/sh\n[ "$*" = "show-options -sv escape-time" ] && {script}\n')
    program.chmod(0o755)
    return {"PATH": f"{folder}:{os.environ['PATH']}", "TMUX": "socket,1,0"}


def test_a_slow_esc_is_told_once_with_what_mends_it(tmp_path: Path) -> None:
    environment = create_fake_tmux(tmp_path, "echo 500")
    told = get_escape_time_hint(environment, tmp_path)
    assert "500 ms" in told
    assert "set -sg escape-time 10" in told
    assert get_escape_time_hint(environment, tmp_path) == ""


@pytest.mark.parametrize("answer", ["echo 10", "echo what", "exit 1"])
def test_a_quick_esc_or_a_tmux_that_says_nothing_is_not_worth_a_word(
    tmp_path: Path, answer: str
) -> None:
    assert get_escape_time_hint(create_fake_tmux(tmp_path, answer), tmp_path) == ""


def test_outside_tmux_nobody_is_asked(tmp_path: Path) -> None:
    environment = create_fake_tmux(tmp_path, "echo 500") | {"TMUX": ""}
    assert get_escape_time_hint(environment, tmp_path) == ""

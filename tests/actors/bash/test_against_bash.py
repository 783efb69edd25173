"""Bash runs only commands that the parser predicts; all commands are stubs that log their words.

bash runs in an empty folder, its PATH contains only stubs, and no generated command names an
absolute path.
"""

import os
import shutil
import signal
import subprocess
from pathlib import Path
from random import Random

import pytest

from actors.bash.parse import ParsedCommand, parse_command
from tests.actors.bash.random_commands import NAMES, make_random_command

EXTRA_STUB_NAMES = ("f", "i", "E", "q r", "d q", "s", "x", "v", "1", "2", "t", "done", "esac")
STUB_SCRIPT = """#!/bin/sh
printf '%s\\0' "${0##*/}" "$@" > "$LOG/$$"
"""
DISABLE_BUILTINS = "enable -n echo true false test [ kill printf\n"
BASH = shutil.which("bash") or "bash"


class StubSandbox:
    """A folder in which generated commands may run."""

    def __init__(self, folder: Path) -> None:
        self._log = folder / "log"
        self._home = folder / "home"
        self._bin = folder / "bin"
        self._home.mkdir()
        self._bin.mkdir()
        (folder / "rc").write_text(DISABLE_BUILTINS)
        (self._bin / "a").write_text(STUB_SCRIPT)
        (self._bin / "a").chmod(0o755)
        for name in {*NAMES, *EXTRA_STUB_NAMES} - {"a"}:
            (self._bin / name).symlink_to("a")
        self._environment = {"PATH": str(self._bin), "BASH_ENV": str(folder / "rc"), "v": "rm"}

    def run(self, command: str, number: int) -> list[tuple[str, ...]]:
        """Run a command with bash; return the words of each command that it ran.

        A stub that was killed before it wrote its log is left out.
        """
        log = self._log.with_suffix(f".{number}")
        log.mkdir()
        process = subprocess.Popen(
            [BASH, "--noprofile", "--norc", "-c", command],
            cwd=self._home,
            env={**self._environment, "LOG": str(log)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            process.wait(2)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        logged = [read_words(file) for file in log.iterdir()]
        return [words for words in logged if words]


def read_words(file: Path) -> tuple[str, ...]:
    return tuple(word.decode(errors="replace") for word in file.read_bytes().split(b"\0")[:-1])


def is_certain(command: ParsedCommand) -> bool:
    return not command.ask_reason and not any(part.ask_reason for part in command.parts)


def is_predicted(command: ParsedCommand, words: tuple[str, ...]) -> bool:
    """Return whether a part has these words; if one is expanded, the command word must match."""
    for part in command.parts:
        if not part.words or part.words[0].text != words[0]:
            continue
        if part.text == " ".join(words) or not all(word.is_literal for word in part.words):
            return True
    return False


def compare_with_bash(folder: Path, seed: int, count: int) -> int:
    """Compare `count` certain commands; return how many commands bash ran for them."""
    sandbox, random, run_count, compared_count = StubSandbox(folder), Random(seed), 0, 0  # noqa: S311  (a seed must replay)
    while compared_count < count:
        text = make_random_command(random)
        command = parse_command(text)
        if "\0" in text or not is_certain(command):
            continue
        compared_count += 1
        for words in sandbox.run(text, compared_count):
            run_count += 1
            assert is_predicted(command, words), f"{text!r} ran {words}"
    return run_count


def test_bash_runs_only_what_the_parser_predicts(tmp_path: Path) -> None:
    assert compare_with_bash(tmp_path, seed=1, count=300) > 100


@pytest.mark.long
@pytest.mark.timeout(900)
@pytest.mark.parametrize("seed", [2, 3])
def test_bash_runs_only_predicted_commands_in_ten_thousand(tmp_path: Path, seed: int) -> None:
    assert compare_with_bash(tmp_path, seed=seed, count=5_000) > 2_000

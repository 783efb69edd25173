"""What bash really runs is what the parser says: with stand-ins that only write down their words.

bash runs in an empty folder with a PATH of nothing but stand-ins, and no generated command names
an absolute path.
"""

import os
import shutil
import signal
import subprocess
from pathlib import Path
from random import Random

import pytest

from actors.bash.parse import parse_command
from actors.bash.syntax.parsed_command import ParsedCommand
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

    def run(self, command: str, at: int) -> list[tuple[str, ...]]:
        """Run a command with bash; answer what was run, each as its words.

        A stand-in that was killed before it wrote is left out.
        """
        log = self._log.with_suffix(f".{at}")
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
        ran = [read_words(file) for file in log.iterdir()]
        return [words for words in ran if words]


def read_words(file: Path) -> tuple[str, ...]:
    return tuple(word.decode(errors="replace") for word in file.read_bytes().split(b"\0")[:-1])


def is_certain(command: ParsedCommand) -> bool:
    return not command.ask_reason and not any(part.ask_reason for part in command.parts)


def is_predicted(command: ParsedCommand, ran: tuple[str, ...]) -> bool:
    """Whether a part says that these words run; where one is expanded, the command word must."""
    for part in command.parts:
        if not part.words or part.words[0].text != ran[0]:
            continue
        if part.text == " ".join(ran) or not all(word.is_literal for word in part.words):
            return True
    return False


def compare_with_bash(folder: Path, seed: int, count: int) -> int:
    """Compare so many certain commands; answer how many commands bash ran for them."""
    sandbox, random, ran, compared = StubSandbox(folder), Random(seed), 0, 0  # noqa: S311  (a seed must replay)
    while compared < count:
        text = make_random_command(random)
        command = parse_command(text)
        if "\0" in text or not is_certain(command):
            continue
        compared += 1
        for words in sandbox.run(text, compared):
            ran += 1
            assert is_predicted(command, words), f"{text!r} ran {words}"
    return ran


def test_bash_runs_nothing_that_the_parser_did_not_foresee(tmp_path: Path) -> None:
    assert compare_with_bash(tmp_path, seed=1, count=300) > 100


@pytest.mark.long
@pytest.mark.timeout(900)
@pytest.mark.parametrize("seed", [2, 3])
def test_bash_runs_nothing_unforeseen_in_ten_thousand_commands(tmp_path: Path, seed: int) -> None:
    assert compare_with_bash(tmp_path, seed=seed, count=5_000) > 2_000

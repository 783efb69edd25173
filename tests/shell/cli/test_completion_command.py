"""Completion scripts: what bash completes with one, and what the others contain."""

import subprocess

import pytest

from shell.cli.arguments import make_session_parser, parse_command_line
from shell.cli.completion_command import COMMANDS, build_completion_script
from shell.startup.options import LaunchOptions


def complete(*words: str) -> list[str]:
    """Return what bash offers for the last word."""
    script = build_completion_script("bash", make_session_parser())
    quoted = " ".join(f"'{word}'" for word in ("greenroom", *words))
    test = (
        f"COMP_WORDS=({quoted}); COMP_CWORD={len(words)}; _greenroom; "
        "printf '%s\\n' \"${COMPREPLY[@]}\""
    )
    done = subprocess.run(
        ["bash", "-c", script + test], capture_output=True, text=True, check=True, timeout=20
    )
    return done.stdout.split()


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (("dem",), ["demo"]),
        (("--perm",), ["--permission-mode"]),
        (("--permission-mode", "a"), ["auto-edit"]),
        (("-p", "x", "--output-format", "s"), ["stream-json"]),
        (("-p", "dem"), []),
    ],
)
def test_bash_completes_commands_options_and_values(
    words: tuple[str, ...], offered: list[str]
) -> None:
    assert complete(*words) == offered


def test_every_completed_command_is_a_command() -> None:
    for command in COMMANDS:
        with pytest.raises(SystemExit):
            parse_command_line([command, "--help"])
    assert isinstance(parse_command_line(["other"]), LaunchOptions)


def test_the_other_shells_get_all_commands_and_options() -> None:
    zsh = build_completion_script("zsh", make_session_parser())
    fish = build_completion_script("fish", make_session_parser())
    assert zsh.endswith(build_completion_script("bash", make_session_parser()))
    assert "complete -c greenroom -l permission-mode -x -a 'plan default auto-edit yolo'" in fish
    assert "complete -c greenroom -s p -l print\n" in fish
    assert all(command in fish for command in COMMANDS)

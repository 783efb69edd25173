"""What the README says is what the program does."""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import get_args

import pytest

from messages.policy import PermissionMode
from shell.cli import arguments
from shell.commands.command_table import COMMANDS
from shell.config.config_file import read_config_file
from shell.config.instruction_files import MAX_FILE_BYTES, MAX_TOTAL_BYTES
from tests.readme_pictures import draw_screenshot

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()
PICTURE = ".github/greenroom.svg"
OPTIONS_ONLY_IN_HELP = {"--help", "--version", "--auto"}
SESSION_EXAMPLE = re.compile(r"\$ greenroom (-p \"run git status --short\".*)\n((?:.*\n)*?)```\n")


def help_text(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    with pytest.raises(SystemExit) as ended:
        arguments.parse_command_line([*words, "--help"])
    assert ended.value.code == 0
    return capsys.readouterr().out


@pytest.mark.quick
def test_every_option_of_the_help_is_in_the_readme_and_no_other(
    capsys: pytest.CaptureFixture[str],
) -> None:
    offered = set(re.findall(r"--[a-z-]+", help_text(capsys).partition("environment:")[0]))
    told = {option for row in read_table("option") for option in re.findall(r"--[a-z-]+", row)}
    assert offered - OPTIONS_ONLY_IN_HELP == told


@pytest.mark.quick
def test_the_sessions_table_is_the_help_of_sessions(capsys: pytest.CaptureFixture[str]) -> None:
    helped = help_text(capsys, "sessions")
    table = "\n".join(read_table("command"))
    options = set(re.findall(r"--[a-z-]+", helped)) - OPTIONS_ONLY_IN_HELP
    assert options == set(re.findall(r"--[a-z-]+", table))
    usage = helped.partition("\n\n")[0].replace("ID", "")
    told = re.findall(r"greenroom sessions (\w+)", table)
    assert told == re.findall(r"(?:\[|\|) ?([a-z]+)", usage.partition("[--")[0])


@pytest.mark.quick
def test_every_command_that_the_usage_names_can_be_asked_for_help(
    capsys: pytest.CaptureFixture[str],
) -> None:
    usage = help_text(capsys).partition("\n\n")[0]
    commands = re.findall(r"^ *(?:usage: )?greenroom ([a-z]+)", usage, re.MULTILINE)
    assert {"demo", "sessions"} <= set(commands)
    for command in commands:
        assert f"usage: greenroom {command}" in help_text(capsys, command)


@pytest.mark.quick
def test_the_configuration_of_the_readme_is_taken_as_it_stands(tmp_path: Path) -> None:
    shown = re.search(r"<!-- config.toml -->\n```toml\n(.*?)```", README, re.DOTALL)
    assert shown is not None
    file = tmp_path / "config.toml"
    file.write_text(shown[1])
    assert read_config_file(file) is not None


@pytest.mark.quick
def test_the_limits_that_the_readme_names_are_the_programs() -> None:
    assert (
        f"{MAX_FILE_BYTES // 1024} KiB of each and {MAX_TOTAL_BYTES // 1024} KiB in all" in README
    )


@pytest.mark.quick
def test_the_modes_of_the_help_are_those_of_the_engine(capsys: pytest.CaptureFixture[str]) -> None:
    offered = re.search(r"--permission-mode \{(.*?)\}", help_text(capsys))
    assert offered is not None
    assert set(offered[1].split(",")) == set(get_args(PermissionMode))
    assert offered[1].replace(",", r"\|") in README


@pytest.mark.quick
def test_every_slash_command_is_in_the_readme_with_its_own_words() -> None:
    below = README.partition("<!-- commands -->")[2]
    told = dict(re.findall(r"^\| `/(\w+)` \| (.*) \|$", below, re.MULTILINE))
    assert told == {command.name: command.help for command in COMMANDS.values()}


def test_the_quick_starts_output_is_real(tmp_path: Path) -> None:
    found = SESSION_EXAMPLE.search(README)
    assert found is not None
    repository = tmp_path / "repository"
    git = ["git", "-c", "user.name=x", "-c", "user.email=x@localhost"]
    subprocess.run(["git", "init", "-q", repository], check=True)
    (repository / "notes.txt").write_text("one\n")
    subprocess.run([*git, "add", "notes.txt"], cwd=repository, check=True)
    subprocess.run([*git, "commit", "-qm", "notes"], cwd=repository, check=True)
    (repository / "notes.txt").write_text("two\n")
    words = ["-p", "run git status --short", "--permission-mode", "yolo"]
    assert found[1] == '-p "run git status --short" --permission-mode yolo'
    environment = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("ANTHROPIC_", "GREENROOM_"))
    }
    ran = subprocess.run(
        [sys.executable, "-m", "greenroom", *words],
        cwd=repository,
        env={**environment, "GREENROOM_HOME": str(tmp_path / "home")},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=True,
        timeout=20,
    )
    shown = found[2]
    assert ran.stderr + ran.stdout == shown


def read_table(heading: str) -> list[str]:
    lines = README.splitlines()
    start = lines.index(f"| {heading} | what it does |") + 2
    end = next(at for at in range(start, len(lines)) if not lines[at].startswith("|"))
    return lines[start:end]


def test_the_picture_can_be_drawn_again_from_a_real_session(tmp_path: Path) -> None:
    assert PICTURE in README
    drawn = tmp_path / "again.svg"
    draw_screenshot(drawn)
    assert stable_texts(drawn) == stable_texts(ROOT / PICTURE)


def stable_texts(picture: Path) -> list[str]:
    """The texts of a picture without what differs between runs: folder, clock and counts."""
    texts = re.findall(r">([^<]+)</text>", picture.read_text())
    return [text for text in texts if not re.search(r"/greenroom-demo-|Waiting| tokens", text)]

"""The README and the help topics agree with the program."""

import os
import re
import subprocess
import sys
import textwrap
from collections.abc import Iterable
from pathlib import Path
from typing import get_args

import pytest

from actors.permissions.protected_paths import PROTECTED_FILES, PROTECTED_FOLDERS
from messages.policy import PermissionMode
from shell.cli import arguments
from shell.commands.command_table import COMMANDS
from shell.config import agent_file_parser, config_file, instruction_files, schema
from shell.headless.result import Result
from shell.help.topics import TOPICS, read_topic
from tests.readme_pictures import draw_screenshot

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()
MAX_README_BYTES = 8 * 1024
MAX_HELP_COLUMNS = 88
PICTURE = ".github/greenroom.svg"
OPTIONS_ONLY_IN_HELP = {"--help", "--version", "--auto"}
SESSION_EXAMPLE = re.compile(r"\$ greenroom (-p \"run git status --short\".*)\n((?:.*\n)*?)```\n")
LINK = re.compile(r"\]\(([^)#:]+)\)")


@pytest.mark.quick
def test_the_readme_is_at_most_eight_kilobytes() -> None:
    assert len(README.encode()) <= MAX_README_BYTES


@pytest.mark.quick
@pytest.mark.parametrize(
    "page",
    [
        "README.md",
        "actors/README.md",
        "actors/placement/README.md",
        "actors/runtime/README.md",
        "tests/README.md",
        "tests/benchmark/README.md",
        ".github/CONTRIBUTING.md",
        ".github/SECURITY.md",
    ],
)
def test_every_link_leads_to_an_existing_file(page: str) -> None:
    path = ROOT / page
    links = LINK.findall(path.read_text())
    assert [link for link in links if not (path.parent / link).exists()] == []


@pytest.mark.quick
def test_the_architecture_names_only_files_that_exist() -> None:
    text = (ROOT / "actors/README.md").read_text().partition("## How to add")[0]
    names = re.findall(r"[a-z_/]+/[a-z_]+\.py", text)
    assert names
    assert [name for name in names if not find_source(name)] == []


@pytest.mark.quick
def test_the_readme_lists_every_help_topic() -> None:
    listed = re.findall(r"^- \[(\w+)\]\(shell/help/(\w+)\.md\): (.*)$", README, re.MULTILINE)
    assert [(name, summary) for name, _, summary in listed] == list(TOPICS.items())
    assert all(name == file for name, file, _ in listed)
    assert {path.stem for path in (ROOT / "shell/help").glob("*.md")} == set(TOPICS)


@pytest.mark.quick
def test_the_command_line_help_names_every_topic(capsys: pytest.CaptureFixture[str]) -> None:
    assert ", ".join(TOPICS) in read_help(capsys)


@pytest.mark.quick
@pytest.mark.parametrize("topic", TOPICS)
def test_a_help_topic_fits_an_ordinary_terminal(topic: str) -> None:
    assert max(map(len, read_topic(topic).splitlines())) <= MAX_HELP_COLUMNS


@pytest.mark.quick
def test_the_readme_lists_exactly_the_options_of_the_help(
    capsys: pytest.CaptureFixture[str],
) -> None:
    options = find_options(read_help(capsys).partition("environment:")[0])
    assert options - OPTIONS_ONLY_IN_HELP == find_options(README.partition("## Options")[2])


@pytest.mark.quick
def test_the_sessions_topic_lists_the_options_of_sessions(
    capsys: pytest.CaptureFixture[str],
) -> None:
    command_help = read_help(capsys, "sessions")
    section = read_topic("sessions").partition("<!-- sessions -->")[2].partition("\n## ")[0]
    assert find_options(command_help) - OPTIONS_ONLY_IN_HELP == find_options(section)
    usage = command_help.partition("\n\n")[0].replace("ID", "")
    actions = re.findall(r"(?:\[|\|) ?([a-z]+)", usage.partition("[--")[0])
    assert re.findall(r"greenroom sessions (\w+)", section) == actions


@pytest.mark.quick
def test_the_permissions_topic_lists_the_options_of_check(
    capsys: pytest.CaptureFixture[str],
) -> None:
    section = read_topic("permissions").partition("## Explain a decision")[2].partition("\n## ")[0]
    assert find_options(read_help(capsys, "permissions")) - OPTIONS_ONLY_IN_HELP == find_options(
        section
    )


@pytest.mark.quick
def test_every_command_in_the_help_has_its_own_help(capsys: pytest.CaptureFixture[str]) -> None:
    section = read_help(capsys).partition("commands:\n")[2].partition("\n\n")[0]
    commands = re.findall(r"^  ([a-z]+)", section, re.MULTILINE)
    assert {"demo", "help", "sessions"} <= set(commands)
    for command in commands:
        assert f"usage: greenroom {command}" in read_help(capsys, command)


@pytest.mark.quick
def test_the_configuration_example_is_a_valid_file(tmp_path: Path) -> None:
    example = re.search(
        r"<!-- config.toml -->\n```toml\n(.*?)```", read_topic("configuration"), re.DOTALL
    )
    assert example is not None
    file = tmp_path / "config.toml"
    file.write_text(example[1])
    assert config_file.read_config_file(file) is not None


@pytest.mark.quick
def test_the_configuration_topic_lists_exactly_the_existing_keys() -> None:
    keys: set[str] = set()
    for key, value in schema.FILE_SCHEMA.keys.items():
        if isinstance(value, schema.TableSchema):
            keys |= {f"{key}.{name}" for name in value.keys}
        else:
            keys.add(key)
    assert listed_names(read_topic("configuration"), "keys") == keys


@pytest.mark.quick
def test_the_configuration_topic_states_the_instruction_limits() -> None:
    file_kib = instruction_files.MAX_FILE_BYTES // 1024
    total_kib = instruction_files.MAX_TOTAL_BYTES // 1024
    text = " ".join(read_topic("configuration").split())
    assert f"Up to {file_kib} KiB of each file and {total_kib} KiB in total" in text


@pytest.mark.quick
def test_the_agent_example_is_a_valid_definition() -> None:
    example = re.search(r"```markdown\n(.*?)```", read_topic("agents"), re.DOTALL)
    assert example is not None
    origin = agent_file_parser.FileOrigin("reviewer.md")
    parsed = agent_file_parser.parse_definition(example[1], "reviewer", origin)
    assert parsed.ignored_keys == ()


@pytest.mark.quick
def test_the_agents_topic_lists_only_keys_that_are_understood() -> None:
    names = listed_names(read_topic("agents"), "keys")
    values = {"read_only": "true", "interactive": "true", "max_turns": "1", "time_limit_s": "1"}
    values |= {"mode": "all", "permission": "{bash: ask}", "approval_mode": "plan"}
    values |= {"effort": "high", "background": "true", "placement": "process"}
    keys = "".join(f"{name}: {values.get(name, 'x')}\n" for name in sorted(names))
    origin = agent_file_parser.FileOrigin("x.md")
    parsed = agent_file_parser.parse_definition(f"---\n{keys}---\nText\n", "x", origin)
    assert parsed.ignored_keys == ()


@pytest.mark.quick
def test_the_agents_topic_and_the_error_list_the_same_modes() -> None:
    entry = next(
        entry
        for entry in read_block(read_topic("agents"), "keys").split("\n- ")
        if entry.startswith("`approval_mode`")
    )
    modes = agent_file_parser.APPROVAL_MODES
    assert set(re.findall(r"`([^`]+)`", entry)) - {"approval_mode"} == set(modes)
    origin = agent_file_parser.FileOrigin("x.md")
    for mode in modes:
        parsed = agent_file_parser.parse_definition(f"---\napproval_mode: {mode}\n---", "x", origin)
        assert parsed.definition.bubbles == (mode == "bubble")
    with pytest.raises(agent_file_parser.DefinitionError) as error:
        agent_file_parser.parse_definition("---\napproval_mode: none\n---", "x", origin)
    assert all(mode in str(error.value) for mode in modes)


@pytest.mark.quick
def test_the_permissions_topic_lists_the_protected_names() -> None:
    protected = {*PROTECTED_FOLDERS, *PROTECTED_FILES}
    listed = re.findall(r"`([^`]+)`", read_block(read_topic("permissions"), "protected"))
    assert set(listed) == protected
    assert len(listed) == len(protected)


@pytest.mark.quick
def test_the_scripting_topic_lists_the_result_keys() -> None:
    printed = {name for name, field in Result.model_fields.items() if not field.exclude}
    assert listed_names(read_topic("scripting"), "result") == printed


@pytest.mark.quick
def test_the_help_offers_the_modes_of_the_engine(capsys: pytest.CaptureFixture[str]) -> None:
    offered = re.search(r"--permission-mode \{(.*?)\}", read_help(capsys))
    assert offered is not None
    assert set(offered[1].split(",")) == set(get_args(PermissionMode))
    assert offered[1].replace(",", r"\|") in README


@pytest.mark.quick
def test_the_keys_topic_lists_every_slash_command() -> None:
    expected = "".join(
        textwrap.fill(f"- `/{command.name}`: {command.help}", 80, subsequent_indent="  ") + "\n"
        for command in COMMANDS.values()
    )
    listed = read_block(read_topic("keys"), "commands")
    assert listed == expected, f"replace the list in shell/help/keys.md with:\n{expected}"


def test_the_session_example_in_the_readme_is_real(tmp_path: Path) -> None:
    example = SESSION_EXAMPLE.search(README)
    assert example is not None
    repository = tmp_path / "repository"
    git = ["git", "-c", "user.name=x", "-c", "user.email=x@localhost"]
    subprocess.run(["git", "init", "-q", repository], check=True)
    (repository / "notes.txt").write_text("one\n")
    subprocess.run([*git, "add", "notes.txt"], cwd=repository, check=True)
    subprocess.run([*git, "commit", "-qm", "notes"], cwd=repository, check=True)
    (repository / "notes.txt").write_text("two\n")
    words = ["-p", "run git status --short", "--permission-mode", "yolo"]
    assert example[1] == '-p "run git status --short" --permission-mode yolo'
    environment = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("ANTHROPIC_", "GREENROOM_"))
    }
    completed = subprocess.run(
        [sys.executable, "-m", "greenroom", *words],
        cwd=repository,
        env={**environment, "GREENROOM_HOME": str(tmp_path / "home")},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=True,
        timeout=20,
    )
    assert completed.stderr + completed.stdout == example[2]


def test_the_picture_can_be_drawn_again_from_a_real_session(tmp_path: Path) -> None:
    assert PICTURE in README
    drawn = tmp_path / "again.svg"
    draw_screenshot(drawn)
    assert stable_texts(drawn) == stable_texts(ROOT / PICTURE)


def read_help(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    with pytest.raises(SystemExit) as exit_info:
        arguments.parse_command_line([*words, "--help"])
    assert exit_info.value.code == 0
    return capsys.readouterr().out


def find_options(text: str) -> set[str]:
    return set(re.findall(r"(?<![\w-])--[a-z]+(?:-[a-z]+)*", text))


def read_block(text: str, name: str) -> str:
    return text.partition(f"<!-- {name} -->\n")[2].partition(f"<!-- /{name} -->")[0]


def listed_names(text: str, block: str) -> set[str]:
    """Return the names that begin the items of a list: "- `name`, `other`: what they are"."""
    items: Iterable[str] = re.findall(r"^- (.*?)(?::|$)", read_block(text, block), re.MULTILINE)
    return {name for item in items for name in re.findall(r"`([\w.]+)[`:]?", item)}


def find_source(name: str) -> list[Path]:
    """Find a source file by the end of its path."""
    return [path for path in ROOT.glob(f"**/{name}") if ".venv" not in path.parts]


def stable_texts(picture: Path) -> list[str]:
    """Return the texts of a picture, without folder, clock and counts, which differ each time."""
    texts = re.findall(r">([^<]+)</text>", picture.read_text())
    return [
        text for text in texts if not re.search(r"/greenroom-demo-|Waiting| tokens|^ · \d+s$", text)
    ]

"""What the model is told about its environment, with real repositories."""

import asyncio
import os
import subprocess
from pathlib import Path

import pytest

from actors.paths.safe_git import run_git
from actors.paths.workspace import Workspace
from actors.prompt_context.environment import (
    MAX_STATUS_LINES,
    UNTRUSTED,
    EnvironmentReader,
    GitStatus,
    parse_status,
)
from actors.prompt_context.environment_text import (
    MAX_LISTED_NAMES,
    MAX_SECTION_CHARS,
    KnownEnvironment,
    format_environment,
)

DAY_S = 86_400.0


def git(folder: Path, *words: str) -> None:
    identity = ("-c", "user.name=x", "-c", "user.email=x@localhost")
    subprocess.run(["git", *identity, *words], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path.resolve() / "work"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    (folder / "a.txt").write_text("old\n")
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "First commit")
    return folder


def make_reader(
    folder: Path, *, trusted: bool = True, time_s: float = 20_000 * DAY_S
) -> EnvironmentReader:
    return EnvironmentReader(Workspace(folder, folder), trusted, lambda: time_s)


def describe(folder: Path, *, trusted: bool = True) -> list[str]:
    environment = asyncio.run(make_reader(folder, trusted=trusted).describe("all", "m"))
    return environment.text.split("\n")


def describe_changes(folder: Path, known: KnownEnvironment, since_s: float) -> str:
    changes = make_reader(folder).describe_changes(known, known.model, since_s)
    return asyncio.run(changes).text


def test_the_environment_has_date_platform_and_git_state(repository: Path) -> None:
    (repository / "a.txt").write_text("new\n")
    (repository / "b\n.txt").write_text("")

    lines = describe(repository)

    assert lines[0].startswith("Today's date: 2024-10-0")
    assert lines[1].startswith(f"Platform: {os.uname().sysname} ")
    assert lines[2:5] == ["Shell: bash", "Model: m", f"Working directory: {repository}"]
    assert lines[5:-1] == [
        *("Git branch: main", "Git status (short):", " M a.txt", "?? b\\n.txt"),
        "Recent commits:",
    ]
    assert lines[-1].endswith(" First commit")


def test_git_is_not_read_in_an_untrusted_folder(repository: Path, tmp_path: Path) -> None:
    assert describe(repository, trusted=False)[-1] == UNTRUSTED
    assert describe(tmp_path)[-1] == "Is a git repository: no"


def test_a_repository_without_commits_is_described(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "-b", "main")
    assert describe(tmp_path)[-3:] == [
        "Git branch: No commits yet on main",
        "Git status (short): clean",
        "Recent commits: none",
    ]


def test_a_broken_repository_is_reported_and_not_read(repository: Path) -> None:
    (repository / ".git/config").write_text("[core\n")
    assert describe(repository)[-1].startswith("git not read: fatal: bad config line 1")


def test_no_program_of_the_repositorys_configuration_runs(repository: Path) -> None:
    ran = repository.parent / "ran"
    program = f"touch {ran}; cat"
    for key in (
        *("core.fsmonitor", "core.pager", "core.sshCommand", "gpg.program", "diff.external"),
        *("filter.evil.clean", "filter.evil.smudge", "filter.process.process"),
        *("alias.status", "alias.log"),
    ):
        git(repository, "config", key, f"!{program}" if key.startswith("alias") else program)
    for key in ("filter.evil.required", "filter.process.required", "log.showSignature"):
        git(repository, "config", key, "true")
    hook = repository / ".git/hooks/post-index-change"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\ntouch {ran}\n")
    hook.chmod(0o755)
    (repository / ".gitattributes").write_text("a.txt filter=evil\nb.txt filter=process\n")
    (repository / "a.txt").write_text("new\n")
    os.utime(repository / "a.txt", (1, 1))

    assert " M a.txt" in describe(repository)
    run_git(repository, "diff", "--no-ext-diff", "--no-textconv", "HEAD")

    assert not ran.exists()
    git(repository, "add", "a.txt")
    assert ran.exists(), "the same filter runs in a git that is not restricted"


def test_changes_between_turns_are_described(repository: Path) -> None:
    reader = make_reader(repository)
    first = asyncio.run(reader.describe("all", "m")).known
    assert describe_changes(repository, first, since_s=DAY_S * 1e6) == ""

    (repository / "b.txt").write_text("")
    git(repository, "checkout", "-q", "-b", "feature")
    later = make_reader(repository, time_s=20_001 * DAY_S)
    changes = asyncio.run(later.describe_changes(first, "m2", since_s=0)).text.split("\n")

    assert changes[0].startswith("Today's date is now 2024-10-0")
    assert changes[1:] == [
        "You now run as the model m2.",
        "The git branch is now feature (before: main).",
        *("Files changed after your last turn ended (git status):", "?? b.txt"),
    ]


def test_files_that_changed_before_the_turn_ended_are_left_out(repository: Path) -> None:
    known = asyncio.run(make_reader(repository).describe("all", "m")).known
    (repository / "b.txt").write_text("")
    since_s = (repository / "b.txt").stat().st_ctime
    assert describe_changes(repository, known, since_s) == ""
    assert "?? b.txt" in describe_changes(repository, known, since_s - 1)


@pytest.mark.quick
def test_the_status_of_git_is_parsed() -> None:
    output = "## main...origin/main [ahead 1]\0R  new.py\0old.py\0?? b c\0 M cut of"
    assert parse_status(output) == GitStatus(
        "main...origin/main [ahead 1]", (("R ", "new.py"), ("??", "b c"))
    )


def test_every_part_of_the_environment_is_bounded(repository: Path) -> None:
    for number in range(MAX_STATUS_LINES + 10):
        (repository / f"{number:03}-{'x' * 240}").touch()
    for number in range(6):
        git(repository, "commit", "-q", "--allow-empty", "-m", f"{number} {'y' * 1_000}")

    lines = describe(repository)
    listing = "\n".join(f"{number}" * 60 for number in range(1_000))
    text = format_environment("\n".join(lines), listing)

    assert len(text) < 3 * MAX_SECTION_CHARS
    assert any(line.startswith("… and ") for line in lines)
    assert sum(" yyy" in line for line in lines) == 5
    assert text.splitlines()[-2].startswith("… and ")
    short = format_environment("x", "\n".join(map(str, range(1_000)))).splitlines()
    assert short[-2] == f"… and {1_000 - MAX_LISTED_NAMES} more"

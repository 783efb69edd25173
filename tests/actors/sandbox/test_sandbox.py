"""Ordinary work in the sandbox, and what it says when it fails."""

import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from actors.sandbox.policy import Confinement, FixedFile, SandboxSettings
from actors.tools.tool import ToolError
from messages.policy import CommandSandbox
from tests.actors.sandbox.sandboxed_commands import SandboxedCommands
from tests.actors.tools.tool_caller import ToolCaller

COMMIT = "git -c user.name=a -c user.email=a commit -q --allow-empty -m"


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "work tree\nä"
    folder.mkdir()
    git(folder, "init", "-q")
    git(folder, *COMMIT.split()[1:], "first")
    return folder


@pytest.fixture
def commands(workspace: Path) -> SandboxedCommands:
    return make_commands(workspace)


DEFAULT_SETTINGS = SandboxSettings()


def make_commands(
    workspace: Path,
    settings: SandboxSettings = DEFAULT_SETTINGS,
    protected: tuple[Path, ...] = (),
) -> SandboxedCommands:
    parent = workspace.parent
    commands = SandboxedCommands(
        workspace, parent / "home", parent / "state", settings=settings, protected=protected
    )
    (parent / "home").mkdir(exist_ok=True)
    if commands.sandbox.status.enforcement != "full" and settings.mode != "off":
        pytest.skip(commands.sandbox.status.reason)
    return commands


def git(folder: Path, *arguments: str) -> None:
    subprocess.run(["git", *arguments], cwd=folder, check=True, capture_output=True)


def test_a_command_can_commit_and_write_files(commands: SandboxedCommands) -> None:
    result = commands.run(f"echo text > new && git add new && {COMMIT} second && git log --oneline")
    assert result.exit_status == 0, result.output
    assert "second" in result.output
    assert (commands.workspace / "new").read_text() == "text\n"


def test_a_read_only_workspace_can_be_searched_and_tested(commands: SandboxedCommands) -> None:
    result = commands.run(
        "git status --short && ls -a && echo x > /tmp/f && cat /tmp/f", "read-only"
    )
    assert result.exit_status == 0, result.output
    assert result.sandbox == Confinement(access="read-only")


def test_files_in_tmp_last_until_the_next_command(commands: SandboxedCommands) -> None:
    commands.run("echo kept > /tmp/file")
    assert commands.run("cat /tmp/file").output == "kept\n"
    assert not Path("/tmp/file").exists()  # noqa: S108  (the point of the test)


def test_no_placeholder_is_left_after_a_command(commands: SandboxedCommands) -> None:
    before = sorted(commands.workspace.rglob("*"))
    seen = commands.run("ls -A").output.split()
    assert ".vscode" in seen
    assert sorted(commands.workspace.rglob("*")) == before


def test_placeholders_of_a_killed_program_are_removed(commands: SandboxedCommands) -> None:
    left = commands.workspace / ".vscode"
    left.mkdir()
    commands.state.mkdir(exist_ok=True)
    (commands.state / "sandbox-placeholders").write_bytes(bytes(left) + b"\0")
    commands.run("true")
    assert not left.exists()


def test_an_empty_folder_of_the_user_stays(commands: SandboxedCommands) -> None:
    (commands.workspace / ".idea").mkdir()
    commands.run("true")
    assert (commands.workspace / ".idea").exists()


def test_a_worktree_can_commit_but_not_change_hooks(workspace: Path) -> None:
    git(workspace, "worktree", "add", "-q", "../other")
    commands = make_commands(workspace.parent / "other")
    result = commands.run(f"{COMMIT} second && git log --oneline")
    assert "second" in result.output, result.output
    hooks = commands.run('echo x > "$(git rev-parse --git-path hooks)/pre-commit"')
    assert "Read-only file system" in hooks.output


def test_a_submodule_keeps_its_hooks_and_configuration(workspace: Path, tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "library")
    git(tmp_path / "library", *COMMIT.split()[1:], "first")
    add = ("submodule", "add", "-q", str(tmp_path / "library"), "lib")
    git(workspace, "-c", "protocol.file.allow=always", *add)
    commands = make_commands(workspace)
    assert "second" in commands.run(f"cd lib && {COMMIT} second && git log --oneline").output
    result = commands.run("mv .git/modules old; git -C lib config core.fsmonitor x; true")
    assert "busy" in result.output
    assert "fsmonitor" not in (workspace / ".git/modules/lib/config").read_text()


def test_an_unborn_repository_gets_its_first_commit(tmp_path: Path) -> None:
    (tmp_path / "new").mkdir()
    git(tmp_path / "new", "init", "-q")
    commands = make_commands(tmp_path / "new")
    assert "first" in commands.run(f"{COMMIT} first && git log --oneline").output


def test_a_home_folder_is_never_writable(tmp_path: Path) -> None:
    commands = SandboxedCommands(tmp_path, tmp_path / "home", tmp_path / "state")
    if commands.sandbox.status.enforcement != "full":
        pytest.skip(commands.sandbox.status.reason)
    assert "Read-only file system" in commands.run("touch file").output


def test_a_protected_git_folder_can_still_be_committed_to(workspace: Path) -> None:
    git_folder = workspace / ".git"
    commands = make_commands(workspace, protected=(git_folder, workspace / "own"))
    (workspace / "own").write_text("as before")
    result = commands.run(f"{COMMIT} second && git log --oneline; echo x >> own")
    assert "second" in result.output, result.output
    assert "own: Read-only file system" in result.output


def test_write_and_hide_apply_to_commands(workspace: Path) -> None:
    cache, keys = workspace.parent / "cache", workspace.parent / "keys"
    cache.mkdir()
    keys.write_text("hidden text")
    settings = SandboxSettings(write=(str(cache),), hide=(str(keys),))
    commands = make_commands(workspace, settings)
    result = commands.run(f"echo x > '{cache}/file'; cat '{keys}'; true")
    assert (cache / "file").exists(), result.output
    assert "hidden text" not in result.output


def test_processes_left_behind_are_ended_and_named(commands: SandboxedCommands) -> None:
    result = commands.run("setsid sleep 300 > /dev/null 2>&1 &")
    assert any(name.startswith("sleep") for name in result.terminated_processes)


def test_a_sandbox_that_fails_is_not_a_failed_command(commands: SandboxedCommands) -> None:
    with pytest.raises(ToolError, match="the sandbox failed, so the command did not run"):
        make_broken(commands).run("true")


def make_broken(commands: SandboxedCommands) -> SandboxedCommands:
    """Give the commands a filter that the kernel rejects."""
    broken = SandboxedCommands(commands.workspace, commands.home, commands.state)
    broken.sandbox.__dict__["_filter"] = b"not a filter"
    return broken


def test_a_sandbox_that_is_off_says_so(workspace: Path) -> None:
    commands = make_commands(workspace, SandboxSettings(mode="off"))
    status = commands.sandbox.status
    assert (status.enforcement, status.reason) == ("none", "The sandbox is off ([sandbox] mode).")


def test_a_machine_without_bubblewrap_names_the_fix(workspace: Path, tmp_path: Path) -> None:
    commands = SandboxedCommands(workspace, tmp_path / "home", tmp_path / "state")
    commands.sandbox.__dict__["_bubblewrap"] = None
    assert "install bubblewrap" in commands.sandbox.status.reason


def test_a_script_that_changes_after_its_check_runs_as_shown(commands: SandboxedCommands) -> None:
    script = commands.workspace / "run.sh"
    script.write_text("echo changed")
    fixed = FixedFile(script, b'echo "approved: $0"', 0o755)
    confinement = Confinement(access="writable", fixed_files=(fixed,))
    assert commands.run_confined("bash ./run.sh", confinement).output == "approved: ./run.sh\n"
    assert commands.run_confined("./run.sh", confinement).output == "approved: ./run.sh\n"
    assert script.read_text() == "echo changed"


def test_the_bash_tool_fixes_the_scripts_of_one_command(tmp_path: Path) -> None:
    caller = ToolCaller(tmp_path)
    commands = make_commands(caller.root)
    caller.context = replace(
        caller.context, command_runner=commands.runner, sandbox=CommandSandbox(access="writable")
    )
    caller.write_file("run.sh", "echo as shown; echo x > run.sh")
    result = caller.run_bash("bash run.sh").text
    assert result.startswith("as shown\nrun.sh: line 1: run.sh: Read-only file system")
    changed_first = caller.run_bash("echo 'echo changed' > run.sh; bash run.sh")
    assert changed_first.text == "changed"

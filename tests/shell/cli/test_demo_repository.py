"""The demo's script fixes the demo's repository."""

import subprocess
from pathlib import Path

import pytest
from pydantic import JsonValue

from actors.models.demo_script import DEMO_PROMPT, SUMMARY, make_demo_reply
from actors.models.scripted_reply import ScriptedCall
from shell.cli.demo_repository import create_repository


def run_command(folder: Path, command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["bash", "-c", f"{command} 2>&1"], cwd=folder, capture_output=True, text=True, check=False
    )


def execute_call(folder: Path, call: ScriptedCall) -> tuple[str, bool]:
    """Run a call with minimal tools; return its text and whether it failed."""
    arguments = {name: str(value) for name, value in call.input.items()}
    if call.name == "bash":
        result = run_command(folder, arguments["command"])
        return result.stdout, result.returncode != 0
    if call.name == "task":
        return play_script(folder, arguments["prompt"]), False
    path = folder / arguments["path"]
    if call.name == "ls":
        return "\n".join(entry.name for entry in path.iterdir()), False
    text = path.read_text()
    if call.name == "read":
        return text, False
    assert call.name == "edit"
    assert text.count(arguments["old_string"]) == 1
    path.write_text(text.replace(arguments["old_string"], arguments["new_string"]))
    return "edited", False


def play_script(folder: Path, prompt: str) -> str:
    """Run one agent and its subagents to the end; return its last text."""
    messages: list[JsonValue] = [{"role": "user", "content": prompt}]
    while (plan := make_demo_reply({"messages": messages})).calls:
        results: list[JsonValue] = []
        for call in plan.calls:
            text, failed = execute_call(folder, call)
            results.append({"type": "tool_result", "content": text, "is_error": failed})
        messages.append({"role": "user", "content": results})
    return plan.text


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    create_repository(tmp_path)
    return tmp_path


def test_the_repository_is_clean_with_one_failing_test(repository: Path) -> None:
    assert run_command(repository, "git status --porcelain").stdout == ""
    tests = run_command(repository, "python3 -m unittest -q")
    assert tests.returncode == 1
    assert "FAILED (failures=1)" in tests.stdout


def test_the_script_fixes_the_bug_and_commits_it(
    repository: Path,
) -> None:
    assert play_script(repository, DEMO_PROMPT) == SUMMARY
    assert run_command(repository, "python3 -m unittest -q").returncode == 0
    assert run_command(repository, "git status --porcelain").stdout == ""
    assert run_command(repository, "git log --oneline").stdout.count("\n") == 2


def test_the_users_git_settings_do_not_affect_the_repository(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere = tmp_path / "elsewhere"
    monkeypatch.setenv("GIT_DIR", str(elsewhere))
    settings = tmp_path / "gitconfig"
    settings.write_text("[commit]\n gpgSign = true\n[core]\n hooksPath = /\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(settings))
    folder = tmp_path / "demo"
    create_repository(folder)
    assert (folder / ".git" / "HEAD").exists()
    assert not elsewhere.exists()

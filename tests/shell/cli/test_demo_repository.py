"""The stage and the script of the demo, played against each other with the simplest of tools."""

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
    """Do what a call says; return its text and whether it failed."""
    arguments = {name: str(value) for name, value in call.input.items()}
    if call.name == "bash":
        done = run_command(folder, arguments["command"])
        return done.stdout, done.returncode != 0
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
    """Let one agent play to its end, and those that it starts; return its last words."""
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


def test_the_stage_is_a_clean_repository_with_exactly_one_failing_test(repository: Path) -> None:
    assert run_command(repository, "git status --porcelain").stdout == ""
    tests = run_command(repository, "python3 -m unittest -q")
    assert tests.returncode == 1
    assert "FAILED (failures=1)" in tests.stdout


def test_the_script_finds_and_mends_the_fault_and_leaves_the_stage_green_and_clean(
    repository: Path,
) -> None:
    assert play_script(repository, DEMO_PROMPT) == SUMMARY
    assert run_command(repository, "python3 -m unittest -q").returncode == 0
    assert run_command(repository, "git status --porcelain").stdout == ""
    assert run_command(repository, "git log --oneline").stdout.count("\n") == 2


def test_the_users_own_git_settings_and_variables_do_not_reach_the_stage(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere = tmp_path / "elsewhere"
    monkeypatch.setenv("GIT_DIR", str(elsewhere))
    settings = tmp_path / "gitconfig"
    settings.write_text("[commit]\n gpgSign = true\n[core]\n hooksPath = /\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(settings))
    stage = tmp_path / "stage"
    create_repository(stage)
    assert (stage / ".git" / "HEAD").exists()
    assert not elsewhere.exists()

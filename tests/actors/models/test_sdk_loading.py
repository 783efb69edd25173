"""The SDK takes longer to load than the whole program: it must wait until it is needed."""

import subprocess
import sys


def test_importing_the_model_side_does_not_load_the_sdk() -> None:
    loaded = list_modules_loaded_by("actors.models.scripted_model, actors.models.demo_script")
    assert "anthropic" not in loaded


def test_a_run_without_a_screen_loads_nothing_of_one() -> None:
    loaded = list_modules_loaded_by(
        "shell.headless.headless_console, shell.cli.launch_config, shell.process.stall_handler, actors.wiring.session_setup, actors.supervisor.supervisor"
    )
    assert loaded & {"prompt_toolkit", "rich", "anthropic", "tree_sitter"} == set()


def test_the_first_screen_waits_for_no_actor_that_comes_after_it() -> None:
    loaded = list_modules_loaded_by(
        "shell.cli.launch_config, shell.console.console, shell.cli.front_end, shell.repl.repl"
    )
    assert "actors.wiring.session_setup" in loaded
    late = {"actors.agents.agent", "actors.permissions.engine", "actors.wiring.wiring", "anthropic"}
    assert loaded & late == set()


def list_modules_loaded_by(modules: str) -> set[str]:
    code = f"import sys, {modules}; print(*sys.modules)"
    told = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    return set(told.stdout.split())

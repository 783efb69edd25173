"""Which modules are imported at the start; the SDK takes longer than the whole program."""

import subprocess
import sys


def test_importing_the_scripted_model_does_not_import_the_sdk() -> None:
    loaded = list_modules_loaded_by("actors.models.scripted_model, actors.models.demo_script")
    assert "anthropic" not in loaded


def test_a_headless_run_imports_no_screen_modules() -> None:
    loaded = list_modules_loaded_by(
        "shell.headless.headless_console, shell.headless.main_loop, shell.cli.launch_config, "
        "shell.process.stall_handler, actors.wiring.session_setup, actors.wiring.wiring, "
        "actors.supervisor.supervisor"
    )
    assert (
        loaded
        & {
            "prompt_toolkit",
            "rich",
            "anthropic",
            "tree_sitter",
            "actors.models.scripted_model",
        }
        == set()
    )


def test_the_first_screen_does_not_import_agents_or_permissions() -> None:
    loaded = list_modules_loaded_by(
        "shell.cli.launch_config, shell.console.console, "
        "shell.cli.interactive_session, shell.repl.repl"
    )
    assert "actors.wiring.session_setup" in loaded
    deferred = {
        "actors.agents.agent",
        "actors.permissions.engine",
        "actors.wiring.wiring",
        "anthropic",
    }
    assert loaded & deferred == set()


def test_the_first_request_needs_a_small_part_of_the_sdk() -> None:
    loaded = list_modules_loaded_by("actors.models.anthropic_client as client; client.load_sdk()")
    assert "anthropic._base_client" in loaded
    assert sum(name.startswith("anthropic.") for name in loaded) < 100, "it has over 2,000"


def list_modules_loaded_by(modules: str) -> set[str]:
    code = f"import sys, {modules}; print(*sys.modules)"
    result = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True
    )
    return set(result.stdout.split())

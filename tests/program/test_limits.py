"""The user's limits end the work with status 3 and keep what was done so far."""

import signal

import pytest
from pydantic import JsonValue

from actors.models.scripted_reply import ScriptedCall
from tests.program.preloaded_program import PreloadedProgram
from tests.program.program_harness import STREAM_JSON, YOLO, Program, request_messages, single_error
from tests.program.repl_harness import open_repl
from tests.scripted_server import ScriptedResponse, respond_text, respond_tool_call

PROGRAM_TYPE = PreloadedProgram

JSON = ("--output-format", "json")


def endless_calls(count: int = 5) -> list[ScriptedResponse]:
    return [respond_text(f"Look {n}.", ScriptedCall("ls", {"path": "."})) for n in range(count)]


def test_the_turn_limit_keeps_the_last_text(program: Program) -> None:
    with program.serve(*endless_calls(), respond_text("Now I am done.")) as server:
        done = program.run("-p", "Go.", "--max-turns", "2", *JSON)
        request_count = len(server.requests)
        again = program.run("-p", "Go on.", "--continue", "--max-turns", "4", *JSON)

    assert (done.exit_status, request_count) == (3, 2)
    result = done.result
    assert (result["subtype"], result["stop_reason"]) == ("error", "max_turns")
    assert (result["num_turns"], result["result"]) == (2, "Look 1.")
    assert result["usage"]["requests"] == 2
    assert result["error"] == single_error(done)
    assert "--max-turns" in single_error(done)
    assert again.exit_status == 0, "a new prompt starts with all turns"
    assert len(request_messages(server)) > 5


def test_text_before_a_limit_goes_to_standard_output(program: Program) -> None:
    with program.serve(*endless_calls()):
        done = program.run("-p", "Go.", "--max-turns", "1")
    assert (done.exit_status, done.stdout) == (3, b"Look 0.\n")


def test_a_turn_that_ends_at_its_limit_succeeds(program: Program) -> None:
    with program.serve(*endless_calls(1), respond_text("Done.")):
        done = program.run("-p", "Go.", "--max-turns", "2")
    assert (done.exit_status, done.stdout, done.stderr) == (0, b"Done.\n", "")


def test_the_time_limit_ends_a_command(program: Program) -> None:
    with program.serve(
        respond_tool_call("bash", command="sleep 60"), respond_text("I see.")
    ) as server:
        done = program.run("-p", "Go.", *YOLO, "--time-limit", "4", *STREAM_JSON)
        again = program.run("-p", "And now?", "--continue")
    assert (done.exit_status, again.exit_status) == (3, 0)
    assert done.result["stop_reason"] == "time_limit"
    assert "--time-limit" in single_error(done)
    (ended,) = [line for line in done.json_lines if line["type"] == "tool_ended"]
    assert (ended["status"], "time limit ended the turn" in ended["text"]) == ("cancelled", True)
    assert "time limit ended the turn" in str(request_messages(server))


def test_a_token_budget_in_the_configuration_ends_the_run(program: Program) -> None:
    program.state_folder.mkdir()
    (program.state_folder / "config.toml").write_text("[budget]\ntokens = 1\n")
    with program.serve(*endless_calls()):
        done = program.run("-p", "Go.", *JSON)
    assert (done.exit_status, done.result["stop_reason"]) == (3, "token_budget")
    assert done.result["num_turns"] == 1


def test_weights_and_prices_in_the_configuration_are_used(program: Program) -> None:
    program.state_folder.mkdir()
    kinds = "input = 1\noutput = 1\ncache_read = 1\ncache_write = 1\n"
    (program.state_folder / "config.toml").write_text(
        f"[budget]\ntokens = 1\n[weights]\n{kinds.replace('1', '0')}[prices.opus]\n{kinds}"
    )
    with program.serve(*endless_calls(2), respond_text("Done.")):
        done = program.run("-p", "Go.", "--model", "opus", *JSON)
    usage = done.result["usage"]
    tokens = sum(usage[f"{kind}put_tokens"] for kind in ("in", "out"))
    assert (done.exit_status, done.result["num_turns"]) == (0, 3), "no token has any weight"
    assert usage["cost"] == pytest.approx(tokens / 1_000_000)


@pytest.mark.parametrize(
    ("budget", "stop_reason", "turn_count"),
    [("turns = 2", "max_turns", 2), ("seconds = 4", "time_limit", 1)],
)
def test_turn_and_time_budgets_in_the_configuration_end_the_run(
    program: Program, budget: str, stop_reason: str, turn_count: int
) -> None:
    program.state_folder.mkdir()
    (program.state_folder / "config.toml").write_text(f"[budget]\n{budget}\n")
    command = "sleep 60" if stop_reason == "time_limit" else "true"
    with program.serve(*[respond_tool_call("bash", command=command)] * 3):
        done = program.run("-p", "Go.", *YOLO, *JSON)
    assert (done.exit_status, done.result["stop_reason"]) == (3, stop_reason)
    assert done.result["num_turns"] == turn_count
    assert f"{budget.partition(' ')[0]} in [budget]" in single_error(done)


def test_a_spawn_budget_ends_a_run_and_offers_no_tasks(program: Program) -> None:
    program.state_folder.mkdir()
    config = program.state_folder / "config.toml"
    config.write_text("[budget]\nspawns = 1\n")
    task: dict[str, JsonValue] = {"description": "x", "prompt": "x", "subagent_type": "general"}
    tasks = (ScriptedCall("task", task), ScriptedCall("task", task))
    with program.serve(respond_text("", *tasks), respond_text("One."), respond_text("Two.")):
        done = program.run("-p", "Go.", *JSON)
    assert (done.exit_status, done.result["stop_reason"]) == (3, "spawn_budget")
    assert "spawns in [budget]" in single_error(done)

    config.write_text("[budget]\nspawns = 0\n")
    with program.serve(respond_text("Done.")) as server:
        done = program.run("-p", "Go.", *JSON)
    assert done.exit_status == 0
    assert '"name":"task"' not in server.requests[0].raw_body.decode().replace(": ", ":")


def test_a_limit_asks_in_a_terminal_and_again_after_a_resume(program: Program) -> None:
    options = ("--max-turns", "1")
    dumb = {"TERM": "dumb"}
    with program.serve(*endless_calls(1), respond_text("Now I am done.")) as server:
        with open_repl(program, "Go.", *options, environment=dumb) as terminal:
            terminal.wait_for_text("reply 1 2")
            assert "Continue with another 1 request" in terminal.read_scrollback()
            terminal.send_signal(signal.SIGKILL)
            terminal.wait_for_exit()
        assert len(server.requests) == 1
        with open_repl(program, "--continue", *options, environment=dumb) as terminal:
            terminal.wait_for_text("reply 1 2")
            assert len(server.requests) == 1
            terminal.type("reply 1 1\n")
            terminal.wait_for_text("Now I am done.")
            terminal.type("/quit\n")
            assert terminal.wait_for_exit() == 0
    assert program.record_types().count("turn_completed") == 1


@pytest.mark.parametrize(
    "arguments", [("--max-turns", "0"), ("--max-turns", "x"), ("--time-limit", "-1")]
)
def test_an_invalid_limit_is_an_error(program: Program, arguments: tuple[str, str]) -> None:
    done = program.run("-p", "Go.", *arguments)
    assert (done.exit_status, done.stdout) == (2, b"")
    assert arguments[0] in single_error(done)

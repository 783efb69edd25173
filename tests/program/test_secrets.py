"""Keys in the environment reach neither the model nor the disk, and commands cannot read ours."""

import sys
from pathlib import Path

import pytest

from tests.program.program_harness import API_KEY, YOLO, Program, request_messages, tool_results
from tests.scripted_server import respond_text, respond_tool_call

SECRETS = {
    "GITHUB_TOKEN": "a-token-of-github-1",
    "AWS_SECRET_ACCESS_KEY": "wJalrXUtnFEMI/K7MDENG",
    "MY_PASSWORD": 'quoted "pass" 1',
    "SERVICE_URL": "https://me:url-passw0rd@host/",
}
VALUES = ("a-token-of-github-1", "wJalrXUtnFEMI/K7MDENG", 'quoted "pass" 1', "url-passw0rd")


def read_all_files(folder: Path) -> str:
    return "".join(path.read_text() for path in folder.rglob("*") if path.is_file())


def test_keys_of_the_environment_reach_neither_model_nor_disk(program: Program) -> None:
    (program.repository / "notes").write_text("\n".join(VALUES))
    calls = (
        respond_tool_call("bash", command="env; seq 100000; env"),
        respond_tool_call("read", path="notes"),
        respond_tool_call("bash", command='test "$MY_PASSWORD" = \'quoted "pass" 1\' && echo kept'),
    )
    with program.serve(*calls, respond_text("Done.")) as server:
        environment = {**SECRETS, "GREENROOM_LOG": "debug"}
        done = program.run("-p", f"Use {VALUES[0]}.", *YOLO, environment=environment)
        exported = program.run("sessions", "export", program.session_file.stem)
    assert done.exit_status == exported.exit_status == 0
    sent = "".join(request.raw_body.decode() for request in server.requests)
    stored = read_all_files(program.state_folder) + exported.stdout.decode()
    for text in (sent, stored):
        assert "GITHUB_TOKEN=[secret]" in text
        assert "https://me:[secret]@host/" in text
        for value in (*VALUES, 'quoted \\"pass\\" 1'):
            assert value not in text
    results = [result for message in request_messages(server) for result in tool_results(message)]
    assert results[-1][0] == "kept"


@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")
def test_no_command_reads_the_providers_key_from_our_process(program: Program) -> None:
    parent = "cut -d' ' -f4 /proc/$1/stat"
    command = (
        f"up() {{ {parent}; }}; pid=$$; for level in 1 2 3; do pid=$(up $pid); "
        "tr '\\0' '\\n' < /proc/$pid/environ | rev; done; echo ended at $pid; env | rev"
    )
    with program.serve(respond_tool_call("bash", command=command), respond_text("Done.")) as server:
        running = program.start("-p", "Look.", *YOLO)
        done = running.wait()
    assert done.exit_status == 0
    ((text, failed),) = tool_results(request_messages(server)[-1])
    assert not failed
    assert f"ended at {running.process.pid}" in text
    assert API_KEY[::-1] not in text

"""Runs the real program as a process, with its own folders and a scripted model server."""

import os
import re
import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from pydantic_core import from_json

from actors.sessions.log_reader import read_log
from messages.base import Message
from tests.scripted_server import ScriptedResponse, ScriptedServer

ROOT = Path(__file__).parents[2]
COMMAND = (sys.executable, "-P", str(ROOT / "shell" / "_boot.py"))
"""`-P` as for an installed command: the script's folder is not on the import path."""
TIMEOUT_S = 20.0
API_KEY = "sk-ant-a-key-that-must-stay-secret"
YOLO = ("--permission-mode", "yolo")
STREAM_JSON = ("--output-format", "stream-json")

Json = dict[str, Any]


@dataclass(frozen=True)
class CompletedRun:
    """A run that has ended."""

    exit_status: int
    stdout: bytes
    stderr: str

    @property
    def result(self) -> Json:
        """The result object: the last line."""
        return self.json_lines[-1]

    @property
    def json_lines(self) -> list[Json]:
        return [from_json(line) for line in self.stdout.splitlines()]

    @property
    def denial_reasons(self) -> list[str]:
        return [denial["reason"] for denial in self.result["denials"]]


def make_repository(folder: Path) -> None:
    """Create a minimal git repository without running git."""
    (folder / ".git").mkdir(parents=True)
    (folder / ".git" / "HEAD").write_text("ref: refs/heads/main\n")


@dataclass
class Program:
    """Starts the program in its own git repository, with a scripted model server."""

    folder: Path
    server: ScriptedServer | None = None
    started: "list[RunningProgram]" = field(default_factory=list["RunningProgram"])

    @classmethod
    def in_folder(cls, folder: Path) -> Self:
        program = cls(folder.resolve())
        make_repository(program.repository)
        (folder / "user").mkdir()
        return program

    @property
    def state_folder(self) -> Path:
        return self.folder / "state"

    @property
    def repository(self) -> Path:
        return self.folder / "repository"

    def environment(self, **changes: str | None) -> dict[str, str]:
        """Return the program's environment; None removes a variable."""
        variables: dict[str, str | None] = {
            "PATH": os.environ["PATH"],
            "PYTHONPATH": str(ROOT),
            "HOME": str(self.folder / "user"),
            "LANG": "C.UTF-8",
            "GREENROOM_HOME": str(self.state_folder),
            # Approval requests must not depend on what is installed on the machine.
            "GREENROOM_SANDBOX": "off",
        }
        if self.server is not None:
            variables |= {"ANTHROPIC_BASE_URL": self.server.base_url, "ANTHROPIC_API_KEY": API_KEY}
        return {name: value for name, value in (variables | changes).items() if value is not None}

    def serve(self, *responses: ScriptedResponse) -> ScriptedServer:
        """Use a new model server with these responses; enter it as a context manager."""
        self.server = ScriptedServer(*responses)
        return self.server

    def run(
        self,
        *arguments: str | bytes,
        stdin: bytes | int = subprocess.DEVNULL,
        cwd: Path | None = None,
        environment: Mapping[str, str | None] | None = None,
    ) -> CompletedRun:
        """Run to the end; `stdin` is piped input or a descriptor."""
        piped = stdin if isinstance(stdin, bytes) else None
        descriptor = subprocess.PIPE if isinstance(stdin, bytes) else stdin
        running = self.start(*arguments, stdin=descriptor, cwd=cwd, environment=environment)
        return running.wait(stdin=piped)

    def start(
        self,
        *arguments: str | bytes,
        command: Sequence[str] = COMMAND,
        stdin: int = subprocess.DEVNULL,
        stdout: int = subprocess.PIPE,
        cwd: Path | None = None,
        environment: Mapping[str, str | None] | None = None,
    ) -> "RunningProgram":
        """Start the program, or another command in its environment, without waiting for it."""
        process = subprocess.Popen(
            [*command, *arguments],
            cwd=cwd or self.repository,
            env=self.environment(**(environment or {})),
            stdin=stdin,
            stdout=stdout,
            stderr=subprocess.PIPE,
        )
        self.started.append(RunningProgram(process))
        return self.started[-1]

    def clean_up(self) -> None:
        for running in self.started:
            running.kill()

    @property
    def session_files(self) -> list[Path]:
        """The session files, sorted by name, which is oldest first."""
        return sorted(self.state_folder.glob("projects/*/*.jsonl"))

    @property
    def session_file(self) -> Path:
        """The only session file."""
        (path,) = self.session_files
        return path

    def records(self) -> list[Message]:
        """Read the only session and check that its file is intact."""
        contents = read_log(self.session_file)
        assert contents.torn == b""
        return [line.message for line in contents.lines]

    def record_types(self) -> list[str]:
        return [record.model_dump()["type"] for record in self.records()]


@dataclass
class RunningProgram:
    """The program while it runs."""

    process: subprocess.Popen[bytes]

    def wait_for(self, text: str) -> str:
        """Read standard output until it contains `text`, or fail."""
        assert self.process.stdout is not None
        deadline_s = now_s() + TIMEOUT_S
        with selectors.DefaultSelector() as selector:
            selector.register(self.process.stdout, selectors.EVENT_READ)
            seen = b""
            while text.encode() not in seen:
                assert selector.select(deadline_s - now_s()), f"no {text!r} in {seen!r}"
                part = os.read(self.process.stdout.fileno(), 65536)
                assert part, f"it ended without {text!r}: {seen!r}"
                seen += part
        return seen.decode()

    def read_line_and_close(self) -> bytes:
        """Read a line and close the pipe, as `head -1` does."""
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        self.process.stdout.close()
        self.process.stdout = None
        return line

    def send_signal(self, number: signal.Signals) -> None:
        self.process.send_signal(number)

    def wait(self, within_s: float = TIMEOUT_S, stdin: bytes | None = None) -> CompletedRun:
        """Wait until the program ends, or fail."""
        out, err = self.process.communicate(stdin, timeout=within_s)
        return CompletedRun(self.process.returncode, out or b"", err.decode())

    def kill(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            if stream is not None:
                stream.close()
        self.process.wait(TIMEOUT_S)


class CommandWatch:
    """A fifo that a command keeps open, which shows when it runs and when it has ended."""

    def __init__(self, path: Path) -> None:
        os.mkfifo(path)
        self.path = path
        self._descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)

    @property
    def report_start(self) -> str:
        """Shell commands that report the start and keep the fifo open until the shell ends."""
        return f"exec 3>{self.path}; echo at work >&3"

    def wait_for_output(self) -> str:
        """Wait until the command writes, or fail."""
        return self._read() or self._fail("it was closed without output")

    def wait_for_close(self, within_s: float = TIMEOUT_S) -> None:
        """Wait until no process has the other end open, or fail."""
        # A fifo that was never opened for writing never reports its end.
        os.close(os.open(self.path, os.O_WRONLY | os.O_NONBLOCK))
        while self._read(within_s):
            pass

    def close(self) -> None:
        os.close(self._descriptor)

    def _read(self, within_s: float = TIMEOUT_S) -> str:
        with selectors.DefaultSelector() as selector:
            selector.register(self._descriptor, selectors.EVENT_READ)
            if not selector.select(within_s):
                self._fail(f"still open after {within_s} s")
        return os.read(self._descriptor, 65536).decode()

    @staticmethod
    def _fail(reason: str) -> str:
        raise AssertionError(reason)


def now_s() -> float:
    return time.perf_counter()


def is_valid_history(messages: Sequence[Json]) -> bool:
    """Check that roles alternate and each call is answered next, as the Messages API requires."""
    assert [m["role"] for m in messages] == ["user", "assistant"] * (len(messages) // 2) + ["user"]
    for assistant, user in zip(messages[1::2], messages[2::2], strict=True):
        ids = [block["id"] for block in assistant["content"] if block["type"] == "tool_use"]
        results = [b["tool_use_id"] for b in user["content"] if b["type"] == "tool_result"]
        assert results == ids
        assert [b["type"] for b in user["content"][: len(ids)]] == ["tool_result"] * len(ids)
    return True


def request_messages(server: ScriptedServer, request: int = -1) -> list[Json]:
    """Return the conversation of one request, by default the last, without environments."""
    body: Json = server.requests[request].body
    messages: list[Json] = body["messages"]
    assert is_valid_history(messages)
    return [
        {**message, "content": [block for block in message["content"] if not is_environment(block)]}
        for message in messages
    ]


def is_environment(block: Json) -> bool:
    """Return whether a block describes the environment of a prompt."""
    return str(block.get("text")).startswith("<env>\n")


def tool_results(message: Json) -> list[tuple[str, bool]]:
    """Return the tool results of a message: text, and whether it is an error."""
    blocks = [block for block in message["content"] if block["type"] == "tool_result"]
    return [(content_text(block["content"]), block["is_error"]) for block in blocks]


def content_text(content: str | list[dict[str, str]]) -> str:
    """Return the text of a message's content."""
    if isinstance(content, str):
        return content
    return "".join(part.get("text", "") for part in content)


def single_error(done: CompletedRun) -> str:
    """Return the only line on standard error."""
    lines = done.stderr.splitlines()
    assert len(lines) == 1, done.stderr
    match = re.fullmatch("greenroom: (.+)", lines[0])
    assert match, done.stderr
    return match[1]

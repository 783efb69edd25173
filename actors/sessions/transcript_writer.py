"""Each subagent's part of a session in a file of its own, to be read; the session file counts."""

import logging
import os
from collections import defaultdict
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from messages.address import PRIMARY, Address, is_subagent
from messages.journal import Record
from messages.serialization import encode
from messages.subagents import SubagentEnded, SubagentStarted

log = logging.getLogger("greenroom.journal")

_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW


class TranscriptWriter:
    """Writes them beside the session file; what goes wrong is logged and keeps nobody waiting."""

    def __init__(self, folder: Path) -> None:
        """`folder` is the session's own, and made with its first subagent."""
        self._folder = folder
        self._gathered: defaultdict[Address, list[Record]] = defaultdict(list)

    def add(self, records: Iterable[tuple[Record, Address]]) -> bool:
        """Gather records, each for the agent that it is about; True: these are the first."""
        first = not self._gathered
        for record, by in records:
            agent = find_transcript_owner(record, by)
            if agent is not None:
                self._gathered[agent].append(record)
        return first and bool(self._gathered)

    def write(self, max_agents: int | None = None) -> bool:
        """Write what was gathered, of so many agents at most; True: there is more."""
        for agent in list(self._gathered)[:max_agents]:
            part = self._gathered.pop(agent)
            try:
                self._write(agent, b"".join(encode(record) + b"\n" for record in part))
            except (OSError, ValueError):
                log.warning("the transcript of %s is not complete", agent, exc_info=True)
        return bool(self._gathered)

    def _write(self, agent: Address, data: bytes) -> None:
        path = self._folder / f"agent-{make_transcript_id(agent)}.jsonl"
        descriptor = self._open(path)
        try:
            os.write(descriptor, data)
        finally:
            os.close(descriptor)

    def _open(self, path: Path) -> int:
        with suppress(FileNotFoundError):
            return os.open(path, _FLAGS, 0o600)
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return os.open(path, _FLAGS, 0o600)


def find_transcript_owner(record: Record, by: Address) -> Address | None:
    """Say in whose transcript a record belongs; None: in no subagent's.

    What begins it, with its parent, depth and type, is its parent's record and its own first line.
    """
    agent = record.child if isinstance(record, SubagentStarted | SubagentEnded) else by
    return agent if is_subagent(agent) else None


def make_transcript_id(agent: Address) -> str:
    """Name a subagent in a file name: its path below the primary."""
    return ".".join(agent.segments[len(PRIMARY.segments) :])

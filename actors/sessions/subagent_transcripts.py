"""Writes each subagent's records to a separate file for reading; nothing is restored from these."""

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
    """Writes transcripts next to the session file; an error is logged and delays nothing."""

    def __init__(self, folder: Path) -> None:
        """Create a writer; the session's own `folder` is created with its first subagent."""
        self._folder = folder
        self._pending: defaultdict[Address, list[Record]] = defaultdict(list)

    def add(self, records: Iterable[tuple[Record, Address]]) -> bool:
        """Add records and their authors; return whether these are the first ones pending."""
        was_empty = not self._pending
        for record, author in records:
            agent = find_transcript_owner(record, author)
            if agent is not None:
                self._pending[agent].append(record)
        return was_empty and bool(self._pending)

    def write(self, max_agents: int | None = None) -> bool:
        """Write the pending records of at most `max_agents`; return whether there are more."""
        for agent in list(self._pending)[:max_agents]:
            records = self._pending.pop(agent)
            try:
                self._write(agent, b"".join(encode(record) + b"\n" for record in records))
            except (OSError, ValueError):
                log.warning("the transcript of %s is incomplete", agent, exc_info=True)
        return bool(self._pending)

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


def find_transcript_owner(record: Record, author: Address) -> Address | None:
    """Return the subagent whose transcript a record belongs to; None if it belongs to none.

    A subagent's start and end are recorded by its parent, but belong to its own transcript.
    """
    agent = record.child if isinstance(record, SubagentStarted | SubagentEnded) else author
    return agent if is_subagent(agent) else None


def make_transcript_id(agent: Address) -> str:
    """Return a subagent's name for file names: its path under the primary agent."""
    return ".".join(agent.segments[len(PRIMARY.segments) :])

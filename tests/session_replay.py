"""Derives a run from its session file alone: every model request that got an outcome."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import JsonValue

from actors.agents.turn.conversation_history import ConversationHistory
from actors.sessions.log_reader import read_log
from messages.address import Address
from messages.journal import RequestPrefix
from messages.turns import RequestOutcome


@dataclass(frozen=True)
class DerivedRequest:
    """A model request as the session file describes it."""

    agent: Address
    number: int
    outcome: RequestOutcome
    sent_at_s: float
    """Seconds since 1970."""
    body: dict[str, JsonValue]
    """The fields of the request that decide the reply."""


def get_described_fields(sent: dict[str, Any]) -> dict[str, JsonValue]:
    """Return the fields of a request, as it was sent, that the session file describes."""
    names = ("model", "max_tokens", "tools", "messages")
    system = "".join(block["text"] for block in sent["system"])
    effort = sent.get("output_config", {}).get("effort")
    return {"system": system, "effort": effort, **{name: sent[name] for name in names}}


def derive_requests(session_file: Path) -> Iterator[DerivedRequest]:
    """Yield the requests in the order of their outcomes."""
    prefixes: dict[str, RequestPrefix] = {}
    histories: defaultdict[Address, ConversationHistory] = defaultdict(ConversationHistory)
    for line in read_log(session_file).lines:
        record, history = line.message, histories[line.recorded_by]
        if isinstance(record, RequestPrefix):
            prefixes[record.id] = record
        if isinstance(record, RequestOutcome) and record.request.number:
            request, prefix = record.request, prefixes[record.request.prefix]
            body: dict[str, JsonValue] = {
                "model": prefix.model,
                "max_tokens": request.max_tokens,
                "effort": request.effort,
                "system": prefix.system,
                "tools": list(prefix.tools),
                "messages": list(history.build_messages(prefix.id)),
            }
            sent_at_s = line.time_s - request.duration_s
            yield DerivedRequest(line.recorded_by, request.number, record, sent_at_s, body)
        history.add(record)

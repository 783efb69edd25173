"""The prefixes of an agent's model requests: which one to send, and which ones are recorded."""

from collections.abc import Iterable, Iterator
from hashlib import sha256

from pydantic import JsonValue
from pydantic_core import to_json

from actors.agents.definition.prepared_agent import PreparedAgent
from actors.tools.toolbox import build_schema
from messages.journal import Record, RequestPrefix
from messages.turns import RequestOutcome


class RequestPrefixes:
    """Model, system prompt and tools of one agent's requests."""

    def __init__(self) -> None:
        """Start without any recorded prefix."""
        self._by_id: dict[str, RequestPrefix] = {}
        self._by_agent: dict[tuple[str, str], RequestPrefix] = {}
        """The prefix of each agent definition and model, for the next request."""
        self._recorded_ids: set[str] = set()

    def add_recorded(self, record: Record) -> None:
        """Learn a prefix from the session file; other records are ignored."""
        if isinstance(record, RequestPrefix):
            self._by_id.setdefault(record.id, record)
            self._recorded_ids.add(record.id)

    def choose(self, agent: PreparedAgent, model: str, loop_prefix: str) -> RequestPrefix:
        """Return the prefix of the next request.

        An unfinished turn keeps the system prompt and the tools of its replies, whatever has
        changed since, because the model may accept its own thinking only after the same ones.
        """
        unchanged = self._by_id.get(loop_prefix)
        if unchanged is None:
            key = (agent.name, model)
            if key not in self._by_agent:
                tools = tuple(build_schema(tool) for tool in agent.offered_tools)
                self._by_agent[key] = make_prefix(model, agent.system_prompt, tools)
            prefix = self._by_agent[key]
        elif unchanged.model == model:
            prefix = unchanged
        else:
            prefix = make_prefix(model, unchanged.system, unchanged.tools)
        return self._by_id.setdefault(prefix.id, prefix)

    def add_unrecorded(self, records: Iterable[Record]) -> Iterator[Record]:
        """Yield the records, each prefix that they refer to before its first mention."""
        for record in records:
            if isinstance(record, RequestOutcome):
                prefix = self._by_id.get(record.request.prefix)
                if prefix is not None and prefix.id not in self._recorded_ids:
                    self._recorded_ids.add(prefix.id)
                    yield prefix
            yield record


def make_prefix(model: str, system: str, tools: tuple[dict[str, JsonValue], ...]) -> RequestPrefix:
    """Return a prefix, with its fingerprint as id."""
    fingerprint = get_prefix_id(model, system, tools)
    # Not validated, because that would copy the schemas, which all agents share.
    return RequestPrefix.model_construct(id=fingerprint, model=model, system=system, tools=tools)


def get_prefix_id(model: str, system: str, tools: tuple[dict[str, JsonValue], ...]) -> str:
    """Return the fingerprint of a prefix."""
    return sha256(to_json((model, system, tools))).hexdigest()[:16]

"""The conversation as the Messages API wants it, built from the records alone."""

from dataclasses import dataclass, field

from pydantic import JsonValue

from messages.base import Message
from messages.content import Block, ToolUseBlock
from messages.turns import (
    ReplyCompleted,
    ToolEnded,
    TurnFailed,
    TurnInterrupted,
    TurnStarted,
)

Json = dict[str, JsonValue]

INTERRUPTED = "[The user interrupted the turn here.]"
NO_RESULT = "No result was recorded for this call; its outcome is unknown."


@dataclass
class History:
    """Grows by records, never changes what is there: the prefix stays the same to the byte."""

    messages: list[Json] = field(default_factory=list[Json])
    _open: list[str] = field(default_factory=list[str])
    """Ids of the last reply's calls, in their order, until they are all answered."""
    _results: dict[str, Json] = field(default_factory=dict[str, Json])

    def add(self, record: Message) -> None:
        """Take in a record; those that say nothing to the model are passed over."""
        match record:
            case TurnStarted():
                self._say("user", {"type": "text", "text": record.prompt})
            case ReplyCompleted():
                self._reply(record)
            case ToolEnded():
                self._result(record)
            case TurnInterrupted():
                self._partial(record.partial)
                self._say("user", {"type": "text", "text": INTERRUPTED})
            case TurnFailed():
                self._partial(record.partial)
            case _:
                pass

    def _reply(self, reply: ReplyCompleted) -> None:
        self._answer_open()
        self._say("assistant", *(as_sent(block) for block in reply.content))
        self._open = [block.id for block in reply.content if isinstance(block, ToolUseBlock)]

    def _result(self, ended: ToolEnded) -> None:
        result: Json = {
            "type": "tool_result",
            "tool_use_id": ended.call_id,
            "content": ended.text,
            "is_error": ended.status != "ok",
        }
        self._results[ended.call_id] = result
        if all(call_id in self._results for call_id in self._open):
            self._answer_open()

    def _answer_open(self) -> None:
        """Put the results in the order of their calls; none is left out, whatever happened."""
        results = [self._results.get(call_id) or _unknown(call_id) for call_id in self._open]
        self._open, self._results = [], {}
        self._say("user", *results)

    def _partial(self, text: str) -> None:
        self._answer_open()
        if text:
            self._say("assistant", {"type": "text", "text": text})

    def _say(self, role: str, *content: Json) -> None:
        """Add content; neighbours of one role are one message, as the API has it."""
        if role == "user" and self._open:
            self._answer_open()
        if not content:
            return
        last = self.messages[-1] if self.messages else None
        if last is not None and last["role"] == role and isinstance(last["content"], list):
            last["content"].extend(content)
        else:
            self.messages.append({"role": role, "content": list(content)})


def as_sent(block: Block) -> Json:
    """Write a block as the API takes it back, thinking and signature verbatim."""
    if isinstance(block, ToolUseBlock):
        return {"type": "tool_use", "id": block.id, "name": block.name, "input": block.input}
    return block.model_dump(mode="json")


def _unknown(call_id: str) -> Json:
    return {"type": "tool_result", "tool_use_id": call_id, "content": NO_RESULT, "is_error": True}

"""The conversation as the Messages API wants it, built from the records alone."""

from dataclasses import dataclass, field

from pydantic import JsonValue

from messages.base import Message
from messages.content import (
    ContentBlock,
    RedactedThinkingBlock,
    TextBlock,
    ThinkingBlock,
    ToolUseBlock,
)
from messages.turns import (
    AgentSwitched,
    ReplyCompleted,
    ToolEnded,
    TurnFailed,
    TurnInterrupted,
    TurnStarted,
)

Json = dict[str, JsonValue]

INTERRUPTED_NOTE = "[The user interrupted the turn here.]"
TRUNCATED_REPLY = "[The reply was cut off here; it never came to its end.]"
EMPTY_PROMPT = "[The user sent an empty message.]"
NO_OUTPUT = "(no output)"
NO_RESULT = "No result was recorded for this call; its outcome is unknown."


@dataclass
class ConversationHistory:
    """Grows by records, never changes what is there: the prefix stays the same to the byte.

    A neighbour of the same role is added to the last message as further blocks. That keeps the
    model's cache, which is a prefix of blocks; a request under way keeps the messages of its time.
    """

    messages: list[Json] = field(default_factory=list[Json])
    _open: list[str] = field(default_factory=list[str])
    """Ids of the last reply's calls, in their order, until they are all answered."""
    _notes: list[str] = field(default_factory=list[str])
    """What is said behind those answers."""
    _results: dict[str, Json] = field(default_factory=dict[str, Json])

    def add(self, record: Message) -> None:
        """Take in a record; those that say nothing to the model are passed over."""
        match record:
            case TurnStarted():
                self._say("user", to_text_block(record.prompt) or to_text_block(EMPTY_PROMPT))
            case ReplyCompleted():
                self._reply(record)
            case ToolEnded():
                self._result(record)
            case AgentSwitched():
                self._note(record.text)
            case TurnInterrupted():
                self._partial(record.partial_text)
                self._say("user", to_text_block(INTERRUPTED_NOTE))
            case TurnFailed():
                self._partial(record.partial_text)
                self._say(
                    "user",
                    to_text_block(TRUNCATED_REPLY) if to_text_block(record.partial_text) else {},
                )
            case _:
                pass

    def _note(self, text: str) -> None:
        """Say something for the user; where calls are open, behind their results."""
        if self._open:
            self._notes.append(text)
        else:
            self._say("user", to_text_block(text))

    def _reply(self, reply: ReplyCompleted) -> None:
        self._answer_open()
        self._say("assistant", *(to_api_block(block) for block in filter_sendable(reply.content)))
        self._open = [block.id for block in reply.content if isinstance(block, ToolUseBlock)]

    def _result(self, ended: ToolEnded) -> None:
        result: Json = {
            "type": "tool_result",
            "tool_use_id": ended.call_id,
            "content": ended.text or NO_OUTPUT,
            "is_error": ended.status != "ok",
        }
        self._results[ended.call_id] = result
        if all(call_id in self._results for call_id in self._open):
            self._answer_open()

    def _answer_open(self) -> None:
        """Put the results in the order of their calls; none is left out, whatever happened."""
        results = [self._results.get(call_id) or _unknown(call_id) for call_id in self._open]
        self._open, self._results = [], {}
        notes, self._notes = self._notes, []
        self._say("user", *results, *map(to_text_block, notes))

    def _partial(self, text: str) -> None:
        self._answer_open()
        self._say("assistant", to_text_block(text))

    def _say(self, role: str, *content: Json) -> None:
        """Add content; neighbours of one role are one message, as the API has it."""
        if role == "user" and self._open:
            self._answer_open()
        new: list[JsonValue] = [block for block in content if block]
        last = self.messages[-1] if self.messages else None
        if last is not None and last["role"] == role and isinstance(last["content"], list):
            self.messages[-1] = {"role": role, "content": [*last["content"], *new]}
        elif new:
            self.messages.append({"role": role, "content": new})


def to_text_block(text: str) -> Json:
    """Write words as a block; empty where there are none, which the API would refuse for good."""
    return {"type": "text", "text": text} if text.strip() else {}


def filter_sendable(content: tuple[ContentBlock, ...]) -> tuple[ContentBlock, ...]:
    """Leave out what the API sends but does not take back: blank text, and reasoning at the end."""
    kept = [block for block in content if not isinstance(block, TextBlock) or block.text.strip()]
    while kept and isinstance(kept[-1], ThinkingBlock | RedactedThinkingBlock):
        kept.pop()
    return tuple(kept)


def to_api_block(block: ContentBlock) -> Json:
    """Write a block as the API takes it back, thinking and signature verbatim."""
    if isinstance(block, ToolUseBlock):
        return {"type": "tool_use", "id": block.id, "name": block.name, "input": block.input}
    return block.model_dump(mode="json")


def _unknown(call_id: str) -> Json:
    return {"type": "tool_result", "tool_use_id": call_id, "content": NO_RESULT, "is_error": True}

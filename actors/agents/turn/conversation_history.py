"""The conversation in the form the Messages API expects, built only from records."""

from dataclasses import dataclass, field

from pydantic import JsonValue
from pydantic_core import from_json

from actors.agents.kinds.review_note import format_review_note
from actors.agents.turn.history_splice import get_blocks, is_cut, put_block_first, splice
from messages.base import Message
from messages.compaction import Compacted
from messages.content import (
    THINKING_TYPES,
    ContentBlock,
    RedactedThinkingBlock,
    TextBlock,
    ThinkingBlock,
    ToolUseBlock,
)
from messages.reviews import ReviewEnded
from messages.snapshots import ChangesUndone
from messages.steering import PromptDelivered
from messages.subagents import NotificationDelivered
from messages.turns import (
    AgentSwitched,
    ModelRetrying,
    ReplyCompleted,
    ToolEnded,
    TurnCompleted,
    TurnFailed,
    TurnInterrupted,
    TurnStarted,
)

Json = dict[str, JsonValue]

INTERRUPTED_NOTE = "[The user interrupted the turn here.]"
TRUNCATED_REPLY = "[The reply was cut off here and never completed.]"
DELIVERED_PROMPT = """\
[The user sent this message while you were working. Take it into account and continue.]

{prompt}"""
UNDO_NOTE = """\
[The user ran /undo, which reverted earlier changes to these files. Read them again before you \
edit them.]
{files}"""
REDO_NOTE = """\
[The user ran /redo, which restored changes to these files that /undo had reverted. Read them \
again before you edit them.]
{files}"""
MAX_UNDONE_FILES = 100
EMPTY_PROMPT = "[The user sent an empty message.]"
NO_OUTPUT = "(no output)"
NO_RESULT = "No result was recorded for this call; its outcome is unknown."


@dataclass
class ConversationHistory:
    """Grows with each record; only a compaction changes earlier content: the prefix is byte-stable.

    Content of the same role is appended to the last message as further blocks. That preserves the
    model's cache, which is a prefix of blocks; a request in progress keeps its own messages.

    The newest models accept thinking only if everything before it is unchanged. Each reply's
    thinking is therefore sent only with the prefix of its own request, and nothing is inserted
    before a reply to a request that may have been sent already.
    """

    messages: list[Json] = field(default_factory=list[Json])
    """The whole conversation, with the thinking of all replies."""
    loop_prefix: str = ""
    """Prefix of the replies of the unfinished turn, which its next request repeats; empty: none."""
    _reply_prefixes: dict[int, str] = field(default_factory=dict[int, str])
    """Prefix of each message that contains thinking, by its position."""
    _block: Json | None = None
    """The provider's block, which replaces the summary in requests with `_block_prefix`."""
    _block_prefix: str = ""
    _is_turn_open: bool = False
    _open_call_ids: list[str] = field(default_factory=list[str])
    """Calls of the last reply, in order, until all have a result."""
    _notes: list[str] = field(default_factory=list[str])
    """Text to add after the next results, or at the end of the turn."""
    _results: dict[str, Json] = field(default_factory=dict[str, Json])

    def add(self, record: Message) -> None:  # noqa: C901, PLR0912  (one case per record)
        """Add what a record says to the model; other records are ignored."""
        match record:
            case TurnStarted():
                self._end_turn()
                self._is_turn_open = True
                prompt = to_text_block(record.prompt) or to_text_block(EMPTY_PROMPT)
                texts = [record.environment, *(item.text for item in record.attachments)]
                blocks = [*map(to_text_block, texts), prompt if record.has_prompt else {}]
                self._append("user", *blocks)
            case ReplyCompleted():
                self._add_reply(record)
            case ModelRetrying(reason="thinking_rejected"):
                self._drop_thinking()
            case ModelRetrying(reason="compaction_rejected"):
                self._block = None
                self._drop_thinking()  # it was bound to the block
            case ToolEnded():
                self._add_result(record)
            case NotificationDelivered():
                self._append("user", to_text_block(record.text))
            case PromptDelivered():
                text = DELIVERED_PROMPT.format(prompt=record.prompt)
                self._append("user", to_text_block(text))
            case AgentSwitched():
                self._add_note(record.text)
            case ReviewEnded():
                self._add_note(format_review_note(record))
            case ChangesUndone():
                self._add_note(_format_undo_note(record))
            case Compacted():
                self._replace_earlier(record)
            case TurnCompleted():
                self._end_turn()
            case TurnInterrupted():
                self._add_partial_text(record.partial_text)
                self._append("user", to_text_block(INTERRUPTED_NOTE))
                self._end_turn()
            case TurnFailed():
                self._add_partial_text(record.partial_text)
                has_text = bool(to_text_block(record.partial_text))
                self._append("user", to_text_block(TRUNCATED_REPLY) if has_text else {})
                self._end_turn()
            case _:
                pass

    def build_messages(self, prefix: str) -> tuple[Json, ...]:
        """Return the messages of a request; thinking from another prefix is left out.

        The thinking that is sent was itself produced without the thinking that is left out. The
        same holds for a compaction block: with another prefix, its text is sent instead.
        """
        messages = list(self.messages)
        for position, reply_prefix in self._reply_prefixes.items():
            if reply_prefix != prefix:
                messages[position] = without_thinking(messages[position])
        if self._block is not None and self._block_prefix == prefix:
            messages = put_block_first(messages, self._block)
        return tuple(messages)

    def _add_note(self, text: str) -> None:
        """Add user text; during a turn, the model may already be replying to what came before."""
        if self._is_turn_open:
            self._notes.append(text)
        else:
            self._append("user", to_text_block(text))

    def _end_turn(self) -> None:
        self._is_turn_open, self.loop_prefix = False, ""
        self._close_open_calls()

    def _add_reply(self, reply: ReplyCompleted) -> None:
        if self._open_call_ids:
            self._close_open_calls()
        content = filter_sendable(reply.content)
        self._append("assistant", *map(to_api_block, content))
        if any(isinstance(block, ThinkingBlock | RedactedThinkingBlock) for block in content):
            self._reply_prefixes[len(self.messages) - 1] = reply.request.prefix
        self.loop_prefix = reply.request.prefix
        self._open_call_ids = [
            block.id for block in reply.content if isinstance(block, ToolUseBlock)
        ]

    def _drop_thinking(self) -> None:
        """Drop all thinking so far: the server has rejected it, or what came before it changes."""
        for position in self._reply_prefixes:
            self.messages[position] = without_thinking(self.messages[position])
        self._reply_prefixes.clear()

    def _replace_earlier(self, compacted: Compacted) -> None:
        """Replace the earlier messages, which the thinking of the others was bound to.

        A count that does not fit is ignored: an unshortened conversation is still a valid one.
        """
        if is_cut(self.messages, compacted.message_count):
            self._drop_thinking()
            self.messages = splice(self.messages, compacted)
            self._block = from_json(compacted.block) if compacted.block else None
            self._block_prefix = compacted.block_prefix

    def _add_result(self, ended: ToolEnded) -> None:
        result: Json = {
            "type": "tool_result",
            "tool_use_id": ended.call_id,
            "content": ended.text or NO_OUTPUT,
            "is_error": ended.status != "ok",
        }
        self._results[ended.call_id] = result
        if all(call_id in self._results for call_id in self._open_call_ids):
            self._close_open_calls()

    def _close_open_calls(self) -> None:
        """Append one result per open call, in the order of the calls; missing ones are unknown."""
        results = [
            self._results.get(call_id) or _build_unknown_result(call_id)
            for call_id in self._open_call_ids
        ]
        self._open_call_ids, self._results = [], {}
        notes, self._notes = self._notes, []
        self._append("user", *results, *map(to_text_block, notes))

    def _add_partial_text(self, text: str) -> None:
        self._close_open_calls()
        self._append("assistant", to_text_block(text))

    def _append(self, role: str, *content: Json) -> None:
        """Append content; consecutive content of one role becomes one message."""
        if role == "user" and self._open_call_ids:
            self._close_open_calls()
        blocks: list[JsonValue] = [block for block in content if block]
        last = self.messages[-1] if self.messages else None
        if last is not None and last["role"] == role and isinstance(last["content"], list):
            self.messages[-1] = {"role": role, "content": [*last["content"], *blocks]}
        elif blocks:
            self.messages.append({"role": role, "content": blocks})


def _format_undo_note(undone: ChangesUndone) -> str:
    files = "\n".join(undone.files[:MAX_UNDONE_FILES])
    if len(undone.files) > MAX_UNDONE_FILES:
        files = f"{files}\n… and {len(undone.files) - MAX_UNDONE_FILES} more"
    return (REDO_NOTE if undone.is_redo else UNDO_NOTE).format(files=files)


def to_text_block(text: str) -> Json:
    """Return a text block; nothing for blank text, which the API always rejects."""
    return {"type": "text", "text": text} if text.strip() else {}


def filter_sendable(content: tuple[ContentBlock, ...]) -> tuple[ContentBlock, ...]:
    """Drop blocks that the API sends but does not accept: blank text and trailing reasoning."""
    blocks = [block for block in content if not isinstance(block, TextBlock) or block.text.strip()]
    while blocks and isinstance(blocks[-1], ThinkingBlock | RedactedThinkingBlock):
        blocks.pop()
    return tuple(blocks)


def to_api_block(block: ContentBlock) -> Json:
    """Return a block as the API accepts it, thinking and signature verbatim."""
    if isinstance(block, ToolUseBlock):
        return {"type": "tool_use", "id": block.id, "name": block.name, "input": block.input}
    return block.model_dump(mode="json")


def without_thinking(message: Json) -> Json:
    """Return a reply without its thinking; it never ends in thinking, so something is left."""
    blocks: list[JsonValue] = [
        block for block in get_blocks(message) if block["type"] not in THINKING_TYPES
    ]
    return {**message, "content": blocks}


def _build_unknown_result(call_id: str) -> Json:
    return {"type": "tool_result", "tool_use_id": call_id, "content": NO_RESULT, "is_error": True}

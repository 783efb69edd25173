"""A model server for tests that binds each thinking block to what came before it.

The newest models accept a thinking block only after the same model, system prompt, tools and
messages; otherwise they answer 400. The signature is a digest of exactly these.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from hashlib import sha256
from typing import Any, cast

from pydantic_core import to_json

from actors.models.scripted_reply import ReplyPlan, StreamEvent, generate_events
from tests.scripted_server import (
    RecordedRequest,
    ScriptedResponse,
    ScriptedServer,
    respond_events,
    respond_http_error,
)

BINDING_BETA = "thinking-binding-controls-2026-08-01"
MISMATCH = (
    "{path}: Invalid `signature` in `thinking` block. The block is bound to a different "
    "conversation. Remove the block, or set `thinking.block_binding.prefix_mismatch_behavior` to "
    '"drop_block".'
)
COMPACTION_BETA = "compact-2026-09-04"
REMOTE_SUMMARY = "The provider's summary."
COMPACTION_USAGE = {"type": "compaction", "input_tokens": 70, "output_tokens": 7}
UNKNOWN_FIELD = "thinking.block_binding: Extra inputs are not permitted"
MISSING_BETA = "thinking.block_binding: This field requires the beta header."

Json = dict[str, Any]


class SigningServer(ScriptedServer):
    """Sends replies with signed thinking to requests whose thinking is valid.

    With `has_controls`, it drops invalid thinking when the request asks for it. Without, it rejects
    the request for asking, as a gateway does. With `compacts`, it announces compaction, and writes
    a block that is bound to model, system prompt and tools.
    """

    def __init__(
        self,
        *replies: ReplyPlan | ScriptedResponse,
        choose: Callable[[Json], ReplyPlan | ScriptedResponse] | None = None,
        has_controls: bool = False,
        compacts: bool = False,
    ) -> None:
        """Send `replies` in order, or what `choose` returns for the body of each request."""
        capabilities = {"compaction": {"supported": True, "summarize": {"supported": compacts}}}
        limits = {"max_input_tokens": 200_000, "max_tokens": 64_000, "capabilities": capabilities}
        json_header = {"content-type": "application/json"}
        super().__init__(
            respond=self._respond_and_close,
            limits_response=ScriptedResponse(to_json(limits), headers=json_header),
        )
        remaining = iter(replies)

        def choose_next(_body: Json) -> ReplyPlan | ScriptedResponse:
            return next(remaining)

        self._choose = choose or choose_next
        self.account = ""
        """Thinking is also bound to the account that it was produced for."""
        self.accepted: list[Json] = []
        """Bodies of the requests that got a reply."""
        self.mismatches: list[str] = []
        """Paths of thinking that did not fit."""
        self.can_compact = True
        """False: an announced compaction is temporarily unavailable."""
        self.compactions: list[Json] = []
        """Bodies of the requests for a block."""
        self.rejected_blocks: list[str] = []
        """Why blocks were rejected."""
        self._has_controls = has_controls

    def _respond_and_close(self, request: RecordedRequest) -> ScriptedResponse:
        response = self._respond_signed(request)
        return replace(response, headers={**response.headers, "connection": "close"})

    def _respond_signed(self, request: RecordedRequest) -> ScriptedResponse:
        body = cast("Json", request.body)
        asks_to_drop = "block_binding" in body.get("thinking", {})
        if asks_to_drop and not self._has_controls:
            return respond_http_error(400, "invalid_request_error", UNKNOWN_FIELD)
        if asks_to_drop and BINDING_BETA not in request.headers.get("anthropic-beta", ""):
            return respond_http_error(400, "invalid_request_error", MISSING_BETA)
        if problem := find_invalid_compaction(request, self.account):
            self.rejected_blocks.append(problem)
        elif path := "" if asks_to_drop else find_invalid_thinking(body, self.account):
            self.mismatches.append(path)
            problem = MISMATCH.format(path=path)
        if problem:
            return respond_http_error(400, "invalid_request_error", problem)
        if "compaction" in body:
            return self._respond_compaction(body)
        self.accepted.append(body)
        reply = self._choose(body)
        return respond_signed(reply, body, self.account) if isinstance(reply, ReplyPlan) else reply

    def _respond_compaction(self, body: Json) -> ScriptedResponse:
        self.compactions.append(body)
        if self.can_compact:
            return respond_block(body, self.account)
        return respond_http_error(529, "overloaded_error", "Compaction is unavailable.")


def respond_signed(reply: ReplyPlan, body: Json, account: str = "") -> ScriptedResponse:
    """Return a reply whose thinking is signed for this request."""
    events = generate_events(reply, body, f"toolu_{len(body['messages'])}")
    return respond_events(_sign_events(events, body, account))


def respond_block(body: Json, account: str = "") -> ScriptedResponse:
    """Return a compaction block with a signature."""
    content = f"{REMOTE_SUMMARY} ({len(body['messages'])} messages)"
    block = {"type": "compaction", "content": content, "signature": ""}
    block["signature"] = _sign(account, body, [], [block])
    start, *_, end, stop = generate_events(ReplyPlan(), body, "compaction")
    usage = {"input_tokens": 0, "output_tokens": 0, "iterations": [COMPACTION_USAGE]}
    delta = {"stop_reason": "compaction", "stop_sequence": None}
    events: list[Any] = [
        start,
        {"type": "content_block_start", "index": 0, "content_block": block},
        {"type": "content_block_stop", "index": 0},
        {**end, "delta": delta, "usage": usage},
        stop,
    ]
    return respond_events(events)


def find_invalid_compaction(request: RecordedRequest, account: str) -> str:
    """Return what is wrong with the compaction blocks of a request; empty: nothing."""
    body = cast("Json", request.body)
    blocks = [
        (f"messages.{index}.content.{number}", block)
        for index, message in enumerate(body["messages"])
        for number, block in enumerate(message["content"])
        if block["type"] == "compaction"
    ]
    if not blocks and "compaction" not in body:
        return ""
    if COMPACTION_BETA not in request.headers.get("anthropic-beta", ""):
        return "'compaction' is not one of the expected content block types"
    if [path for path, _ in blocks] not in ([], ["messages.0.content.0"]):
        return "compaction_block_misplaced"
    for _, block in blocks:
        if block["signature"] != _sign(account, body, [], [{**block, "signature": ""}]):
            return "The compaction block's signature is invalid."
    return ""


def find_invalid_thinking(body: Json, account: str) -> str:
    """Return the path of the first thinking block that does not fit; empty: all fit."""
    for index, message in enumerate(body["messages"]):
        for number, block in enumerate(message["content"]):
            signature = block.get("signature", block.get("data"))
            if block["type"] in ("thinking", "redacted_thinking") and signature != _sign(
                account, body, body["messages"][:index], message["content"][:number]
            ):
                return f"messages.{index}.content.{number}"
    return ""


def list_thinking(messages: Iterable[Json]) -> list[str]:
    """Return the text of all thinking blocks in a request."""
    return [
        block["thinking"]
        for message in messages
        for block in message["content"]
        if block["type"] == "thinking"
    ]


def _sign_events(events: Iterable[StreamEvent], body: Json, account: str) -> Iterator[StreamEvent]:
    for event in events:
        delta = cast("Json", event.get("delta", {}))
        if delta.get("type") == "signature_delta":
            delta["signature"] = _sign(account, body, body["messages"], [])
        yield event


def _sign(account: str, body: Json, messages: list[Json], content: list[Json]) -> str:
    system = [block["text"] for block in body.get("system", ())]
    bound = [account, body["model"], system, body.get("tools", []), messages, content]
    return sha256(to_json(bound)).hexdigest()

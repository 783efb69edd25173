"""The script for a session without an API key: short answers, and keywords that call tools."""

import re
from collections.abc import Callable

from actors.models.review_script import is_review, make_review_reply
from actors.models.scripted_model_input import (
    RequestBody,
    ToolResult,
    get_last_prompt,
    get_latest_tool_results,
)
from actors.models.scripted_reply import ReplyPlan, ScriptedCall

API_KEY_HINT = (
    "To use a real model, set `ANTHROPIC_API_KEY` "
    "(or `ANTHROPIC_BASE_URL` for your own server) and restart greenroom."
)
HELP_TEXT = f"""\
I am a **script**, not a model. I cannot think, but the tools and approvals around me are real. Try:

- `list` or `list FOLDER`
- `read FILE`
- `run COMMAND`: asks you first
- `write FILE TEXT`: shows you the change first
- `edit FILE: OLD -> NEW`
- `think`: shows reasoning before the answer
- `long`: a long answer, to try Esc while it streams

{API_KEY_HINT}
"""
MAX_SHOWN_LINES = 8

_SECTION = """\
### Part {number}

Every agent in this program is an *actor*: it has an address, an inbox, and state that no other
actor can touch. Actors only send each other messages, so

1. no agent blocks on another,
2. a crash affects only the agent that caused it,
3. stopping an agent stops exactly that agent and its subagents.

```python
def on_receive(self, message: Inbox) -> None:
    match message:
        case StartTurn():
            self._start_turn(message)  # part {number}
        case CancelTurn():
            self._cancel_turn(message)
```

> Press **Esc** to stop. The text so far is kept.

"""
LONG_ANSWER = (
    "# A long answer\n\nThis text comes from a script, not from a model.\n\n"
    + "".join(_SECTION.format(number=number) for number in range(1, 9))
    + f"That is the end of the long answer. {API_KEY_HINT}\n"
)


def make_default_reply(request: RequestBody) -> ReplyPlan:
    """Answer a prompt by its first matching word; answer tool results by showing their start."""
    if is_review(request):
        return make_review_reply(request)
    if results := get_latest_tool_results(request):
        return ReplyPlan(text="\n\n".join(_describe_result(result) for result in results))
    prompt = get_last_prompt(request)
    for pattern, make_reply in _REPLIES:
        if match := re.search(pattern, prompt, re.IGNORECASE | re.DOTALL):
            return make_reply(match)
    return ReplyPlan(text=HELP_TEXT)


def _describe_result(result: ToolResult) -> str:
    lines = result.text.strip("\n").splitlines()
    shown = "\n".join(lines[:MAX_SHOWN_LINES])
    more = f"\n… {len(lines) - MAX_SHOWN_LINES} more lines" if len(lines) > MAX_SHOWN_LINES else ""
    opening = "That failed" if result.is_error else "Done"
    # Four backticks, because a result may contain three.
    return f"{opening}. The tool returned:\n\n````text\n{shown}{more}\n````"


def _call(tool: str, *names: str) -> Callable[[re.Match[str]], ReplyPlan]:
    """Return a reply with one tool call, whose arguments are the groups of the match."""

    def make_reply(match: re.Match[str]) -> ReplyPlan:
        groups = zip(names, match.groups(), strict=True)
        return _make_call(tool, {name: value.strip("`") for name, value in groups if value})

    return make_reply


def _make_call(tool: str, arguments: dict[str, str]) -> ReplyPlan:
    return ReplyPlan(text=f"I'll call the `{tool}` tool.", calls=(ScriptedCall(tool, arguments),))


def _make_write_call(match: re.Match[str]) -> ReplyPlan:
    path = match.group(1) or "script.txt"
    return _make_call("write", {"path": path, "content": "Written by a script.\n"})


def _make_long_answer(_: re.Match[str]) -> ReplyPlan:
    return ReplyPlan(text=LONG_ANSWER)


def _make_reasoning(_: re.Match[str]) -> ReplyPlan:
    return ReplyPlan(
        thinking="A script has nothing to think about. It pretends to compare two options, "
        "picks the simpler one, and moves on.",
        text=f"That is how a model's reasoning looks. {API_KEY_HINT}",
    )


_REPLIES: tuple[tuple[str, Callable[[re.Match[str]], ReplyPlan]], ...] = (
    (r"^\s*run\s+(.+?)\s*$", _call("bash", "command")),
    (r"^\s*write\s+(\S+)\s+(.+)$", _call("write", "path", "content")),
    (r"^\s*write\s*(\S+)?\s*$", _make_write_call),
    (
        r"^\s*edit\s+(\S+?):?\s+(.+?)\s+->\s+(.+?)\s*$",
        _call("edit", "path", "old_string", "new_string"),
    ),
    (r"^\s*(?:list|ls)(?:\s+(\S+))?\s*$", _call("ls", "path")),
    (r"^\s*long\b", _make_long_answer),
    (r"^\s*think\b", _make_reasoning),
    (r"\bread\s+(\S+)", _call("read", "path")),
    (r"\brun\s+(.+?)\s*$", _call("bash", "command")),
)

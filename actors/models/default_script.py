"""The script of a session without a key: short answers, and a few words that play the tools."""

import re
from collections.abc import Callable

from actors.models.request_reader import (
    RequestBody,
    ToolResult,
    get_last_prompt,
    get_latest_tool_results,
)
from actors.models.scripted_reply import ReplyPlan, ScriptedCall

API_KEY_HINT = (
    "For the real thing set `ANTHROPIC_API_KEY` "
    "(or `ANTHROPIC_BASE_URL` for a server of your own) and start again."
)
HELP_TEXT = f"""\
I am a **script**, not a model: I cannot think, but everything around me is real. Try

- `list` or `list FOLDER`
- `read FILE`
- `run COMMAND`: asks you first
- `write FILE TEXT`: shows you the change first
- `edit FILE: OLD -> NEW`
- `think`: some reasoning before the answer
- `long`: a long answer, to try Esc while it streams

{API_KEY_HINT}
"""
MAX_SHOWN_LINES = 8

_SECTION = """\
### Part {number}

An agent here is an *actor*: it has an address, an inbox and nothing that others can touch.
What it wants done it says in messages, so that

1. nobody waits for anybody,
2. a fault stays where it happened,
3. a stop reaches exactly what it should.

```python
def on_receive(self, message: Inbox) -> None:
    match message:
        case Prompt():
            self._take_up(message)  # part {number}
        case CancelTurn():
            self._interrupt(message)
```

> Press **Esc** to stop this; what has been said so far is kept.

"""
LONG_ANSWER = (
    "# A long answer\n\nThis is a script reading out a text, not a model.\n\n"
    + "".join(_SECTION.format(number=number) for number in range(1, 9))
    + f"That was all of it. {API_KEY_HINT}\n"
)


def make_default_reply(request: RequestBody) -> ReplyPlan:
    """Answer a prompt by its first matching word, and each result by showing its beginning."""
    if results := get_latest_tool_results(request):
        return ReplyPlan(text="\n\n".join(_told(result) for result in results))
    prompt = get_last_prompt(request)
    for pattern, answer in _ANSWERS:
        if match := re.search(pattern, prompt, re.IGNORECASE | re.DOTALL):
            return answer(match)
    return ReplyPlan(text=HELP_TEXT)


def _told(result: ToolResult) -> str:
    lines = result.text.strip("\n").splitlines()
    shown = "\n".join(lines[:MAX_SHOWN_LINES])
    more = f"\n… {len(lines) - MAX_SHOWN_LINES} more lines" if len(lines) > MAX_SHOWN_LINES else ""
    opening = "That did not succeed" if result.is_error else "Done"
    # Four backticks, because a result may hold three of its own.
    return f"{opening}; the script was told:\n\n````text\n{shown}{more}\n````"


def _call(tool: str, *names: str) -> Callable[[re.Match[str]], ReplyPlan]:
    """Answer by one tool call whose arguments are the groups of the match."""

    def answer(match: re.Match[str]) -> ReplyPlan:
        given = zip(names, match.groups(), strict=True)
        arguments = {name: value.strip("`") for name, value in given if value}
        return ReplyPlan(text=f"The script plays `{tool}`.", calls=(ScriptedCall(tool, arguments),))

    return answer


def _long(_: re.Match[str]) -> ReplyPlan:
    return ReplyPlan(text=LONG_ANSWER)


def _think(_: re.Match[str]) -> ReplyPlan:
    return ReplyPlan(
        thinking="A script has nothing to think about; so it says that it would weigh two ways, "
        "prefer the plainer one, and go on.",
        text=f"That was reasoning as a model would show it. {API_KEY_HINT}",
    )


_ANSWERS: tuple[tuple[str, Callable[[re.Match[str]], ReplyPlan]], ...] = (
    (r"^\s*run\s+(.+?)\s*$", _call("bash", "command")),
    (r"^\s*write\s+(\S+)\s+(.+)$", _call("write", "path", "content")),
    (r"^\s*write\s*(\S+)?\s*$", lambda match: _written(match.group(1))),
    (
        r"^\s*edit\s+(\S+?):?\s+(.+?)\s+->\s+(.+?)\s*$",
        _call("edit", "path", "old_string", "new_string"),
    ),
    (r"^\s*(?:list|ls)(?:\s+(\S+))?\s*$", _call("ls", "path")),
    (r"^\s*long\b", _long),
    (r"^\s*think\b", _think),
    (r"\bread\s+(\S+)", _call("read", "path")),
    (r"\brun\s+(.+?)\s*$", _call("bash", "command")),
)


def _written(path: str | None) -> ReplyPlan:
    arguments = {"path": path or "rehearsal.txt", "content": "Written by a script.\n"}
    return ReplyPlan(text="The script plays `write`.", calls=(ScriptedCall("write", arguments),))

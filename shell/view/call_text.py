"""How a tool call is named for the user: `Reading price.py`, `Ran pytest -q`. Pure."""

import re
from typing import Literal, NamedTuple

from messages.turns import ToolEnded, ToolStarted
from shell.text.sanitize import sanitize_line


class _Verb(NamedTuple):
    planned: str
    running: str
    ended: str


_VERBS = {
    "bash": _Verb("Run", "Running", "Ran"),
    "read": _Verb("Read", "Reading", "Read"),
    "ls": _Verb("List", "Listing", "Listed"),
    "glob": _Verb("Search for", "Searching for", "Searched for"),
    "grep": _Verb("Search", "Searching", "Searched"),
    "write": _Verb("Write", "Writing", "Wrote"),
    "edit": _Verb("Edit", "Editing", "Edited"),
    "task": _Verb("Agent", "Agent", "Agent"),
    "task_output": _Verb("Read the output of", "Reading the output of", "Read the output of"),
    "task_stop": _Verb("Stop", "Stopping", "Stopped"),
    "todo_write": _Verb("To-do list:", "To-do list:", "To-do list:"),
    "question": _Verb("Ask:", "Asking:", "Asked:"),
    "plan_enter": _Verb("Enter plan mode", "Entering plan mode", "Entered plan mode"),
    "plan_exit": _Verb("Leave plan mode", "Leaving plan mode", "Left plan mode"),
    "help": _Verb("Read the help", "Reading the help", "Read the help"),
}
_HERE = " in ."
_TASK_TAGS = re.compile(r"^(task_id: \S+|</?task_result>)(\n|\Z)", re.MULTILINE)


def describe_started(event: ToolStarted) -> str:
    """Name a running call."""
    return _describe(event.tool, event.title, "running")


def describe_ended(event: ToolEnded) -> str:
    """Name an ended call; one that did not complete is named by what it was to do."""
    is_done = event.status == "ok" or (event.tool == "bash" and event.status == "error")
    return _describe(event.tool, event.title, "ended" if is_done else "planned")


def get_call_object(tool: str, title: str) -> str:
    """Return what a call is about: the title without the tool's name; a pattern is quoted."""
    about = sanitize_line(title.removeprefix(tool).strip()).removesuffix(_HERE)
    if tool != "grep":
        return about
    is_here = title.endswith(_HERE)
    pattern, _, folder = (about, "", "") if is_here else about.rpartition(" in ")
    return f'"{pattern}" in {folder}' if folder else f'"{about}"'


def get_output_text(event: ToolEnded) -> str:
    """Return the output of a call for the user.

    The tags of a `task` call are left out, and so are the new lines that the diff shows anyway.
    """
    if event.diff:
        return event.text.partition("\n")[0]
    return _TASK_TAGS.sub("", event.text) if event.tool == "task" else event.text


def _describe(tool: str, title: str, form: Literal["planned", "running", "ended"]) -> str:
    verb = _VERBS.get(tool)
    if verb is None or not title.startswith(tool):
        return sanitize_line(title or tool)
    words: str = getattr(verb, form)
    return f"{words} {get_call_object(tool, title)}".rstrip(" :")

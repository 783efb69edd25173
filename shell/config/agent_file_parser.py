"""From a Markdown file to the definition of an agent: ours, Claude Code's and Qwen Code's. Pure."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, cast, get_args

from actors.agents.definition.definition import AgentMode, Definition
from actors.models.model_names import resolve_model
from actors.permissions.rules import find_rule_problem
from actors.tools.tool_list import DECLARED_TOOLS
from messages.policy import Action, PermissionMode, Rule
from shell.config.agent_frontmatter import Frontmatter, FrontmatterError, parse_frontmatter

MAX_NAME_CHARS = 48
MAX_PROMPT_CHARS = 100_000
TOOL_ALIASES = {
    "read_file": "read",
    "read_many_files": "read",
    "list_directory": "ls",
    "grep_search": "grep",
    "search_file_content": "grep",
    "write_file": "write",
    "multiedit": "edit",
    "replace": "edit",
    "run_shell_command": "bash",
    "todowrite": "todo_write",
    "agent": "task",
    "askuserquestion": "question",
    "ask_user_question": "question",
    "bashoutput": "task_output",
    "taskoutput": "task_output",
    "killshell": "task_stop",
    "taskstop": "task_stop",
    "enterplanmode": "plan_enter",
    "exitplanmode": "plan_exit",
    "exit_plan_mode": "plan_exit",
}
"""What other programs call our tools, in small letters."""
MODE_ALIASES: dict[str, PermissionMode] = {
    "default": "default",
    "manual": "default",
    "bubble": "default",
    "dontask": "default",
    "plan": "plan",
    "auto-edit": "auto-edit",
    "autoedit": "auto-edit",
    "auto": "auto-edit",
    "acceptedits": "auto-edit",
    "yolo": "yolo",
    "bypasspermissions": "yolo",
}
"""A definition's mode only tightens, so that the loosest means as much as none."""
KEY_ALIASES = {
    "disallowedTools": "disallowed_tools",
    "approvalMode": "approval_mode",
    "permissionMode": "approval_mode",
    "maxTurns": "max_turns",
}
_TOOL_NAMES = frozenset(tool.name for tool in DECLARED_TOOLS)
_SPEC = re.compile(r"\(.*\)\Z", re.DOTALL)


class DefinitionError(Exception):
    """A file that cannot serve; the text says why, with its line."""


@dataclass(frozen=True, slots=True)
class FileOrigin:
    """Where a file stands."""

    path: str
    is_project: bool = False
    is_foreign: bool = False
    """It is made for another program: what does not fit is left out, and told."""


@dataclass(frozen=True, slots=True)
class ParsedDefinition:
    """A definition as its file has it."""

    definition: Definition
    path: str
    declared_name: str
    """The name in the file, which may have been folded."""
    ignored_keys: tuple[str, ...] = ()
    """Keys and values that do not count."""


def parse_definition(text: str, stem: str, origin: FileOrigin) -> ParsedDefinition:
    """Read a file; `stem` is its name, should it say none.

    Raises:
        DefinitionError: it cannot serve.
    """
    try:
        parts = parse_frontmatter(text)
    except FrontmatterError as error:
        message = f"{origin.path}:{error.line}: {error}"
        raise DefinitionError(message) from None
    return _Reader(parts, origin).read(stem)


class _Reader:
    """Reads one file, key by key."""

    def __init__(self, parts: Frontmatter, origin: FileOrigin) -> None:
        self._parts = parts
        self._origin = origin
        self._left = dict(parts.keys)
        self._ignored: list[str] = []

    def read(self, stem: str) -> ParsedDefinition:
        for theirs, ours in KEY_ALIASES.items():
            if theirs in self._left:
                value = self._left.pop(theirs)
                self._left.setdefault(ours, value)
        named = str(self._left.pop("name", None) or stem)
        body = self._parts.body
        if len(body) > MAX_PROMPT_CHARS:
            self._fail("name", f"its prompt is longer than {MAX_PROMPT_CHARS:,} characters")
        tools = self._take("tools", parse_tool_names)
        without = self._take("disallowed_tools", parse_tool_names)
        definition = Definition(
            name=self._name(named),
            description=" ".join(str(self._left.pop("description", None) or "").split()),
            system_prompt=body,
            mode=cast("AgentMode", self._take("mode", _mode) or "all"),
            tools=("*",) if tools is None else tools,
            disallowed_tools=without or (),
            rules=self._take("permission", parse_rules) or (),
            permission_mode=self._take("approval_mode", _permission_mode) or "yolo",
            read_only=bool(self._take("read_only", _flag)),
            subagents=self._subagents(),
            delegates=self._delegates(),
            model=self._take("model", _model) or "",
            max_turns=self._take("max_turns", _count),
            time_limit_s=self._take("time_limit_s", _seconds),
            interactive=bool(self._take("interactive", _flag)),
            from_project=self._origin.is_project,
            source=self._origin.path,
        )
        self._ignored += sorted(self._left)
        return ParsedDefinition(definition, self._origin.path, named, tuple(self._ignored))

    def _take(self, key: str, understand: "Callable[[object], Any]") -> Any:  # noqa: ANN401  (by key)
        """Take a key's value; a wrong one is an error, or in a foreign file left out."""
        if key not in self._left:
            return None
        value = self._left.pop(key)
        try:
            return understand(value)
        except ValueError as error:
            if not self._origin.is_foreign:
                self._fail(key, f"{key} {error}")
            self._ignored.append(f"{key} ({error})")
            return None

    def _fail(self, key: str, why: str) -> None:
        lines = self._parts.key_lines
        theirs = next((each for each, ours in KEY_ALIASES.items() if ours == key), key)
        line = lines.get(key) or lines.get(theirs) or 1
        message = f"{self._origin.path}:{line}: {why}"
        raise DefinitionError(message)

    def _name(self, named: str) -> str:
        name = re.sub("[^a-z0-9]+", "-", named.lower()).strip("-")[:MAX_NAME_CHARS].strip("-")
        if not name:
            self._fail("name", "its name has no letters or digits")
        return name

    def _subagents(self) -> tuple[str, ...]:
        names = self._take("subagents", parse_names)
        return ("*",) if names is None else names

    def _delegates(self) -> tuple[str, ...]:
        names = self._take("delegates", parse_tool_names) or ()
        if names and self._origin.is_project:
            self._ignored.append("delegates (never taken from a project)")
            return ()
        return cast("tuple[str, ...]", names)


def parse_tool_names(value: object) -> tuple[str, ...]:
    """Read a list of tools; those of other programs by our names, unknown ones as they are.

    A name that nothing here has matches nothing: a list of unknown names is no tools, never all.
    """
    if isinstance(value, dict):
        chosen = cast("dict[object, object]", value).items()
        return tuple(normalize_tool_name(str(name)) for name, has in chosen if has is True)
    return tuple(normalize_tool_name(name) for name in parse_names(value))


def normalize_tool_name(name: str) -> str:
    """Say what we call a tool."""
    bare = _SPEC.sub("", name).strip()
    small = bare.lower()
    known = TOOL_ALIASES.get(small) or (small if small in _TOOL_NAMES else bare)
    return known or "-"


def parse_names(value: object) -> tuple[str, ...]:
    """Read names: a list, or one text with commas."""
    if isinstance(value, str):
        return tuple(each.strip() for each in value.split(",") if each.strip())
    if isinstance(value, list):
        each = cast("list[object]", value)
        if all(isinstance(name, str) for name in each):
            return tuple(str(name) for name in each)
    if value is None:
        return ()
    message = "must be a list of names"
    raise ValueError(message)


def parse_rules(value: object) -> tuple[Rule, ...]:
    """Read `tool: action`, or `tool: {pattern: action}`, in their order."""
    if isinstance(value, str):
        value = {"*": value}
    if not isinstance(value, dict):
        message = "must be a list of tool: action"
        raise ValueError(message)  # noqa: TRY004  (it is the file's fault)
    rules: list[Rule] = []
    for tool, said in cast("dict[object, object]", value).items():
        patterns = cast("dict[object, object]", said) if isinstance(said, dict) else {"*": said}
        rules += [_rule(str(tool), str(pattern), action) for pattern, action in patterns.items()]
    return tuple(rules)


def _rule(tool: str, pattern: str, action: object) -> Rule:
    if action not in get_args(Action):
        message = f"of {tool} must be {', '.join(get_args(Action))}, not {action!r}"
        raise ValueError(message)
    rule = Rule(
        permission=normalize_tool_name(tool), pattern=pattern, action=cast("Action", action)
    )
    wrong = find_rule_problem(rule, DECLARED_TOOLS)
    if wrong:
        message = f"of {tool}: {wrong}"
        raise ValueError(message)
    return rule


def _mode(value: object) -> str:
    if value not in get_args(AgentMode):
        message = f"must be {', '.join(get_args(AgentMode))}"
        raise ValueError(message)
    return str(value)


def _permission_mode(value: object) -> PermissionMode:
    mode = MODE_ALIASES.get(str(value).lower())
    if mode is None:
        message = "must be default, plan, auto-edit or bubble"
        raise ValueError(message)
    return mode


def _flag(value: object) -> bool:
    if not isinstance(value, bool):
        message = "must be true or false"
        raise ValueError(message)  # noqa: TRY004  (it is the file's fault)
    return value


def _model(value: object) -> str:
    if not isinstance(value, str) or not value.strip().isprintable():
        message = "must be a text"
        raise ValueError(message)
    return "" if value.strip() in ("inherit", "fast", "") else resolve_model(value.strip())


def _count(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        message = "must be a whole number above 0"
        raise ValueError(message)
    return value


def _seconds(value: object) -> float:
    if (
        isinstance(value, bool)
        or not isinstance(value, int | float)
        or not 0 < value < float("inf")
    ):
        message = "must be a number above 0"
        raise ValueError(message)
    return float(value)

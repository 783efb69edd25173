"""Parses agent definitions for Greenroom, Claude Code and Qwen Code from Markdown. Pure."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, cast, get_args

from actors.agents.definition.definition import AgentMode, Definition
from actors.models.model_names import resolve_model
from actors.permissions.rule_matching import find_rule_problem
from actors.tools.tool_list import TOOL_LIST
from messages.effort import EFFORT_LEVELS, Effort
from messages.placement import Placement
from messages.policy import Action, PermissionMode, Rule
from shell.config.frontmatter_parser import Frontmatter, FrontmatterError, parse_frontmatter
from shell.config.schema import MAX_AGENT_NAME_CHARS

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
"""Other programs' names for our tools, in lowercase."""
MODE_ALIASES: dict[str, PermissionMode] = {
    "default": "default",
    "manual": "default",
    "dontask": "default",
    "plan": "plan",
    "auto-edit": "auto-edit",
    "autoedit": "auto-edit",
    "auto": "auto-edit",
    "acceptedits": "auto-edit",
    "yolo": "yolo",
    "bypasspermissions": "yolo",
}
"""Other programs' names for our modes.

A definition's mode only tightens the session's, so `yolo` has no effect.
"""
BUBBLE = "bubble"
"""The mode `default`; in the background, approval requests are shown instead of rejected."""
APPROVAL_MODES = ("default", "plan", "auto-edit", BUBBLE)
"""The values of `approval_mode` that have an effect, as the documentation lists them."""
KEY_ALIASES = {
    "disallowedTools": "disallowed_tools",
    "approvalMode": "approval_mode",
    "permissionMode": "approval_mode",
    "maxTurns": "max_turns",
}
_TOOL_NAMES = frozenset(tool.name for tool in TOOL_LIST)
_TOOL_ARGUMENTS = re.compile(r"\(.*\)\Z", re.DOTALL)


class DefinitionError(Exception):
    """A definition file is invalid; the text says why, with its line."""


@dataclass(frozen=True, slots=True)
class FileOrigin:
    """Where a definition file comes from."""

    path: str
    is_project: bool = False
    is_foreign: bool = False
    """Written for another program: values that do not fit are ignored and listed."""


@dataclass(frozen=True, slots=True)
class ParsedDefinition:
    """A definition and facts about its file."""

    definition: Definition
    path: str
    declared_name: str
    """The name before normalization."""
    ignored_keys: tuple[str, ...] = ()
    """Keys and values without effect."""


def parse_definition(text: str, stem: str, origin: FileOrigin) -> ParsedDefinition:
    """Parse a definition file; `stem`, its file name, is the default name.

    Raises:
        DefinitionError: the file is invalid.
    """
    try:
        frontmatter = parse_frontmatter(text)
    except FrontmatterError as error:
        message = f"{origin.path}:{error.line}: {error}"
        raise DefinitionError(message) from None
    return _DefinitionParser(frontmatter, origin).parse(stem)


class _DefinitionParser:
    """Parses one file, key by key."""

    def __init__(self, frontmatter: Frontmatter, origin: FileOrigin) -> None:
        self._frontmatter = frontmatter
        self._origin = origin
        self._unparsed = dict(frontmatter.keys)
        self._ignored: list[str] = []

    def parse(self, stem: str) -> ParsedDefinition:
        for alias, key in KEY_ALIASES.items():
            if alias in self._unparsed:
                value = self._unparsed.pop(alias)
                self._unparsed.setdefault(key, value)
        declared_name = str(self._unparsed.pop("name", None) or stem)
        body = self._frontmatter.body
        if len(body) > MAX_PROMPT_CHARS:
            self._fail("name", f"the prompt is longer than {MAX_PROMPT_CHARS:,} characters")
        tools = self._take("tools", parse_tool_names, if_invalid=())
        disallowed_tools = self._take("disallowed_tools", parse_tool_names, if_invalid=("*",))
        mode = self._take("approval_mode", _parse_approval_mode, if_invalid="plan") or "yolo"
        bubbles = mode == BUBBLE
        definition = Definition(
            name=self._normalize_name(declared_name),
            description=" ".join(str(self._unparsed.pop("description", None) or "").split()),
            system_prompt=body,
            mode=cast("AgentMode", self._take("mode", _parse_agent_mode) or "all"),
            tools=("*",) if tools is None else tools,
            disallowed_tools=disallowed_tools or (),
            rules=self._take("permission", parse_rules) or (),
            permission_mode="default" if bubbles else cast("PermissionMode", mode),
            read_only=bool(self._take("read_only", _parse_flag, if_invalid=True)),
            subagents=self._parse_subagents(),
            delegates=self._parse_delegates(),
            model=self._take("model", _parse_model) or "",
            effort=self._take("effort", _parse_effort),
            max_turns=self._take("max_turns", _parse_count),
            time_limit_s=self._take("time_limit_s", _parse_seconds),
            interactive=bool(self._take("interactive", _parse_flag)),
            background=bool(self._take("background", _parse_flag)),
            placement=self._take("placement", _parse_placement),
            bubbles=bubbles,
            from_project=self._origin.is_project,
            source=self._origin.path,
        )
        self._ignored += sorted(self._unparsed)
        return ParsedDefinition(definition, self._origin.path, declared_name, tuple(self._ignored))

    def _take(
        self,
        key: str,
        parse: "Callable[[object], Any]",
        if_invalid: Any = None,  # noqa: ANN401  (type varies by key)
    ) -> Any:  # noqa: ANN401  (as above)
        """Parse and remove a key's value; None if the key is absent.

        An invalid value is an error. In another program's file it is listed as ignored, and
        `if_invalid` applies: for a key that restricts, the strictest value.
        """
        if key not in self._unparsed:
            return None
        value = self._unparsed.pop(key)
        try:
            return parse(value)
        except ValueError as error:
            if not self._origin.is_foreign:
                self._fail(key, f"{key} {error}")
            note = "" if if_invalid is None else "; the strictest value applies"
            self._ignored.append(f"{key} ({error}{note})")
            return if_invalid

    def _fail(self, key: str, reason: str) -> None:
        lines = self._frontmatter.key_lines
        alias = next((name for name, target in KEY_ALIASES.items() if target == key), key)
        line = lines.get(key) or lines.get(alias) or 1
        message = f"{self._origin.path}:{line}: {reason}"
        raise DefinitionError(message)

    def _normalize_name(self, declared_name: str) -> str:
        name = re.sub("[^a-z0-9]+", "-", declared_name.lower()).strip("-")
        name = name[:MAX_AGENT_NAME_CHARS].strip("-")
        if not name:
            self._fail("name", "the name has no letters or digits")
        return name

    def _parse_subagents(self) -> tuple[str, ...]:
        names = self._take("subagents", parse_names)
        return ("*",) if names is None else names

    def _parse_delegates(self) -> tuple[str, ...]:
        names = self._take("delegates", parse_tool_names) or ()
        if names and self._origin.is_project:
            self._ignored.append("delegates (ignored in a project)")
            return ()
        return cast("tuple[str, ...]", names)


def parse_tool_names(value: object) -> tuple[str, ...]:
    """Parse a list of tools; other programs' names become ours, unknown names stay as they are.

    An unknown name matches nothing, so a list of unknown names means no tools, never all tools.
    """
    if isinstance(value, dict):
        entries = cast("dict[object, object]", value).items()
        return tuple(normalize_tool_name(str(name)) for name, enabled in entries if enabled is True)
    return tuple(normalize_tool_name(name) for name in parse_names(value))


def normalize_tool_name(name: str) -> str:
    """Return our name for a tool: without arguments such as `Bash(git *)`, aliases resolved."""
    bare = _TOOL_ARGUMENTS.sub("", name).strip()
    lower = bare.lower()
    normalized = TOOL_ALIASES.get(lower) or (lower if lower in _TOOL_NAMES else bare)
    return normalized or "-"


def parse_names(value: object) -> tuple[str, ...]:
    """Parse names: a list, or one string with commas."""
    if isinstance(value, str):
        return tuple(name.strip() for name in value.split(",") if name.strip())
    if isinstance(value, list):
        names = cast("list[object]", value)
        if all(isinstance(name, str) for name in names):
            return tuple(str(name) for name in names)
    if value is None:
        return ()
    message = "must be a list of names"
    raise ValueError(message)


def parse_rules(value: object) -> tuple[Rule, ...]:
    """Parse rules in order: `tool: action` or `tool: {pattern: action}`."""
    if isinstance(value, str):
        value = {"*": value}
    if not isinstance(value, dict):
        message = "must be a mapping of tool: action"
        raise ValueError(message)  # noqa: TRY004  (invalid input, not a bug)
    rules: list[Rule] = []
    for tool, entry in cast("dict[object, object]", value).items():
        actions = cast("dict[object, object]", entry) if isinstance(entry, dict) else {"*": entry}
        rules += [
            _make_rule(str(tool), str(pattern), action) for pattern, action in actions.items()
        ]
    return tuple(rules)


def _make_rule(tool: str, pattern: str, action: object) -> Rule:
    if action not in get_args(Action):
        message = f"for {tool} must be one of {', '.join(get_args(Action))}, not {action!r}"
        raise ValueError(message)
    rule = Rule(
        permission=normalize_tool_name(tool), pattern=pattern, action=cast("Action", action)
    )
    problem = find_rule_problem(rule, TOOL_LIST)
    if problem:
        message = f"for {tool}: {problem}"
        raise ValueError(message)
    return rule


def _parse_agent_mode(value: object) -> str:
    if value not in get_args(AgentMode):
        message = f"must be one of {', '.join(get_args(AgentMode))}"
        raise ValueError(message)
    return str(value)


def _parse_placement(value: object) -> str:
    if value not in get_args(Placement):
        message = f"must be one of {', '.join(get_args(Placement))}"
        raise ValueError(message)
    return str(value)


def _parse_approval_mode(value: object) -> str:
    name = str(value).lower()
    mode = BUBBLE if name == BUBBLE else MODE_ALIASES.get(name)
    if mode is None:
        *first, last = APPROVAL_MODES
        message = f"must be {', '.join(first)} or {last}"
        raise ValueError(message)
    return mode


def _parse_flag(value: object) -> bool:
    if not isinstance(value, bool):
        message = "must be true or false"
        raise ValueError(message)  # noqa: TRY004  (invalid input, not a bug)
    return value


def _parse_model(value: object) -> str:
    if not isinstance(value, str) or not value.strip().isprintable():
        message = "must be a string"
        raise ValueError(message)
    return "" if value.strip() in ("inherit", "fast", "") else resolve_model(value.strip())


def _parse_effort(value: object) -> Effort:
    if value not in EFFORT_LEVELS:
        message = f"must be one of {', '.join(EFFORT_LEVELS)}"
        raise ValueError(message)
    return value


def _parse_count(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        message = "must be a whole number above 0"
        raise ValueError(message)
    return value


def _parse_seconds(value: object) -> float:
    if (
        isinstance(value, bool)
        or not isinstance(value, int | float)
        or not 0 < value < float("inf")
    ):
        message = "must be a number above 0"
        raise ValueError(message)
    return float(value)

"""The command line: options in, checked values out.

Nothing heavy is imported; `dataclasses` would be: it brings along what reads source code.
Long because every option of every command stands here, beside its help.
"""

import argparse
from typing import TYPE_CHECKING, Literal, NamedTuple, NoReturn, cast

from shell.cli.argument_types import parse_count, parse_depth, parse_seconds
from shell.startup.version import VERSION

if TYPE_CHECKING:  # its values take 2 ms to make, and `--version` has about 20
    from messages.policy import PermissionMode

OutputFormat = Literal["text", "json", "stream-json"]

_MODES = ("plan", "default", "auto-edit", "yolo")
COMMAND_LINE_USAGE = """\
greenroom [options] [PROMPT]
       greenroom demo [--auto]
       greenroom agents
       greenroom sessions [list | show ID | export ID]
       greenroom permissions check OPTIONS
       greenroom help [TOPIC]"""
COMMAND_LINE_EPILOG = """\
without ANTHROPIC_API_KEY, ANTHROPIC_AUTH_TOKEN and ANTHROPIC_BASE_URL a scripted model plays, so
that everything can be tried offline.

environment:
  ANTHROPIC_API_KEY, ANTHROPIC_AUTH_TOKEN, ANTHROPIC_BASE_URL   the model's server
  GREENROOM_MODEL      the model, where --model does not say
  GREENROOM_HOME       one folder for all state and configuration
  GREENROOM_LOG=debug  more detail in the file greenroom.log in the state folder
  NO_COLOR             no colours

help topics, for greenroom help TOPIC:
  permissions, configuration, agents, sessions, recovery, keys, scripting

exit status: 0 done, 1 the agent, the provider or the disk failed, 2 usage or configuration,
3 a limit ended it, 129, 130, 143 hung up, interrupted, terminated
"""


class LaunchOptions(NamedTuple):
    """What the command line asks for."""

    command: Literal["work", "demo"]
    prompt: str | None = None
    headless: bool = False
    output_format: OutputFormat = "text"
    model: str | None = None
    agent: str | None = None
    permission_mode: Literal["plan", "default", "auto-edit", "yolo"] | None = None
    max_turns: int | None = None
    max_depth: int | None = None
    time_limit_s: float | None = None
    continue_last: bool = False
    resume_id: str | None = None
    """The beginning of a session's id."""
    fork_id: str | None = None
    """As `resume`, of a session to begin a copy of."""
    added_folders: tuple[str, ...] = ()
    """Further folders of the workspace."""
    trust_workspace: bool = False
    auto_approve: bool = False


class SessionsOptions(NamedTuple):
    """What `greenroom sessions` is asked for."""

    action: Literal["list", "show", "export"] = "list"
    session_id: str = ""
    """The beginning of a session's id."""
    output_format: Literal["markdown", "json"] = "markdown"
    output_file: str | None = None
    """The file to export to; None: standard output."""


class CheckOptions(NamedTuple):
    """What `greenroom permissions check` is asked for."""

    tool: str = ""
    target: str = ""
    agent: str | None = None
    """Whose definition holds beside the rules; None: `build`, and what no definition narrows."""
    mode: "PermissionMode" = "default"
    workspace_root: str | None = None
    rules_file: str | None = None
    batch_file: str | None = None
    as_json: bool = False


class AgentsOptions(NamedTuple):
    """What `greenroom agents` is asked for."""

    as_json: bool = False


class HelpOptions(NamedTuple):
    """Options of `greenroom help`."""

    topic: str | None = None


class StartError(Exception):
    """The program cannot begin as asked; each argument is told in a line."""

    exit_status = 2


class UsageError(StartError):
    """The command line is wrong."""


class DiskError(StartError):
    """Nothing can begin, since the disk would keep none of it."""

    exit_status = 1


class _Parser(argparse.ArgumentParser):
    """Reads options; what is wrong is a `UsageError`."""

    def error(self, message: str) -> NoReturn:
        """Say what is wrong.

        Raises:
            UsageError: always.
        """
        raise UsageError(message)


def parse_command_line(
    arguments: list[str],
) -> LaunchOptions | SessionsOptions | CheckOptions | AgentsOptions | HelpOptions:
    """Read the command line.

    Raises:
        UsageError: an unknown option or a wrong value.
        SystemExit: `--help` or `--version` was printed.
    """
    arguments = [replace_invalid_utf8(word) for word in arguments]
    if arguments[:1] == ["demo"]:
        return _parse_demo(arguments[1:])
    if arguments[:1] == ["agents"]:
        return _parse_agents(arguments[1:])
    if arguments[:1] == ["sessions"]:
        return _parse_sessions(arguments[1:])
    if arguments[:1] == ["permissions"]:
        return _parse_permissions(arguments[1:])
    if arguments[:1] == ["help"]:
        return _parse_help(arguments[1:])
    given = _work_parser().parse_args(arguments)
    if given.output_format != "text" and not given.print:
        message = "--output-format goes with -p"
        raise UsageError(message)
    return LaunchOptions(
        command="work",
        prompt=given.prompt,
        headless=given.print,
        output_format=cast("OutputFormat", given.output_format),
        model=given.model,
        agent=given.agent,
        permission_mode=given.permission_mode,
        max_depth=given.max_depth,
        max_turns=given.max_turns,
        time_limit_s=given.time_limit,
        continue_last=given.resume_last,
        resume_id=given.resume,
        fork_id=given.fork,
        added_folders=tuple(given.add_dir),
        trust_workspace=given.trust,
    )


def replace_invalid_utf8(text: str) -> str:
    """Replace bytes that are no UTF-8: what is said must fit into JSON."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def format_command_line_help() -> str:
    """Write out what `--help` shows."""
    return _work_parser().format_help()


def _work_parser() -> _Parser:
    parser = _Parser(
        prog="greenroom",
        description="A coding agent for the terminal, built as an actor system.",
        epilog=COMMAND_LINE_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        usage=COMMAND_LINE_USAGE,
        allow_abbrev=False,
    )
    add = parser.add_argument
    add("prompt", nargs="?", metavar="PROMPT", help="sent first; with -p, `-` reads standard input")
    add("-p", "--print", action="store_true", help="headless: one prompt, print the answer, exit")
    add(
        "--output-format",
        choices=("text", "json", "stream-json"),
        default="text",
        help="with -p: what goes to standard output (default: text)",
    )
    add("--model", metavar="NAME", help="the model to use: its id, or fable, opus, sonnet, haiku")
    add("--agent", metavar="NAME", help="the agent to talk with; greenroom agents lists them")
    _add_limits(parser)
    add(
        "--permission-mode",
        choices=_MODES,
        help="plan: another agent has the session, which reads and writes a plan; "
        "auto-edit: edits inside the workspace do not ask; "
        "yolo: nothing but protected files asks (default: default)",
    )
    _add_past(parser)
    add(
        "--add-dir",
        metavar="DIR",
        action="append",
        default=[],
        help="a further folder to work in; no configuration is read from it; may be repeated",
    )
    add(
        "--trust",
        action="store_true",
        help="trust this workspace from now on: its instructions and settings count",
    )
    add("--version", action="version", version=f"greenroom {VERSION}")
    return parser


def _add_limits(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add(
        "--max-depth",
        type=parse_depth,
        metavar="N",
        help="an agent N levels below the one you talk with starts no other (default: 3)",
    )
    add(
        "--max-turns",
        type=parse_count,
        metavar="N",
        help="stop a prompt's work after N requests to the model; one request, with the tool "
        "calls of its reply, is a turn",
    )
    add(
        "--time-limit",
        type=parse_seconds,
        metavar="SECONDS",
        help="stop a prompt's work after so long; waiting for your approval does not count",
    )


def _add_past(parser: argparse.ArgumentParser) -> None:
    past = parser.add_mutually_exclusive_group()
    past.add_argument(
        "--continue",
        action="store_true",
        dest="resume_last",
        help="go on with this workspace's last session",
    )
    past.add_argument(
        "--resume", metavar="SESSION", help="go on with that session; the beginning of its id does"
    )
    past.add_argument(
        "--fork", metavar="SESSION", help="begin a session with a copy of what that one holds"
    )


def _parse_demo(words: list[str]) -> LaunchOptions:
    parser = _Parser(
        prog="greenroom demo",
        description="The rehearsal: a scripted session on a throw-away git repository.",
        allow_abbrev=False,
    )
    parser.add_argument("--auto", action="store_true", help="play it without a person")
    return LaunchOptions(command="demo", auto_approve=parser.parse_args(words).auto)


def _parse_agents(words: list[str]) -> AgentsOptions:
    parser = _Parser(
        prog="greenroom agents",
        description="Every definition of an agent: where it stands, and what of it is ignored.",
        allow_abbrev=False,
    )
    parser.add_argument("--json", action="store_true", dest="as_json", help="one JSON object")
    return AgentsOptions(as_json=parser.parse_args(words).as_json)


def _parse_sessions(words: list[str]) -> SessionsOptions:
    parser = _Parser(
        prog="greenroom sessions",
        description="This workspace's sessions; the beginning of an ID is enough.",
        allow_abbrev=False,
        usage="greenroom sessions [list | show ID | export ID [--format F] [--output FILE]]",
    )
    add = parser.add_argument
    add(
        "action",
        nargs="?",
        choices=("list", "show", "export"),
        default="list",
        metavar="ACTION",
        help="list (the default), show: read it here, export: write it as a document",
    )
    add("session", nargs="?", default="", metavar="ID")
    add("--format", choices=("markdown", "json"), help="of an export (default: markdown)")
    add(
        "--output",
        metavar="FILE",
        help="of an export; must not be there yet (default: standard output)",
    )
    given = parser.parse_args(words)
    _check_sessions(given)
    return SessionsOptions(given.action, given.session, given.format or "markdown", given.output)


def _parse_permissions(words: list[str]) -> CheckOptions:
    parser = _Parser(
        prog="greenroom permissions",
        description="Explain what would be decided of a call, and why; nothing is run.",
        allow_abbrev=False,
    )
    add = parser.add_argument
    add("action", choices=("check",), metavar="check")
    add("--tool", metavar="TOOL", default="", help="such as bash, read or mcp__server__tool")
    add("--target", metavar="TARGET", help="the command, the path, …")
    add("--agent", metavar="NAME", help="whose call it is, by its definition (default: build)")
    add("--mode", choices=_MODES, default="default", help="(default: default)")
    add("--workspace", metavar="DIR", help="its root; else the repository around this folder")
    add("--rules", metavar="FILE", help="go by these alone: JSON, a list of rules")
    add("--batch", metavar="FILE", help="JSON lines: id, tool, target and perhaps rules")
    add("--json", action="store_true", dest="as_json", help="one JSON object")
    given = parser.parse_args(words)
    single = bool(given.tool) and given.target is not None
    if single == (given.batch is not None):
        message = "permissions check takes --tool and --target, or --batch"
        raise UsageError(message)
    return CheckOptions(
        tool=given.tool,
        target=given.target or "",
        agent=given.agent,
        mode=given.mode,
        workspace_root=given.workspace,
        rules_file=given.rules,
        batch_file=given.batch,
        as_json=given.as_json,
    )


def _parse_help(words: list[str]) -> HelpOptions:
    parser = _Parser(
        prog="greenroom help",
        description="Print a help topic; without one, list the topics.",
        allow_abbrev=False,
    )
    parser.add_argument("topic", nargs="?", metavar="TOPIC")
    return HelpOptions(topic=parser.parse_args(words).topic)


def _check_sessions(given: argparse.Namespace) -> None:
    if bool(given.session) != (given.action != "list"):
        wants = "takes no ID" if given.session else "needs an ID; greenroom sessions lists them"
        message = f"sessions {given.action} {wants}"
        raise UsageError(message)
    if given.action != "export" and (given.format or given.output):
        message = "--format and --output go with export"
        raise UsageError(message)

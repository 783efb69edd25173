"""The command line parser.

Imports nothing slow. `dataclasses` would be: it imports `inspect`.
"""

import argparse
from typing import NoReturn, cast

from shell.cli.argument_types import parse_count, parse_depth, parse_seconds
from shell.help.command_line import (
    COMMAND_LINE_DESCRIPTION,
    COMMAND_LINE_EPILOG,
    COMMAND_LINE_USAGE,
    REVIEW_EPILOG,
)
from shell.startup.errors import StartError
from shell.startup.options import (
    AgentsOptions,
    CheckOptions,
    CommandLine,
    CompletionOptions,
    HelpOptions,
    LaunchOptions,
    OutputFormat,
    ReviewKind,
    ReviewOptions,
    SandboxOptions,
    SessionsOptions,
)
from shell.startup.version import VERSION
from shell.text.sanitize import replace_invalid_utf8

_PRIORITIES = ("P0", "P1", "P2", "P3")
_MODES = ("plan", "default", "auto-edit", "yolo")


class _Parser(argparse.ArgumentParser):
    """Reports errors as `StartError` instead of exiting."""

    def error(self, message: str) -> NoReturn:
        """Point to the help of the command that was misused.

        Raises:
            StartError: always.
        """
        hint = f"{message}; see {self.prog} --help"
        raise StartError(hint)


def parse_command_line(  # noqa: PLR0911  (one return per command)
    arguments: list[str],
) -> CommandLine:
    """Parse the command line.

    Raises:
        StartError: an option is unknown or has a wrong value.
        SystemExit: `--help` or `--version` was printed.
    """
    arguments = [replace_invalid_utf8(argument) for argument in arguments]
    match arguments:
        case ["demo", *rest]:
            return _parse_demo(rest)
        case ["review", *rest]:
            return _parse_review(rest)
        case ["agents", *rest]:
            return _parse_agents(rest)
        case ["sessions", *rest]:
            return _parse_sessions(rest)
        case ["sandbox", *rest]:
            return _parse_sandbox(rest)
        case ["permissions", *rest]:
            return _parse_permissions(rest)
        case ["completion", *rest]:
            return _parse_completion(rest)
        case ["help", *rest]:
            return _parse_help(rest)
        case _:
            return _parse_session(arguments)


def format_command_line_help() -> str:
    """Return what `--help` prints."""
    return make_session_parser().format_help()


def _parse_session(arguments: list[str]) -> LaunchOptions:
    values = make_session_parser().parse_args(arguments)
    if not values.print and (values.output_format != "text" or values.allow_denials):
        option = "--allow-denials" if values.allow_denials else "--output-format"
        message = f"{option} only works with -p"
        raise StartError(message)
    if values.print and values.resume == "":
        message = "with -p, --resume needs the id of a session; greenroom sessions lists them"
        raise StartError(message)
    return LaunchOptions(
        prompt=values.prompt,
        headless=values.print,
        output_format=cast("OutputFormat", values.output_format),
        allow_denials=values.allow_denials,
        model=values.model,
        agent=values.agent,
        permission_mode=values.permission_mode,
        max_depth=values.max_depth,
        max_turns=values.max_turns,
        time_limit_s=values.time_limit,
        continue_last=values.resume_last,
        resume_id=values.resume,
        fork_id=values.fork,
        added_folders=tuple(values.add_dir),
        trust_workspace=values.trust,
    )


def make_session_parser() -> argparse.ArgumentParser:
    """Return the parser of the command line without a command."""
    parser = _Parser(
        prog="greenroom",
        description=COMMAND_LINE_DESCRIPTION,
        epilog=COMMAND_LINE_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        usage=COMMAND_LINE_USAGE,
        allow_abbrev=False,
        add_help=False,
    )
    arguments = parser.add_argument_group("arguments")
    arguments.add_argument(
        "prompt",
        nargs="?",
        metavar="PROMPT",
        help="first prompt; with -p, - reads it from standard input",
    )
    _add_headless_options(parser)
    _add_agent_options(parser)
    _add_session_options(parser)
    _add_limits(parser)
    other = parser.add_argument_group("other options")
    other.add_argument("--version", action="version", version=f"greenroom {VERSION}")
    other.add_argument("-h", "--help", action="help", help="show this help and exit")
    return parser


def _add_headless_options(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("headless")
    group.add_argument(
        "-p",
        "--print",
        action="store_true",
        help="run one prompt, print the answer and exit; piped input is appended to the prompt",
    )
    group.add_argument(
        "--output-format",
        choices=("text", "json", "stream-json"),
        default="text",
        help="with -p: output format (default: text)",
    )
    group.add_argument(
        "--allow-denials",
        action="store_true",
        help="with -p: exit with 0 although calls were denied because no user could be asked",
    )


def _add_agent_options(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("model, agent and permissions")
    group.add_argument(
        "--model", metavar="NAME", help="use this model: an id, or fable, opus, sonnet or haiku"
    )
    group.add_argument(
        "--agent", metavar="NAME", help="talk to this agent; greenroom agents lists them"
    )
    group.add_argument(
        "--permission-mode",
        choices=_MODES,
        help="plan: read and write a plan, change nothing else; "
        "auto-edit: do not ask before edits in the workspace; "
        "yolo: ask only before changes to protected files (default: default)",
    )
    group.add_argument(
        "--add-dir",
        metavar="DIR",
        action="append",
        default=[],
        help="allow work in another directory; repeatable",
    )
    group.add_argument(
        "--trust",
        action="store_true",
        help="trust this workspace: use its instructions, settings and agents",
    )


def _add_session_options(parser: argparse.ArgumentParser) -> None:
    titled = parser.add_argument_group("sessions")
    group = titled.add_mutually_exclusive_group()
    group.add_argument(
        "--continue",
        action="store_true",
        dest="resume_last",
        help="resume the last session in this workspace that is not open elsewhere",
    )
    group.add_argument(
        "--resume",
        metavar="SESSION",
        nargs="?",
        const="",
        help="resume this session; a unique prefix of its id is enough; without it, choose one",
    )
    group.add_argument(
        "--fork", metavar="SESSION", help="start a new session from a copy of this one"
    )


def _add_limits(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("limits")
    group.add_argument(
        "--max-turns",
        type=parse_count,
        metavar="N",
        help="ask whether to continue (with -p: stop) after N model requests per prompt",
    )
    group.add_argument(
        "--time-limit",
        type=parse_seconds,
        metavar="SECONDS",
        help="ask whether to continue (with -p: stop) after this much time per prompt, not "
        "counting time spent waiting for you",
    )
    group.add_argument(
        "--max-depth",
        type=parse_depth,
        metavar="N",
        help="maximum depth of subagents (default: 3)",
    )


def _parse_demo(arguments: list[str]) -> LaunchOptions:
    parser = _Parser(
        prog="greenroom demo",
        description="Play a scripted session in a throwaway git repository.",
        allow_abbrev=False,
    )
    parser.add_argument(
        "--auto", action="store_true", help="answer the approval requests automatically"
    )
    parser.add_argument("--keep", action="store_true", help="keep the repository afterwards")
    values = parser.parse_args(arguments)
    return LaunchOptions(demo=True, auto_approve=values.auto, keep_folder=values.keep)


def _parse_review(arguments: list[str]) -> LaunchOptions:
    parser = _Parser(
        prog="greenroom review",
        description="Review changes and print the findings, worst first. Nothing is changed.",
        epilog=REVIEW_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        usage="greenroom review [--uncommitted | --base BRANCH | --commit SHA | INSTRUCTIONS] "
        "[options]",
        allow_abbrev=False,
    )
    add = parser.add_argument
    add("instructions", nargs="*", metavar="INSTRUCTIONS", help="what to review, in words")
    add(
        "--uncommitted",
        action="store_true",
        help="review staged, unstaged and untracked changes (default)",
    )
    add("--base", metavar="BRANCH", help="review what changed since the merge base with BRANCH")
    add("--commit", metavar="SHA", help="review what one commit changed")
    add(
        "--output-format",
        choices=("text", "json", "stream-json"),
        default="text",
        help="output format (default: text)",
    )
    add("--model", metavar="NAME", help="use this model: an id, or fable, opus, sonnet or haiku")
    add(
        "--fail-on",
        choices=_PRIORITIES,
        help="exit with 4 if there is a finding of this priority or a worse one",
    )
    values = parser.parse_args(arguments)
    return LaunchOptions(
        headless=True,
        output_format=cast("OutputFormat", values.output_format),
        model=values.model,
        review=_choose_review(values),
    )


def _choose_review(values: argparse.Namespace) -> ReviewOptions:
    """Return what to review.

    Raises:
        StartError: the options name more than one target.
    """
    fail_on = _PRIORITIES.index(values.fail_on) if values.fail_on else None
    words = " ".join(values.instructions)
    given: list[tuple[ReviewKind, str | None]] = [
        ("uncommitted", "" if values.uncommitted else None),
        ("base", values.base),
        ("commit", values.commit),
        ("custom", words if values.instructions else None),
    ]
    targets: list[tuple[ReviewKind, str]] = [
        (kind, value) for kind, value in given if value is not None
    ]
    if len(targets) > 1:
        message = "review takes one of --uncommitted, --base, --commit and INSTRUCTIONS"
        raise StartError(message)
    if not targets:
        return ReviewOptions("uncommitted", "", fail_on)
    kind, value = targets[0]
    return ReviewOptions(kind, value, fail_on)


def _parse_agents(arguments: list[str]) -> AgentsOptions:
    parser = _Parser(
        prog="greenroom agents",
        description="List the agents, where each one is defined, and which keys were ignored.",
        allow_abbrev=False,
    )
    parser.add_argument("--json", action="store_true", dest="as_json", help="print JSON")
    return AgentsOptions(as_json=parser.parse_args(arguments).as_json)


def _parse_sessions(arguments: list[str]) -> SessionsOptions:
    parser = _Parser(
        prog="greenroom sessions",
        description="List, print or export the sessions of this workspace.",
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
        help="list the sessions (default), show the conversation, or export it as a document",
    )
    add(
        "session",
        nargs="?",
        default="",
        metavar="ID",
        help="id of the session; a unique prefix is enough",
    )
    add(
        "--format",
        choices=("markdown", "json"),
        help="with export: document format (default: markdown)",
    )
    add(
        "--output",
        metavar="FILE",
        help="with export: the new file to write (default: standard output)",
    )
    values = parser.parse_args(arguments)
    _check_sessions_options(values)
    return SessionsOptions(
        values.action, values.session, values.format or "markdown", values.output
    )


def _check_sessions_options(values: argparse.Namespace) -> None:
    if bool(values.session) != (values.action != "list"):
        problem = "takes no ID" if values.session else "needs an ID; greenroom sessions lists them"
        message = f"sessions {values.action} {problem}"
        raise StartError(message)
    if values.action != "export" and (values.format or values.output):
        message = "--format and --output only work with sessions export"
        raise StartError(message)


def _parse_permissions(arguments: list[str]) -> CheckOptions:
    parser = _Parser(
        prog="greenroom permissions",
        description="Explain how a call would be decided, and why. Nothing runs.",
        allow_abbrev=False,
        usage="greenroom permissions check (--tool TOOL --target TARGET | --batch FILE) [options]",
    )
    add = parser.add_argument
    add("action", choices=("check",), metavar="check", help="explain a decision")
    add("--tool", metavar="TOOL", default="", help="the tool, such as bash or read")
    add("--target", metavar="TARGET", help="the command, path or other target of the call")
    add("--agent", metavar="NAME", help="the agent that makes the call (default: build)")
    add(
        "--under",
        metavar="NAME",
        help="the agent that starts it (default for a subagent: the configured primary agent)",
    )
    add("--mode", choices=_MODES, default="default", help="the mode (default: default)")
    add(
        "--workspace",
        metavar="DIR",
        help="the workspace root (default: the repository that contains the current directory)",
    )
    add("--rules", metavar="FILE", help="apply only these rules: a JSON list")
    add(
        "--batch",
        metavar="FILE",
        help="check many calls: JSON lines with id, tool, target and optional rules",
    )
    add("--json", action="store_true", dest="as_json", help="print JSON")
    values = parser.parse_args(arguments)
    is_single = bool(values.tool) and values.target is not None
    if is_single == (values.batch is not None):
        message = "permissions check takes either --tool and --target, or --batch"
        raise StartError(message)
    return CheckOptions(
        tool=values.tool,
        target=values.target or "",
        agent=values.agent,
        ancestor=values.under,
        mode=values.mode,
        workspace_root=values.workspace,
        rules_file=values.rules,
        batch_file=values.batch,
        as_json=values.as_json,
    )


def _parse_sandbox(arguments: list[str]) -> SandboxOptions:
    parser = _Parser(
        prog="greenroom sandbox",
        description="Play attacks on the sandbox and print which ones it blocks here. "
        "With a COMMAND, run that in the sandbox instead.",
        allow_abbrev=False,
        usage="greenroom sandbox [-- COMMAND …]",
    )
    parser.add_argument("command", nargs="*", metavar="COMMAND", help="the command to run")
    return SandboxOptions(tuple(parser.parse_args(arguments).command))


def _parse_completion(arguments: list[str]) -> CompletionOptions:
    parser = _Parser(
        prog="greenroom completion",
        description="Print a script that completes greenroom's commands, options and session ids.",
        epilog="bash: source <(greenroom completion bash), for example in ~/.bashrc",
        allow_abbrev=False,
    )
    parser.add_argument("shell", choices=("bash", "zsh", "fish"), help="the shell")
    return CompletionOptions(parser.parse_args(arguments).shell)


def _parse_help(arguments: list[str]) -> HelpOptions:
    parser = _Parser(
        prog="greenroom help",
        description="Print a help topic; without one, list the topics.",
        allow_abbrev=False,
    )
    parser.add_argument("topic", nargs="?", metavar="TOPIC", help="the topic to print")
    return HelpOptions(topic=parser.parse_args(arguments).topic)

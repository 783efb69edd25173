"""`greenroom sessions`: lists, prints and exports sessions; changes nothing."""

import sys
from collections.abc import Mapping
from pathlib import Path

from actors.sessions.damage import describe_damage
from actors.sessions.errors import LogError
from actors.sessions.log_reader import LogContents, read_damaged_log
from actors.sessions.state_paths import project_folder
from shell.cli.session_lookup import find_session
from shell.config.workspace_discovery import find_workspace, get_current_folder
from shell.process.state_folder import open_state_folder
from shell.process.stdout import write_stdout
from shell.process.streams import print_error
from shell.sessions.export_file import write_new_file
from shell.sessions.export_formats import session_to_json, session_to_markdown
from shell.sessions.session_list import list_sessions
from shell.startup.errors import StartError, to_start_error
from shell.startup.options import SessionsOptions
from shell.text.sanitize import sanitize

MAX_TITLE_CHARS = 60


def run_sessions_command(
    options: SessionsOptions, environment: Mapping[str, str], now_s: float
) -> int:
    """Run `greenroom sessions …` and return the exit status.

    Raises:
        StartError: the session does not exist, or it cannot be read or written.
        OutputError: standard output cannot be written.
    """
    workspace = find_workspace(get_current_folder())
    project = project_folder(open_state_folder(environment), workspace.root)
    if options.action == "list":
        _print(_format_list(project, now_s))
        return 0
    path = find_session(project, options.session_id)
    contents = _read_session(path)
    if options.action == "show":
        _print(session_to_markdown(contents))
    else:
        _export(contents, options)
    return 0


def _format_list(project: Path, now_s: float) -> str:
    rows = list_sessions(project, now_s)
    if not rows:
        return "no sessions in this workspace yet\n"
    cells = [
        (row.session_id, row.age, str(row.turns), row.size, row.state, row.title[:MAX_TITLE_CHARS])
        for row in rows
    ]
    table = [("session", "age", "turns", "size", "state", "first prompt"), *cells]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    lines = ("  ".join(map(str.ljust, row, widths)).rstrip() for row in table)
    return "\n".join(lines) + "\n"


def _read_session(path: Path) -> LogContents:
    try:
        contents = read_damaged_log(path)
    except LogError as error:
        raise to_start_error(error.detail, error.__cause__) from error
    if contents.torn:
        print_error(f"{path}: the last record is incomplete and was left out")
    if contents.damage:
        print_error(
            f"{path}: damaged. {describe_damage(contents.damage)} The rest is complete. "
            f"Continue in a copy without the damaged turn: greenroom --fork {path.stem}"
        )
    return contents


def _export(contents: LogContents, options: SessionsOptions) -> None:
    if options.output_format == "json":
        data = session_to_json(contents)
    else:
        data = session_to_markdown(contents).encode("utf-8", "replace")
    if options.output_file is None:
        _print(data.decode())
    else:
        _write_file(Path(options.output_file), data)
        print_error(f"exported to {options.output_file}")


def _write_file(path: Path, data: bytes) -> None:
    try:
        write_new_file(path, data)
    except FileExistsError as error:
        message = f"{path} already exists; choose another file"
        raise StartError(message) from error
    except OSError as error:
        message = f"cannot write {path}: {error.strerror}"
        raise to_start_error(message, error) from error


def _print(text: str) -> None:
    """Print a document; on a terminal, control characters are made visible."""
    write_stdout((sanitize(text) if sys.stdout.isatty() else text).encode("utf-8", "replace"))

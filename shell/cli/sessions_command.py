"""`greenroom sessions`: list, show and export what is on disk; opens and changes nothing."""

import sys
from collections.abc import Mapping
from pathlib import Path

from actors.sessions.errors import LogError
from actors.sessions.log_reader import LogContents, read_log, select_records_for
from actors.sessions.state_paths import project_folder
from messages.address import PRIMARY
from shell.cli.arguments import SessionsOptions, StartError
from shell.cli.session_lookup import find_session
from shell.config.workspace_discovery import find_workspace, get_current_folder
from shell.process.state_folder import open_state_folder
from shell.process.stdout import write_stdout
from shell.process.streams import complain
from shell.sessions.export_file import write_new_file
from shell.sessions.export_formats import records_to_json, records_to_markdown
from shell.sessions.session_list import list_sessions
from shell.startup.errors import to_start_error
from shell.text.sanitize import visible

MAX_TITLE_CHARS = 60


def run_sessions_command(
    options: SessionsOptions, environment: Mapping[str, str], now_s: float
) -> int:
    """Do what `greenroom sessions …` asks for; the exit status.

    Raises:
        StartError: there is no such session, or it cannot be read or written.
        OutputError: standard output cannot be written.
    """
    workspace = find_workspace(get_current_folder())
    project = project_folder(open_state_folder(environment), workspace.root)
    if options.action == "list":
        _write(_listed(project, now_s))
        return 0
    path = find_session(project, options.session_id)
    contents = _contents(path)
    if options.action == "show":
        _write(records_to_markdown(select_records_for(contents, PRIMARY)))
    else:
        _export(contents, options)
    return 0


def _listed(project: Path, now_s: float) -> str:
    found = list_sessions(project, now_s)
    if not found:
        return "no sessions in this workspace yet\n"
    cells = [
        (row.session_id, row.age, str(row.turns), row.size, row.state, row.title[:MAX_TITLE_CHARS])
        for row in found
    ]
    table = [("session", "age", "turns", "size", "state", "first prompt"), *cells]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    lines = ("  ".join(map(str.ljust, row, widths)).rstrip() for row in table)
    return "\n".join(lines) + "\n"


def _contents(path: Path) -> LogContents:
    try:
        contents = read_log(path)
    except LogError as error:
        raise to_start_error(error.detail, error.__cause__) from error
    if contents.torn:
        complain(f"{path}: the last record is not finished and is left out")
    return contents


def _export(contents: LogContents, options: SessionsOptions) -> None:
    if options.output_format == "json":
        data = records_to_json(contents.lines)
    else:
        data = records_to_markdown(select_records_for(contents, PRIMARY)).encode("utf-8", "replace")
    if options.output_file is None:
        _write(data.decode())
    else:
        _write_out(Path(options.output_file), data)
        complain(f"written to {options.output_file}")


def _write_out(path: Path, data: bytes) -> None:
    try:
        write_new_file(path, data)
    except FileExistsError as error:
        message = f"{path}: there is such a file already; name another"
        raise StartError(message) from error
    except OSError as error:
        message = f"{path}: {error.strerror}"
        raise to_start_error(message, error) from error


def _write(text: str) -> None:
    """Print a document; on a terminal nothing in it can draw."""
    write_stdout((visible(text) if sys.stdout.isatty() else text).encode("utf-8", "replace"))

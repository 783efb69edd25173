"""`greenroom sessions`: list, show and export what is on disk; opens and changes nothing."""

import sys
from collections.abc import Mapping
from pathlib import Path

from actors.sessions.faults import LogError
from actors.sessions.places import project_folder
from actors.sessions.reading import LogContents, concerning, read_log
from messages.address import PRIMARY
from shell.arguments import SessionsOptions, StartError
from shell.config.workspace import current_folder, workspace_of
from shell.new_file import write_new
from shell.open_state import open_state
from shell.output import emit
from shell.process import complain
from shell.refused import refused
from shell.session_choice import chosen
from shell.session_list import rows
from shell.transcript import as_json, markdown
from shell.visible import visible

TITLE_CHARS = 60


def run_sessions(options: SessionsOptions, environment: Mapping[str, str], now_s: float) -> int:
    """Do what `greenroom sessions …` asks for; the exit status.

    Raises:
        StartError: there is no such session, or it cannot be read or written.
        OutputError: standard output cannot be written.
    """
    workspace = workspace_of(current_folder())
    project = project_folder(open_state(environment), workspace.root)
    if options.action == "list":
        _write(_listed(project, now_s))
        return 0
    path = chosen(project, options.session)
    contents = _contents(path)
    if options.action == "show":
        _write(markdown(concerning(contents, PRIMARY)))
    else:
        _export(contents, options)
    return 0


def _listed(project: Path, now_s: float) -> str:
    found = rows(project, now_s)
    if not found:
        return "no sessions in this workspace yet\n"
    cells = [
        (row.session_id, row.age, str(row.turns), row.size, row.state, row.title[:TITLE_CHARS])
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
        raise refused(error.detail, error.__cause__) from error
    if contents.torn:
        complain(f"{path}: the last record is not finished and is left out")
    return contents


def _export(contents: LogContents, options: SessionsOptions) -> None:
    if options.output_format == "json":
        data = as_json(contents.lines)
    else:
        data = markdown(concerning(contents, PRIMARY)).encode("utf-8", "replace")
    if options.output is None:
        _write(data.decode())
    else:
        _write_out(Path(options.output), data)
        complain(f"written to {options.output}")


def _write_out(path: Path, data: bytes) -> None:
    try:
        write_new(path, data)
    except FileExistsError as error:
        message = f"{path}: there is such a file already; name another"
        raise StartError(message) from error
    except OSError as error:
        message = f"{path}: {error.strerror}"
        raise refused(message, error) from error


def _write(text: str) -> None:
    """Print a document; on a terminal nothing in it can draw."""
    emit((visible(text) if sys.stdout.isatty() else text).encode("utf-8", "replace"))

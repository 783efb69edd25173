"""`/undo` and `/redo`."""

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from messages.snapshots import ChangesUndone, RecordUndo
from shell.commands.command import Command, ReplHost
from shell.sessions.session_context import SessionContext
from shell.view.picker import PickerItem, create_picker

if TYPE_CHECKING:
    from actors.snapshots.change_history import TurnChange
    from actors.snapshots.snapshot_store import SnapshotStore
    from actors.snapshots.undo import UndoPlan

NOTHING_TO_UNDO = "No turn of this session has changes to undo."
NOTHING_TO_REDO = "No undo of this session can be taken back."
IS_WORKING = "Files can be restored when no turn is running. Press Esc to interrupt it."
FAILED = "The files could not be restored. See greenroom.log for the reason."
MAX_DIFF_LINES = 200
MAX_LISTED_FILES = 20
MAX_PROMPT_CHARS = 60


@dataclass(frozen=True, slots=True)
class _Proposal:
    """An undo that the user decides on."""

    change: "TurnChange"
    store: "SnapshotStore"
    plan: "UndoPlan"
    diff: str
    is_redo: bool


def undo(words: list[str], host: ReplHost) -> str:
    """Undo what the last turn changed in files; shows the diff and asks first."""
    return "usage: /undo" if words else _propose(host, is_redo=False)


def redo(words: list[str], host: ReplHost) -> str:
    """Take back the last `/undo`; shows the diff and asks first."""
    return "usage: /redo" if words else _propose(host, is_redo=True)


def _propose(host: ReplHost, *, is_redo: bool) -> str:
    if host.state.turn is not None:
        return IS_WORKING
    job = partial(_prepare, host.session_context, is_redo=is_redo)
    host.run_in_thread(job, partial(_ask, host))
    return ""


def _prepare(context: SessionContext, *, is_redo: bool) -> _Proposal | str:
    # Imported here: only these commands need them.
    from actors.snapshots.change_history import find_redo, find_undo  # noqa: PLC0415
    from actors.snapshots.snapshot_store import SnapshotError  # noqa: PLC0415
    from actors.snapshots.undo import compare, plan_undo  # noqa: PLC0415
    from shell.commands.session_changes import ChangesError, read_changes  # noqa: PLC0415

    store = context.snapshots
    try:
        changes = read_changes(context.session_file)
        change = find_redo(changes) if is_redo else find_undo(changes)
        if change is None or store is None:
            return NOTHING_TO_REDO if is_redo else NOTHING_TO_UNDO
        before, after = change.before, change.after or store.take("now").commit
        if is_redo and change.last_undo is not None:
            before, after = change.last_undo.before, change.last_undo.after
        plan = plan_undo(store, before, after)
        diff = compare(store, plan.current, plan.target).diff
    except (ChangesError, SnapshotError) as error:
        return f"Nothing was changed: {error}."
    return _Proposal(change, store, plan, diff, is_redo)


def _ask(host: ReplHost, proposal: _Proposal | str | None) -> None:
    if not isinstance(proposal, _Proposal):
        host.print_notice(proposal or FAILED)
        return
    plan = proposal.plan
    left = _format_files("Changed since, so left as they are", plan.left)
    if not plan.changes:
        host.print_notice("\n".join(("No file can be restored.", *left)))
        return
    host.print_notice("\n".join((*_cut(proposal.diff.splitlines()), *left)))
    prompt = " ".join(proposal.change.prompt.split())[:MAX_PROMPT_CHARS]
    action = "Restore the changes of" if proposal.is_redo else "Undo the changes of"
    count = len(plan.changes)
    items = (
        PickerItem("Yes", f"change {count} {'file' if count == 1 else 'files'} as shown"),
        PickerItem("No", "leave everything as it is"),
    )
    title = f"{action} turn {proposal.change.turn}: {prompt}"
    host.show_picker(create_picker(title, items, partial(_on_answer, host, proposal)))


def _on_answer(host: ReplHost, proposal: _Proposal, index: int) -> None:
    if index != 0:
        return
    if host.state.turn is not None:
        host.print_notice(IS_WORKING)
        return
    host.run_in_thread(partial(_carry_out, proposal), partial(_report, host, proposal))


def _carry_out(proposal: _Proposal) -> tuple[str, ...] | str:
    from actors.snapshots.snapshot_store import SnapshotError  # noqa: PLC0415  (as above)
    from actors.snapshots.undo import carry_out  # noqa: PLC0415  (as above)

    try:
        return carry_out(proposal.store, proposal.plan)
    except SnapshotError as error:
        return f"The files could not be restored: {error}."


def _report(host: ReplHost, proposal: _Proposal, failed: tuple[str, ...] | str | None) -> None:
    if not isinstance(failed, tuple):
        host.print_notice(failed or FAILED)
        return
    plan = proposal.plan
    files = tuple(change.path for change in plan.changes if change.path not in failed)
    if files:
        undone = ChangesUndone(
            turn=proposal.change.turn,
            is_redo=proposal.is_redo,
            before=plan.current,
            after=plan.target,
            files=tuple(_to_text(path) for path in files),
        )
        host.post(RecordUndo(undone=undone))
    hint = "/undo undoes them again" if proposal.is_redo else "/redo takes this back"
    count = f"{len(files)} {'file' if len(files) == 1 else 'files'}"
    done = "restored" if proposal.is_redo else "undone"
    failures = _format_files("Could not be changed", failed)
    text = f"Turn {proposal.change.turn}: changes {done} in {count}; {hint}."
    host.print_notice("\n".join((text, *failures)))


def _format_files(heading: str, paths: tuple[str, ...]) -> tuple[str, ...]:
    if not paths:
        return ()
    more = len(paths) - MAX_LISTED_FILES
    rest = (f"  … +{more} files",) if more > 0 else ()
    return (f"{heading}:", *(f"  {_to_text(path)}" for path in paths[:MAX_LISTED_FILES]), *rest)


def _cut(lines: list[str]) -> list[str]:
    omitted = len(lines) - MAX_DIFF_LINES
    return [*lines[:MAX_DIFF_LINES], *([f"… +{omitted} lines"] if omitted > 0 else [])]


def _to_text(path: str) -> str:
    """Return a path without the bytes that are no valid text."""
    return path.encode("utf-8", "replace").decode("utf-8")


UNDO = Command("undo", undo)
REDO = Command("redo", redo)

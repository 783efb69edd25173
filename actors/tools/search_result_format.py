"""How `glob` and `grep` show the files they found and the entries they skipped."""

from pathlib import Path

from actors.tools.file_walk import MAX_WALK_ENTRIES, SkippedEntries
from actors.tools.target_paths import escape_control_characters
from actors.tools.tool import ToolContext


def format_path(path: Path, context: ToolContext) -> str:
    """Write a path on one line, in a form that the `read` tool accepts."""
    is_inside = path.is_relative_to(context.workspace.cwd)
    name = str(path.relative_to(context.workspace.cwd) if is_inside else path)
    return escape_control_characters(
        name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    )


def format_skipped_notes(skipped: SkippedEntries) -> list[str]:
    """Write notes for the model about what a walk skipped."""
    notes = format_skipped_counts(
        format_count(skipped.ignored_count, "ignored by .gitignore", "ignored by .gitignore"),
        format_count(
            skipped.irregular_count,
            "entry that is not a regular file (symbolic link, pipe or device)",
            "entries that are not regular files (symbolic links, pipes or devices)",
        ),
        format_count(
            skipped.unlistable_count,
            "directory that cannot be listed",
            "directories that cannot be listed",
        ),
    )
    if skipped.is_truncated:
        notes.append(
            f"[truncated: only {MAX_WALK_ENTRIES:,} entries were examined; search a subdirectory]"
        )
    return notes


def format_skipped_counts(*counts: str) -> list[str]:
    """Write one note with the counts that are not empty; no note if all are."""
    listed = ", ".join(filter(None, counts))
    return [f"[skipped: {listed}]"] if listed else []


def format_count(count: int, singular: str, plural: str) -> str:
    """Write a count and its noun; empty for zero."""
    return f"{count:,} {singular if count == 1 else plural}" if count else ""

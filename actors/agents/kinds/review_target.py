"""Describes what is reviewed, in a few words."""

from actors.tools.target_paths import escape_control_characters
from messages.reviews import (
    BaseBranch,
    CommitTarget,
    CustomTarget,
    ReviewTarget,
    UncommittedChanges,
)

MAX_TITLE_CHARS = 60


def describe_target(target: ReviewTarget) -> str:
    """Return what is reviewed, in a few words on one line."""
    match target:
        case UncommittedChanges():
            text = "uncommitted changes"
        case BaseBranch():
            text = f"changes since {target.branch}"
        case CommitTarget():
            text = f"commit {target.sha}"
        case CustomTarget():
            return f'"{shorten(target.instructions)}"'
    return shorten(text)


def shorten(text: str) -> str:
    """Write the start of a text on one line."""
    text = escape_control_characters(" ".join(clean_text(text).split()))
    return text if len(text) <= MAX_TITLE_CHARS else f"{text[:MAX_TITLE_CHARS]}…"


def clean_text(text: str) -> str:
    """Replace half surrogate pairs, which cannot be stored or sent."""
    return text.encode("utf-8", "replace").decode("utf-8")

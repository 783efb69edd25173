"""What a person is told of the disk that the session is kept on."""

from pathlib import PurePath

from messages.turns import PersistenceChanged

WRITTEN_AGAIN = "The session is written again; nothing that was said is missing."


def unwritten(event: PersistenceChanged) -> str:
    """Say that nothing is recorded, why, and what that means."""
    return (
        f"The session cannot be written ({event.detail}). Until it can, nothing is changed and "
        "nobody is asked; what is said meanwhile is kept, and lost only if Greenroom ends before."
    )


def line_of(event: PersistenceChanged) -> str:
    """Say it where there is no footer."""
    match event.state:
        case "well":
            return WRITTEN_AGAIN
        case "failing":
            return unwritten(event)
        case "slow":
            return "The disk is slow to take what is said."


def mark(disk: PersistenceChanged, file: str) -> str:
    """Say in a few words what stands in the footer; empty: all is well."""
    match disk.state:
        case "well":
            return ""
        case "failing":
            return "⚠ the session is not saved"
        case "slow":
            return f"⚠ the disk is slow: {PurePath(file).name or 'the session'} waits"

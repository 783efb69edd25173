"""The files of the workspace, as `@` completes them; for a thread beside the screen."""

import os
from itertools import islice
from pathlib import Path

from actors.tools.file_walk import FileWalk

MAX_FILES = 50_000


def list_files(root: Path) -> tuple[str, ...]:
    """List files relative to `root`, those left out that a `.gitignore` names.

    Raises:
        OSError: the folder cannot be listed.
    """
    folder = Path(os.path.realpath(root))
    return tuple(islice(FileWalk(folder, folder).iter_files(), MAX_FILES))

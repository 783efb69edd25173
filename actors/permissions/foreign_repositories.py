"""Which repository git would use in a folder; only the workspace's own is acceptable.

A repository's configuration can name programs that git starts.
"""

import os.path


def can_find_foreign_repository(folder: str, root: str) -> bool:
    """Whether git may find a repository other than the workspace's own from this folder.

    In each folder on the way up, git looks for `.git` and then for the layout of a bare repository.
    The workspace's own `.git` is protected, but plain writes can create a bare layout. A `.git` may
    also be a file that names another folder.
    """
    if folder != root and not folder.startswith(f"{root.rstrip('/')}/"):
        return True
    while not _may_be_bare_repository(folder):
        if folder == root:
            return False
        if os.path.lexists(f"{folder}/.git"):
            return True
        folder = folder.rpartition("/")[0]
    return True


def _may_be_bare_repository(folder: str) -> bool:
    """Whether git could accept a folder as a bare repository; its objects may be elsewhere."""
    if not os.path.lexists(f"{folder}/HEAD"):
        return False
    return os.path.lexists(f"{folder}/refs") or os.path.lexists(f"{folder}/commondir")

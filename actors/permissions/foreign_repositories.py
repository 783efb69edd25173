"""Which repository git would use in a folder; only the workspace's own is acceptable.

A repository's configuration can name programs that git starts.
"""

from actors.paths.resolve import PathResolver, is_in_workspace


def can_find_foreign_repository(folder: str, resolver: PathResolver) -> bool:
    """Whether git may find a repository other than the workspace's own from this folder.

    In each folder on the way up, git looks for `.git` and then for the layout of a bare repository.
    The workspace's own `.git` is protected, but plain writes can create a bare layout.
    """
    root = resolver.workspace_paths.root
    target = resolver.to_target(folder)
    if target.startswith("/") or not is_in_workspace(target):
        return True
    while not _may_be_bare_repository(folder, resolver):
        if folder == root:
            return False
        if resolver.identify_file(f"{folder}/.git"):
            return True
        folder = folder.rpartition("/")[0]
    return True


def _may_be_bare_repository(folder: str, resolver: PathResolver) -> bool:
    """Whether git could accept a folder as a bare repository; its objects may be elsewhere."""
    identify_file = resolver.identify_file
    if not identify_file(f"{folder}/HEAD"):
        return False
    return bool(identify_file(f"{folder}/refs") or identify_file(f"{folder}/commondir"))

"""Which repository git would find: its settings may name programs, so only the workspace's own."""

from actors.paths.resolve import PathResolver, is_in_workspace


def can_find_foreign_repository(folder: str, resolver: PathResolver) -> bool:
    """Whether git may find another repository from this folder than the workspace's own.

    Git looks for `.git`, then for the layout of a bare repository, in each folder on the way up;
    the workspace's own `.git` is protected, a bare layout can be put together by plain writes.
    """
    root = resolver.workspace_paths.root
    target = resolver.to_target(folder)
    if target.startswith("/") or not is_in_workspace(target):
        return True
    while not _looks_bare(folder, resolver):
        if folder == root:
            return False
        if resolver.identify_file(f"{folder}/.git"):
            return True
        folder = folder.rpartition("/")[0]
    return True


def _looks_bare(folder: str, explorer: PathResolver) -> bool:
    """Whether git could take a folder for a bare repository; others may hold its objects."""
    probe = explorer.identify_file
    if not probe(f"{folder}/HEAD"):
        return False
    return bool(probe(f"{folder}/refs") or probe(f"{folder}/commondir"))

"""May this file be read? For tools that open many files after one verdict."""

from actors.paths.resolve import is_in_workspace
from actors.permissions.access import Access
from actors.permissions.decide import decide_access
from actors.permissions.rule_index import get_rule_index
from messages.policy import FileReadPolicy


def can_read(target: str, reads: FileReadPolicy, allowed_folder: str = "") -> bool:
    """Whether a file may be read without a question; `target` is resolved, as in a request.

    `within` is a folder that a person or a rule has opened: below it nothing asks only for lying
    outside the workspace.
    """
    inside = is_in_workspace(target, reads.policy.added_directories)
    matter = Access("read", target, "read", is_in_workspace=inside, changes_nothing=True)
    if (
        allowed_folder
        and not inside
        and (target == allowed_folder or target.startswith(f"{allowed_folder.rstrip('/')}/"))
    ):
        matter = matter._replace(rule_scope="tightens")
    return (
        decide_access(matter, get_rule_index(reads.policy, reads.profile_chain)).action == "allow"
    )

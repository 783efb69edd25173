"""Check single files for tools that open many files after one decision."""

from actors.paths.resolve import is_in_workspace
from actors.permissions.access import Access
from actors.permissions.decide import decide_access
from actors.permissions.rule_index import get_rule_index
from messages.policy import FileReadPolicy


def can_read(target: str, read_policy: FileReadPolicy, allowed_folder: str = "") -> bool:
    """Whether a file may be read without asking; `target` is resolved, as in a permission request.

    The user or a rule has allowed reading `allowed_folder`. A file below it does not ask merely
    because it is outside the workspace.
    """
    is_inside = is_in_workspace(target, read_policy.policy.added_directories)
    access = Access("read", target, "read", "read", is_in_workspace=is_inside, changes_nothing=True)
    if (
        allowed_folder
        and not is_inside
        and (target == allowed_folder or target.startswith(f"{allowed_folder.rstrip('/')}/"))
    ):
        access = access._replace(rule_scope="ask_or_deny")
    rule_index = get_rule_index(read_policy.policy, read_policy.profile_chain)
    return decide_access(access, rule_index).action == "allow"

"""May this file be read? For tools that open many files after one verdict."""

from actors.permissions.judging import decide
from actors.permissions.matters import Access
from actors.permissions.places import is_inside
from actors.permissions.rulebook import rulebook_of
from messages.rules import FileReadPolicy


def may_read(target: str, reads: FileReadPolicy, within: str = "") -> bool:
    """Whether a file may be read without a question; `target` is resolved, as in a request.

    `within` is a folder that a person or a rule has opened: below it nothing asks only for lying
    outside the workspace.
    """
    inside = is_inside(target, reads.policy.added)
    matter = Access("read", target, "read", inside=inside, reading=True)
    if within and not inside and (target == within or target.startswith(f"{within.rstrip('/')}/")):
        matter = matter._replace(weight="tightens")
    return decide(matter, rulebook_of(reads.policy, reads.chain)).action == "allow"

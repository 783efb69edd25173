"""What `write` and `edit` share: a patch that is planned, shown, and then applied exactly."""

from pathlib import Path

from actors.tools.diffs import counts, unified
from actors.tools.files import Content, apply
from actors.tools.folders import running
from actors.tools.paths import one_line, resolve_again, target_of
from actors.tools.tool import ToolContext, ToolError
from messages.permissions import PermissionRequest
from messages.tools import Patch, Plan, ToolOutput


def planned(name: str, content: Content, after: str, context: ToolContext) -> Plan:
    """Plan to put the text `after` where `content` stands.

    Raises:
        ToolError: it stands there already.
    """
    target = context.workspace.target(Path(content.state.path))
    shown = one_line(target)
    if content.data == after.encode():
        message = f"{shown} has exactly this content already"
        raise ToolError(message)
    patch = Patch(
        path=content.state.path,
        before=content.state,
        after=after,
        diff=unified(content.data, after, shown),
    )
    request = PermissionRequest(permission=name, target=target)
    return Plan(title=f"{name} {shown}", requests=(request,), patch=patch)


def applied(path: str, plan: Plan, context: ToolContext) -> ToolOutput:
    """Carry out the plan's patch, or nothing.

    Raises:
        Drifted: the path or the file is not what was planned on.
        ToolError: the system refuses.
    """
    patch = plan.patch
    if patch is None:
        message = "a plan to change a file has a patch"
        raise ValueError(message)
    resolve_again(path, target_of(plan), context)
    with running(path):
        state = apply(patch)
    verb = "changed" if patch.before.digest else "created"
    text = f"{verb} {one_line(target_of(plan))} ({counts(patch.diff)})"
    return ToolOutput(text=text, seen=(state,))

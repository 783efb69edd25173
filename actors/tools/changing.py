"""What `write` and `edit` share: a patch that is planned, shown, and then applied exactly."""

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from actors.tools.diffs import counts, unified
from actors.tools.files import Content, apply
from actors.tools.folders import running
from actors.tools.paths import one_line, resolve_again, target_of
from actors.tools.tool import ToolContext, ToolError, UnreadFileError
from messages.rules import PermissionRequest
from messages.tools import CallPlan, Patch, ToolOutput


def unread(content: Content, context: ToolContext) -> str:
    """Name the file as a target if it is there and the agent has not read it, else nothing."""
    if content.data is None or content.state.path in context.observed_files:
        return ""
    return context.workspace.target(Path(content.state.path))


@contextmanager
def judging(name: str, content: Content, context: ToolContext) -> Generator[None]:
    """Keep what a fault says of a file's content for those who may read it.

    Raises:
        UnreadFileError: in the place of a `ToolError` about a file that was not read yet.
    """
    try:
        yield
    except ToolError as error:
        peeked = unread(content, context)
        if not peeked:
            raise
        title = f"{name} {one_line(peeked)}"
        plan = CallPlan(title=title, requests=(), unread_file=peeked, refusal=str(error))
        raise UnreadFileError(str(error), plan) from error


def planned(name: str, content: Content, after: str, context: ToolContext) -> CallPlan:
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
    return CallPlan(
        title=f"{name} {shown}",
        requests=(request,),
        patch=patch,
        unread_file=unread(content, context),
    )


def applied(path: str, plan: CallPlan, context: ToolContext) -> ToolOutput:
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
    return ToolOutput(text=text, observed_files=(state,))

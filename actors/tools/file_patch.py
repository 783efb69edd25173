"""What `write` and `edit` share: a patch that is planned, shown, and then applied exactly."""

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from actors.tools.file_content import FileContent, apply_patch
from actors.tools.safe_open import map_run_errors
from actors.tools.target_paths import escape_control_characters, get_plan_target, recheck_target
from actors.tools.tool import ToolContext, ToolError, UnreadFileError
from actors.tools.unified_diff import make_unified_diff, summarize_diff
from messages.policy import PermissionRequest
from messages.tool_calls import CallPlan, Patch, ToolOutput


def get_unread_target(content: FileContent, context: ToolContext) -> str:
    """Name the file as a target if it is there and the agent has not read it, else nothing."""
    if content.data is None or content.file_digest.path in context.observed_files:
        return ""
    return context.workspace.to_target(Path(content.file_digest.path))


@contextmanager
def guard_unread_content(
    tool_name: str, content: FileContent, context: ToolContext
) -> Generator[None]:
    """Keep what a fault says of a file's content for those who may read it.

    Raises:
        UnreadFileError: in the place of a `ToolError` about a file that was not read yet.
    """
    try:
        yield
    except ToolError as error:
        peeked = get_unread_target(content, context)
        if not peeked:
            raise
        title = f"{tool_name} {escape_control_characters(peeked)}"
        plan = CallPlan(title=title, requests=(), unread_file=peeked, rejection=str(error))
        raise UnreadFileError(str(error), plan) from error


def plan_patch(
    tool_name: str, content: FileContent, new_text: str, context: ToolContext
) -> CallPlan:
    """Plan to put the text `after` where `content` stands.

    Raises:
        ToolError: it stands there already.
    """
    target = context.workspace.to_target(Path(content.file_digest.path))
    shown = escape_control_characters(target)
    if content.data == new_text.encode():
        message = f"{shown} has exactly this content already"
        raise ToolError(message)
    patch = Patch(
        path=content.file_digest.path,
        original=content.file_digest,
        new_text=new_text,
        diff=make_unified_diff(content.data, new_text, shown),
    )
    request = PermissionRequest(permission=tool_name, target=target)
    return CallPlan(
        title=f"{tool_name} {shown}",
        requests=(request,),
        patch=patch,
        unread_file=get_unread_target(content, context),
    )


def apply_plan(given_path: str, plan: CallPlan, context: ToolContext) -> ToolOutput:
    """Carry out the plan's patch, or nothing.

    Raises:
        Drifted: the path or the file is not what was planned on.
        ToolError: the system refuses.
    """
    patch = plan.patch
    if patch is None:
        message = "a plan to change a file has a patch"
        raise ValueError(message)
    recheck_target(given_path, get_plan_target(plan), context)
    with map_run_errors(given_path):
        state = apply_patch(patch)
    verb = "changed" if patch.original.digest else "created"
    text = (
        f"{verb} {escape_control_characters(get_plan_target(plan))} ({summarize_diff(patch.diff)})"
    )
    return ToolOutput(text=text, observed_files=(state,))

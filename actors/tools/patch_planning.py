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
    """Return the file's target if it exists and the agent has not read it; otherwise empty."""
    if content.data is None or content.file_digest.path in context.observed_files:
        return ""
    return context.workspace.to_target(Path(content.file_digest.path))


@contextmanager
def guard_unread_content(
    tool_name: str, content: FileContent, context: ToolContext
) -> Generator[None]:
    """Keep an error from revealing the content of a file that the agent has not read.

    Raises:
        UnreadFileError: in place of a `ToolError` about such a file.
    """
    try:
        yield
    except ToolError as error:
        target = get_unread_target(content, context)
        if not target:
            raise
        title = f"{tool_name} {escape_control_characters(target)}"
        plan = CallPlan(title=title, requests=(), unread_file=target, rejection=str(error))
        raise UnreadFileError(str(error), plan) from error


def plan_patch(
    tool_name: str, content: FileContent, new_text: str, context: ToolContext
) -> CallPlan:
    """Plan to replace `content` with `new_text`.

    Raises:
        ToolError: the file already has this content.
    """
    target = context.workspace.to_target(Path(content.file_digest.path))
    name = escape_control_characters(target)
    if content.data == new_text.encode():
        message = f"{name} already has exactly this content"
        raise ToolError(message)
    patch = Patch(
        path=content.file_digest.path,
        original=content.file_digest,
        new_text=new_text,
        diff=make_unified_diff(content.data, new_text, name),
    )
    request = PermissionRequest(permission=tool_name, target=target)
    return CallPlan(
        title=f"{tool_name} {name}",
        requests=(request,),
        patch=patch,
        unread_file=get_unread_target(content, context),
    )


def apply_plan(given_path: str, plan: CallPlan, context: ToolContext) -> ToolOutput:
    """Apply the plan's patch.

    Raises:
        TargetChangedError: the path or the file is not what was planned.
        ToolError: the system does not allow it.
    """
    patch = plan.patch
    if patch is None:
        message = "a plan to change a file has a patch"
        raise ValueError(message)
    recheck_target(given_path, get_plan_target(plan), context)
    with map_run_errors(given_path):
        digest = apply_patch(patch)
    verb = "changed" if patch.original.digest else "created"
    name = escape_control_characters(get_plan_target(plan))
    return ToolOutput(
        text=f"{verb} {name} ({summarize_diff(patch.diff)})", observed_files=(digest,)
    )

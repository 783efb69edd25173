"""A tool call: its plan, its output, and the values they consist of."""

from messages.base import Value
from messages.policy import PermissionRequest, WorkspaceAccess
from messages.todos import Todo
from messages.user_questions import UserQuestion


class FileDigest(Value):
    """A file and its content digest when the agent last read or wrote it."""

    path: str
    """Absolute, with symbolic links resolved."""
    digest: str
    """SHA-256 of the content in hex; empty: the file does not exist."""


class Patch(Value):
    """A change to one file, bound to the content it was computed from."""

    path: str
    """Absolute, with symbolic links resolved."""
    original: FileDigest
    new_text: str
    """The complete new content."""
    diff: str


class SubagentTask(Value):
    """A task for a subagent."""

    agent_type: str
    """Name of the subagent's definition."""
    description: str
    prompt: str
    task_id: str = ""
    """The existing subagent that continues; empty: a new one."""
    one_shot: bool = True
    """The subagent ends when the task ends."""
    is_background: bool = False
    """The call ends when the subagent has started."""
    bubbles: bool = False
    """As in `SubagentStarted`."""


class AgentSwitchProposal(Value):
    """A proposal to switch the session to another agent; the user decides."""

    agent: str
    """Name of a definition; empty: the previous agent."""
    confirming_reply: str
    """The reply that accepts the switch; any other reply rejects it."""
    plan_exists: bool = False
    """A plan file exists."""


class CallPlan(Value):
    """What a call would do, with every target resolved, determined without side effects."""

    title: str
    """One line for the user, such as `bash git status`."""
    full_text: str = ""
    """The complete text that the user must see before it runs; empty: same as the title."""
    requests: tuple[PermissionRequest, ...]
    workspace_access: WorkspaceAccess = "read-only"
    """What a command needs to do with the workspace, as the model says."""
    patch: Patch | None = None
    executed_files: tuple[FileDigest, ...] = ()
    """Script files that the command names and would run, with their current digests."""
    unread_file: str = ""
    """Target of a file that planning inspected and that this agent has not read yet."""
    questions: tuple[UserQuestion, ...] = ()
    """Questions for the user; the answers are the call's result."""
    task: SubagentTask | None = None
    """A task for a subagent; the subagent's last message is the call's result."""
    switch_proposal: AgentSwitchProposal | None = None
    """The agent switch that the user's answer decides on."""
    argument_note: str = ""
    """Names the unknown arguments that were ignored, for the end of the result."""
    rejection: str = ""
    """Why the call cannot run, based on `unread_file`; only for agents that may read that file."""


class ToolOutput(Value):
    """The output of a tool, returned to the model."""

    text: str
    is_error: bool = False
    """The tool ran but reports a failure, such as a nonzero exit status."""
    observed_files: tuple[FileDigest, ...] = ()
    """Files that were read or written, with their current digests."""
    todos: tuple[Todo, ...] | None = None
    """The new todo list; None: unchanged."""
    task_to_stop: str = ""
    """The `task_id` of a background task to stop; empty: none."""

"""Values of one tool call: its plan, what a tool returns, files as the agent saw them."""

from messages.base import Value
from messages.policy import PermissionRequest
from messages.user_questions import Todo, UserQuestion


class FileDigest(Value):
    """A file as the agent last saw it."""

    path: str
    """Absolute, links resolved."""
    digest: str
    """SHA-256 of its bytes, in hex; empty: there was no such file."""


class Patch(Value):
    """A change of one file, bound to what it was made from."""

    path: str
    """Absolute, links resolved."""
    original: FileDigest
    new_text: str
    """The whole text to be written."""
    diff: str


class SubagentTask(Value):
    """Work to be handed to a subagent."""

    agent_type: str
    """Its type."""
    description: str
    prompt: str
    task_id: str = ""
    """Who goes on with it; empty: a new one."""
    one_shot: bool = True
    """Whoever takes it ends with it."""


class AgentSwitchProposal(Value):
    """Another agent is to have the session, if the person says so."""

    agent: str
    """Empty: the one before."""
    confirming_reply: str
    """The reply that is a yes; any other is a no."""
    plan_exists: bool = False
    """There is a file with a plan."""


class CallPlan(Value):
    """What a call would do, with every target resolved; made without touching anything."""

    title: str
    """One line for people, such as `bash git status`."""
    full_text: str = ""
    """The whole text that a person must see before it runs; empty: the title says all."""
    requests: tuple[PermissionRequest, ...]
    patch: Patch | None = None
    executed_files: tuple[FileDigest, ...] = ()
    """Files that it runs, as far as it names them, as they are now."""
    unread_file: str = ""
    """The target of a file that the plan looked into and this agent has not read yet."""
    questions: tuple[UserQuestion, ...] = ()
    """What a person is asked; their replies are the call's result."""
    task: SubagentTask | None = None
    """It is not run but handed to a subagent, whose answer is the result."""
    switch_proposal: AgentSwitchProposal | None = None
    """What their reply may lead to."""
    rejection: str = ""
    """Why the call cannot be carried out, as what was peeked at says; only for who may read it."""


class ToolOutput(Value):
    """What a tool hands to the model."""

    text: str
    is_error: bool = False
    """It ran and its own result is a failure, such as a command's exit status."""
    observed_files: tuple[FileDigest, ...] = ()
    """Files read or written, as they are now."""
    todos: tuple[Todo, ...] | None = None
    """The ledger as the call leaves it; None: it is not about the ledger."""

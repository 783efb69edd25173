"""All slash commands, in the order of `/help`."""

from shell.commands.agents import AGENTS
from shell.commands.clear import CLEAR
from shell.commands.compact import COMPACT
from shell.commands.context import CONTEXT
from shell.commands.cost import COST
from shell.commands.diff import DIFF
from shell.commands.effort import EFFORT
from shell.commands.export import EXPORT
from shell.commands.help import HELP
from shell.commands.mode import BUILD, MODE, PLAN
from shell.commands.model import MODEL
from shell.commands.permissions import PERMISSIONS
from shell.commands.quit import QUIT
from shell.commands.rename import RENAME
from shell.commands.resume import RESUME
from shell.commands.review import REVIEW
from shell.commands.status import STATUS
from shell.commands.tasks import TASKS
from shell.commands.tree import TREE
from shell.commands.undo import REDO, UNDO

COMMANDS = {
    command.name: command
    for command in (
        HELP,
        STATUS,
        AGENTS,
        MODE,
        PLAN,
        BUILD,
        TREE,
        TASKS,
        MODEL,
        EFFORT,
        COMPACT,
        CONTEXT,
        COST,
        PERMISSIONS,
        DIFF,
        UNDO,
        REDO,
        REVIEW,
        CLEAR,
        RESUME,
        RENAME,
        EXPORT,
        QUIT,
    )
}

"""Every slash command, in the order in which `/help` lists them."""

from shell.commands.help import HELP
from shell.commands.model import MODEL
from shell.commands.quit import QUIT
from shell.commands.status import STATUS

COMMANDS = {command.name: command for command in (HELP, STATUS, MODEL, QUIT)}

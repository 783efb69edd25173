"""`/model`."""

from actors.models.names import ALIASES, resolved
from messages.turns import SetModel
from shell.commands.command import Command, ReplHost
from shell.config.schema import name_problem
from shell.view.picker import PickerItem, opened


def model(words: list[str], shell: ReplHost) -> str:
    """Show the model, or use another from the next request on."""
    session = shell.state.session
    if len(words) > 1:
        return "usage: /model [NAME]"
    if session is None:
        return "The agent has not started yet."
    if session.is_scripted:
        return "No model is at work here, a script plays its part; set ANTHROPIC_API_KEY for one."
    if not words:
        aliases = tuple(ALIASES.items())
        choices = tuple(PickerItem(alias, name) for alias, name in aliases)
        title = f"The model is {session.model}; /model ID takes any other"
        shell.pick(opened(title, choices, lambda at: shell.remark(_choose(aliases[at][1], shell))))
        return ""
    return _choose(resolved(words[0]), shell)


def _choose(name: str, shell: ReplHost) -> str:
    problem = name_problem(name)
    if problem:
        return f"The model {problem}."
    if shell.state.session and name == shell.state.session.model:
        return f"The model is {name} already."
    shell.post(SetModel(model=name))
    return ""


MODEL = Command("model", model)

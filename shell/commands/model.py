"""`/model`."""

from actors.models.names import ALIASES, resolved
from messages.turns import ChooseModel
from shell.commands.command import Command, Shell


def model(words: list[str], shell: Shell) -> str:
    """Show the model, or use another from the next request on."""
    session = shell.state.session
    if len(words) > 1:
        return "usage: /model [NAME]"
    if session is None:
        return "The agent has not started yet."
    if session.rehearsal:
        return "No model is at work here, a script plays its part; set ANTHROPIC_API_KEY for one."
    if not words:
        known = ", ".join(f"{alias} ({name})" for alias, name in ALIASES.items())
        return f"The model is {session.model}. /model NAME takes an id or one of: {known}."
    name = resolved(words[0])
    if name == session.model:
        return f"The model is {name} already."
    shell.post(ChooseModel(model=name))
    return ""


MODEL = Command("model", model)

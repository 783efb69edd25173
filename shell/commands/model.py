"""`/model`."""

from actors.models.model_names import MODEL_ALIASES, resolve_model
from messages.turns import SetModel
from shell.commands.command import Command, ReplHost
from shell.config.schema import check_name
from shell.view.picker import PickerItem, create_picker


def model(words: list[str], host: ReplHost) -> str:
    """Show the model, or use another from the next request on."""
    session = host.state.session
    if len(words) > 1:
        return "usage: /model [NAME]"
    if session is None:
        return "The agent has not started yet."
    if session.is_scripted:
        return "No model is at work here, a script plays its part; set ANTHROPIC_API_KEY for one."
    if not words:
        aliases = tuple(MODEL_ALIASES.items())
        choices = tuple(PickerItem(alias, name) for alias, name in aliases)
        title = f"The model is {session.model}; /model ID takes any other"
        host.show_picker(
            create_picker(
                title, choices, lambda at: host.print_notice(_choose(aliases[at][1], host))
            )
        )
        return ""
    return _choose(resolve_model(words[0]), host)


def _choose(name: str, host: ReplHost) -> str:
    problem = check_name(name)
    if problem:
        return f"The model {problem}."
    if host.state.session and name == host.state.session.model:
        return f"The model is {name} already."
    host.post(SetModel(model=name))
    return ""


MODEL = Command("model", model)

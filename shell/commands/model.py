"""`/model`."""

from actors.models.model_names import MODEL_ALIASES, resolve_model
from messages.turns import SetModel
from shell.commands.command import Command, ReplHost
from shell.config.schema import check_model_name
from shell.view.picker import PickerItem, create_picker
from shell.view.status_notices import SCRIPTED_MODEL_NOTICE


def model(words: list[str], host: ReplHost) -> str:
    """Show the model, or switch to another one for the next request."""
    session = host.state.session
    if len(words) > 1:
        return "usage: /model [NAME]"
    if session is None:
        return "The agent has not started yet."
    if session.is_scripted:
        return SCRIPTED_MODEL_NOTICE
    if not words:
        aliases = tuple(MODEL_ALIASES.items())
        items = tuple(PickerItem(alias, name) for alias, name in aliases)
        title = f"The model is {session.model}. For any other, type /model ID"

        def on_picked(index: int) -> None:
            host.print_notice(_set_model(aliases[index][1], host))

        host.show_picker(create_picker(title, items, on_picked))
        return ""
    return _set_model(resolve_model(words[0]), host)


def _set_model(name: str, host: ReplHost) -> str:
    problem = check_model_name(name)
    if problem:
        return f"The model name {problem}."
    if host.state.session and name == host.state.session.model:
        return f"The model is already {name}."
    host.post(SetModel(model=name))
    return ""


MODEL = Command("model", model)

"""What `find` runs and writes."""

from actors.permissions.commands.hidden import NOTHING, Hidden, Words

_RUNS = ("-exec", "-execdir", "-ok", "-okdir")
_WRITES = ("-delete", "-fls", "-fprint", "-fprint0", "-fprintf")


def find_hidden(words: Words, _stdin: str) -> Hidden:
    """Find the actions among the tests, and the commands behind them."""
    why = next((_why(word.text) for word in words[1:] if _why(word.text)), "")
    unsteady = next((word.text for word in words[1:] if not word.steady), "")
    if not why and unsteady:
        why = f"{unsteady} may be an action"
    return Hidden(why, commands=_commands(words)) if why else NOTHING


def _why(text: str) -> str:
    if text.startswith(("-exec", "-ok")):
        return f"{text} runs a command on each file"
    if text.startswith(("-fprint", "-fls")):
        return f"{text} writes a file"
    return "-delete removes files" if text == "-delete" else ""


def _commands(words: Words) -> tuple[Words, ...]:
    found: list[Words] = []
    start = 0
    for at, word in enumerate(words):
        if start and word.text in {";", "+"}:
            found.append(words[start:at])
            start = 0
        elif not start and word.text in _RUNS:
            start = at + 1
    if start:
        found.append(words[start:])
    return tuple(command for command in found if command)

"""What `find` runs and writes."""

from actors.bash.effects.indirect_effects import NO_EFFECTS, IndirectEffects, Words

_RUNS = ("-exec", "-execdir", "-ok", "-okdir")
_WRITES = ("-delete", "-fls", "-fprint", "-fprint0", "-fprintf")


def analyze_find(words: Words, _stdin: str) -> IndirectEffects:
    """Find the actions among the tests, and the commands behind them."""
    why = next((_why(word.text) for word in words[1:] if _why(word.text)), "")
    unsteady = next((word.text for word in words[1:] if not word.is_never_option), "")
    if not why and unsteady:
        why = f"{unsteady} may be an action"
    return IndirectEffects(why, commands=_commands(words)) if why else NO_EFFECTS


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

"""What a shell is given to run."""

import re
from itertools import pairwise

from actors.permissions.commands.command import Word
from actors.permissions.commands.hidden import Hidden, Words
from actors.permissions.commands.options import Leading

_WHY = "it is a shell"
_REMOTE = "it runs commands elsewhere, and here by its options"
_SSH = Leading("BbcDEeFIiJLlmOopQRSWw")
SHELLS = frozenset(
    [
        *("bash", "sh", "dash", "zsh", "ksh", "mksh", "ash", "fish", "csh", "tcsh", "rbash"),
        *("yash", "nu", "xonsh", "elvish"),
    ]
)
READING_SHELLS = SHELLS | {"source", ".", "eval"}
"""They run what comes in on their input, or may be told to."""


def shell_hidden(words: Words, stdin: str) -> Hidden:
    """Find the text behind `-c`, or on its input."""
    at, takes_script = 1, False
    while at < len(words):
        text = words[at].text
        if text == "--" or not text.startswith(("-", "+")) or len(text) == 1:
            at += text in {"--", "-"}
            break
        if text.startswith("--command="):
            return Hidden(_WHY, scripts=(text.partition("=")[2],))
        takes_script = takes_script or (text[:2] != "--" and "c" in text)
        at += 2 if _takes_value(text) else 1
    if takes_script and at < len(words):
        script = words[at].text
        given = [words[at + 1 :], words[at + 2 :]] if "$" in script else []
        return Hidden(_WHY, guesses=tuple(filter(None, given)), scripts=(script,))
    return Hidden(_WHY, scripts=(stdin,) if stdin else ())


def source_hidden(_words: Words, stdin: str) -> Hidden:
    """Find the text on the input, which a file's name may stand for."""
    return Hidden("it runs a file in this shell", scripts=(stdin,) if stdin else ())


def ssh_hidden(words: Words, _stdin: str) -> Hidden:
    """Find the command behind the host; options may stand behind it, too."""
    command = _SSH.command(words[1:])[1:]
    text = joined(_SSH.command(command))
    return Hidden(_REMOTE, scripts=(text,) if text else ())


def joined(words: Words) -> str:
    """Join words as `eval` does."""
    return " ".join(word.text for word in words)


def _takes_value(text: str) -> bool:
    if text.startswith("--"):
        return text in {"--rcfile", "--init-file"}
    return text[-1] in "oO"


_ENV = Leading("uC", ("unset", "chdir"), assignments=True)
_SPLITTING = re.compile(r"-[a-zA-BD-RTV-Z0]*S")
_FLOCK = Leading("wE", ("timeout", "wait", "conflict-exit-code"), operands=1)
_MOST_GUESSES = 16
_RUNUSER = Leading("uGgsw", ("user", "group", "supp-group", "shell"))
_CLUSTER = re.compile("-[A-Za-z]*")
_DASH_C = {"-c", "--command", "--session-command"}


def env_hidden(words: Words, _stdin: str) -> Hidden:
    """Find the command behind `env`; `-S` splits a text into one."""
    why = "it sets variables and runs a command"
    for at, word in enumerate(words[1:], 1):
        text = word.text
        option, equals, _ = text.partition("=")
        is_split = len(option) > len("--") and "--split-string".startswith(option)
        if text == "-S" or (is_split and not equals):
            return _split(why, joined(words[at + 1 :]))
        if is_split or _SPLITTING.match(text):
            script = text.partition("=" if text.startswith("--") else "S")[2]
            return _split(why, " ".join([script, joined(words[at + 1 :])]))
        if not text.startswith("-") and "=" not in text:
            break
    command = _ENV.command(words[1:])
    return Hidden(why, commands=(command,) if command else ())


def _split(why: str, text: str) -> Hidden:
    """Take a text for a command; options of `env` may stand before it."""
    rest = joined(_ENV.command(tuple(map(Word, text.split()))))
    return Hidden(why, scripts=(text,), guessed=(rest,))


def su_hidden(words: Words, _stdin: str) -> Hidden:
    """Find the text behind `su -c`; what follows the user's name may be one, too."""
    command = _RUNUSER.command(words[1:]) if words[0].text.endswith("runuser") else ()
    commands = (command,) if command else ()
    places = range(2, min(len(words), _MOST_GUESSES))
    guesses = tuple(words[at:] for at in places if words[at].text[:1] != "-")
    return Hidden("it runs a command as somebody else", commands, guesses, _after_c(words))


def script_hidden(words: Words, _stdin: str) -> Hidden:
    """Find the text behind `script -c`, also in a cluster of options."""
    return Hidden("it runs a shell and writes a file", scripts=_after_c(words))


def flock_hidden(words: Words, _stdin: str) -> Hidden:
    """Find the command behind `flock`, or the text behind its `-c`."""
    command = _FLOCK.command(words[1:])
    texts = _after_c(command[:2])
    return Hidden(
        "it runs a command",
        commands=() if texts or not command else (command,),
        scripts=texts,
        guessed=_after_c(words),
    )


def _after_c(words: Words) -> tuple[str, ...]:
    found = [word.text[10:] for word in words if word.text.startswith("--command=")]
    for before, after in pairwise((*words, Word(""))):
        cluster, c, attached = before.text.partition("c")
        if before.text in _DASH_C or (c and not attached and _CLUSTER.fullmatch(cluster)):
            found.append(after.text)
        elif c and attached and _CLUSTER.fullmatch(cluster):
            found.append(attached)
    return tuple(text for text in found if text)

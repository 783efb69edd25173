"""What a shell is given to run."""

import re
from itertools import pairwise

from actors.bash.effects.command_options import WrapperOptions
from actors.bash.effects.indirect_effects import IndirectEffects, Words
from actors.bash.syntax.parsed_command import Word

_WHY = "it is a shell"
_REMOTE = "it runs commands elsewhere, and here by its options"
_SSH = WrapperOptions("BbcDEeFIiJLlmOopQRSWw")
SHELLS = frozenset(
    [
        *("bash", "sh", "dash", "zsh", "ksh", "mksh", "ash", "fish", "csh", "tcsh", "rbash"),
        *("yash", "nu", "xonsh", "elvish"),
    ]
)
STDIN_SHELLS = SHELLS | {"source", ".", "eval"}
"""They run what comes in on their input, or may be told to."""


def analyze_shell(words: Words, stdin: str) -> IndirectEffects:
    """Find the text behind `-c`, or on its input."""
    at, takes_script = 1, False
    while at < len(words):
        text = words[at].text
        if text == "--" or not text.startswith(("-", "+")) or len(text) == 1:
            at += text in {"--", "-"}
            break
        if text.startswith("--command="):
            return IndirectEffects(_WHY, scripts=(text.partition("=")[2],))
        takes_script = takes_script or (text[:2] != "--" and "c" in text)
        at += 2 if _takes_value(text) else 1
    if takes_script and at < len(words):
        script = words[at].text
        given = [words[at + 1 :], words[at + 2 :]] if "$" in script else []
        return IndirectEffects(
            _WHY, possible_commands=tuple(filter(None, given)), scripts=(script,)
        )
    return IndirectEffects(_WHY, scripts=(stdin,) if stdin else ())


def analyze_source(_words: Words, stdin: str) -> IndirectEffects:
    """Find the text on the input, which a file's name may stand for."""
    return IndirectEffects("it runs a file in this shell", scripts=(stdin,) if stdin else ())


def analyze_ssh(words: Words, _stdin: str) -> IndirectEffects:
    """Find the command behind the host; options may stand behind it, too."""
    command = _SSH.find_command(words[1:])[1:]
    text = join_words(_SSH.find_command(command))
    return IndirectEffects(_REMOTE, scripts=(text,) if text else ())


def join_words(words: Words) -> str:
    """Join words as `eval` does."""
    return " ".join(word.text for word in words)


def _takes_value(text: str) -> bool:
    if text.startswith("--"):
        return text in {"--rcfile", "--init-file"}
    return text[-1] in "oO"


_ENV = WrapperOptions("uC", ("unset", "chdir"), allows_assignments=True)
_SPLITTING = re.compile(r"-[a-zA-BD-RTV-Z0]*S")
_FLOCK = WrapperOptions("wE", ("timeout", "wait", "conflict-exit-code"), operand_count=1)
_MOST_GUESSES = 16
_RUNUSER = WrapperOptions("uGgsw", ("user", "group", "supp-group", "shell"))
_CLUSTER = re.compile("-[A-Za-z]*")
_DASH_C = {"-c", "--command", "--session-command"}


def analyze_env(words: Words, _stdin: str) -> IndirectEffects:
    """Find the command behind `env`; `-S` splits a text into one."""
    why = "it sets variables and runs a command"
    for at, word in enumerate(words[1:], 1):
        text = word.text
        option, equals, _ = text.partition("=")
        is_split = len(option) > len("--") and "--split-string".startswith(option)
        if text == "-S" or (is_split and not equals):
            return _split(why, join_words(words[at + 1 :]))
        if is_split or _SPLITTING.match(text):
            script = text.partition("=" if text.startswith("--") else "S")[2]
            return _split(why, " ".join([script, join_words(words[at + 1 :])]))
        if not text.startswith("-") and "=" not in text:
            break
    command = _ENV.find_command(words[1:])
    return IndirectEffects(why, commands=(command,) if command else ())


def _split(why: str, text: str) -> IndirectEffects:
    """Take a text for a command; options of `env` may stand before it."""
    rest = join_words(_ENV.find_command(tuple(map(Word, text.split()))))
    return IndirectEffects(why, scripts=(text,), possible_scripts=(rest,))


def analyze_su(words: Words, _stdin: str) -> IndirectEffects:
    """Find the text behind `su -c`; what follows the user's name may be one, too."""
    command = _RUNUSER.find_command(words[1:]) if words[0].text.endswith("runuser") else ()
    commands = (command,) if command else ()
    places = range(2, min(len(words), _MOST_GUESSES))
    guesses = tuple(words[at:] for at in places if words[at].text[:1] != "-")
    return IndirectEffects("it runs a command as somebody else", commands, guesses, _after_c(words))


def analyze_script(words: Words, _stdin: str) -> IndirectEffects:
    """Find the text behind `script -c`, also in a cluster of options."""
    return IndirectEffects("it runs a shell and writes a file", scripts=_after_c(words))


def analyze_flock(words: Words, _stdin: str) -> IndirectEffects:
    """Find the command behind `flock`, or the text behind its `-c`."""
    command = _FLOCK.find_command(words[1:])
    texts = _after_c(command[:2])
    return IndirectEffects(
        "it runs a command",
        commands=() if texts or not command else (command,),
        scripts=texts,
        possible_scripts=_after_c(words),
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

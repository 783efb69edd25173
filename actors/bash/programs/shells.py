"""The records of shells, and effect rules of wrappers that take a text for a shell."""

import re
from itertools import pairwise

from actors.bash.effects.indirect_effects import IndirectEffects
from actors.bash.effects.option_parsing import WrapperOptions
from actors.bash.programs.program import Program
from actors.bash.syntax.parsed_command import Word, Words, join_words

_STARTS_SHELL = "it starts a shell"
_SSH = WrapperOptions("BbcDEeFIiJLlmOopQRSWw")
_RUNS_IN_ENVIRONMENT = "it sets environment variables and runs another command"
_ENV = WrapperOptions("uC", ("unset", "chdir"), allows_assignments=True)
_SPLIT_OPTION = re.compile(r"-[a-zA-BD-RTV-Z0]*S")
_FLOCK = WrapperOptions("wE", ("timeout", "wait", "conflict-exit-code"), operand_count=1)
_MAX_GUESSES = 16
_RUNUSER = WrapperOptions("uGgsw", ("user", "group", "supp-group", "shell"))
_CLUSTER = re.compile("-[A-Za-z]*")
_DASH_C = {"-c", "--command", "--session-command"}


def _analyze_shell(words: Words, stdin: str) -> IndirectEffects:
    """Find the text after `-c` or on standard input."""
    at, takes_script = 1, False
    while at < len(words):
        text = words[at].text
        if text == "--" or not text.startswith(("-", "+")) or len(text) == 1:
            at += text in {"--", "-"}
            break
        if text.startswith("--command="):
            return IndirectEffects(_STARTS_SHELL, scripts=(text.partition("=")[2],))
        takes_script = takes_script or (text[:2] != "--" and "c" in text)
        at += 2 if _takes_value(text) else 1
    if takes_script and at < len(words):
        return IndirectEffects(
            _STARTS_SHELL, scripts=(words[at].text,), script_arguments=words[at + 1 :]
        )
    return IndirectEffects(_STARTS_SHELL, scripts=(stdin,) if stdin else ())


def _analyze_source(_words: Words, stdin: str) -> IndirectEffects:
    """Find the text on standard input, which the file argument may name."""
    return IndirectEffects("it runs a file in the current shell", scripts=(stdin,) if stdin else ())


def analyze_ssh(words: Words, _stdin: str) -> IndirectEffects:
    """Find the command after the host and the options that may follow it."""
    command = _SSH.find_command(words[1:])[1:]
    text = join_words(_SSH.find_command(command))
    return IndirectEffects(
        "it connects to another system and can run commands here through its options",
        scripts=(text,) if text else (),
    )


def _takes_value(text: str) -> bool:
    if text.startswith("--"):
        return text in {"--rcfile", "--init-file"}
    return text[-1] in "oO"


def analyze_env(words: Words, _stdin: str) -> IndirectEffects:
    """Find the command of `env`; `-S` splits a string into one."""
    for at, word in enumerate(words[1:], 1):
        text = word.text
        option, equals, _ = text.partition("=")
        is_split = len(option) > len("--") and "--split-string".startswith(option)
        if text == "-S" or (is_split and not equals):
            return _split_text(join_words(words[at + 1 :]))
        if is_split or _SPLIT_OPTION.match(text):
            script = text.partition("=" if text.startswith("--") else "S")[2]
            return _split_text(" ".join([script, join_words(words[at + 1 :])]))
        if not text.startswith("-") and "=" not in text:
            break
    command = _ENV.find_command(words[1:])
    return IndirectEffects(_RUNS_IN_ENVIRONMENT, commands=(command,) if command else ())


def _split_text(text: str) -> IndirectEffects:
    """Treat a string as a command, which options of `env` may precede."""
    rest = join_words(_ENV.find_command(tuple(map(Word, text.split()))))
    return IndirectEffects(_RUNS_IN_ENVIRONMENT, scripts=(text,), possible_scripts=(rest,))


def analyze_su(words: Words, _stdin: str) -> IndirectEffects:
    """Find the text after `su -c`; the words after the user name may be a command too."""
    command = _RUNUSER.find_command(words[1:]) if words[0].text.endswith("runuser") else ()
    commands = (command,) if command else ()
    indexes = range(2, min(len(words), _MAX_GUESSES))
    guesses = tuple(words[at:] for at in indexes if words[at].text[:1] != "-")
    scripts = _find_command_texts(words)
    return IndirectEffects("it runs a command as another user", commands, guesses, scripts)


def analyze_script(words: Words, _stdin: str) -> IndirectEffects:
    """Find the text after `script -c`, even in a cluster of options."""
    return IndirectEffects(
        "it starts a shell and writes a file", scripts=_find_command_texts(words)
    )


def analyze_flock(words: Words, _stdin: str) -> IndirectEffects:
    """Find the command of `flock`, or the text after its `-c`."""
    command = _FLOCK.find_command(words[1:])
    texts = _find_command_texts(command[:2])
    return IndirectEffects(
        "it runs another command",
        commands=() if texts or not command else (command,),
        scripts=texts,
        possible_scripts=_find_command_texts(words),
    )


def _find_command_texts(words: Words) -> tuple[str, ...]:
    """List the values of `-c` and `--command`, whether attached or in the next word."""
    texts = [word.text[10:] for word in words if word.text.startswith("--command=")]
    for word, following in pairwise((*words, Word(""))):
        cluster, c, attached = word.text.partition("c")
        if word.text in _DASH_C or (c and not attached and _CLUSTER.fullmatch(cluster)):
            texts.append(following.text)
        elif c and attached and _CLUSTER.fullmatch(cluster):
            texts.append(attached)
    return tuple(text for text in texts if text)


SHELLS = Program(
    "bash sh dash zsh ksh mksh ash fish csh tcsh rbash yash nu xonsh elvish",
    _analyze_shell,
    stdin="script",
)
SOURCE = Program("source .", _analyze_source, stdin="script")

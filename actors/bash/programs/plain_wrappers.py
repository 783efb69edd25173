"""Skips wrappers that run the rest of the command as it is: `timeout 60`, `time`."""

import re

from actors.bash.syntax.parsed_command import Words

_TIMEOUT_OPTION = re.compile(
    r"-v|--(?:preserve-status|foreground|verbose)|(?:-[ks]|--(?:kill-after|signal)=)\w+"
)
_SHELL_WORDS = {"cd", "pushd", "popd", "time"}
"""Words that the shell handles itself. After `timeout`, each would be the name of a program."""
_DURATION = re.compile(r"\d+(?:\.\d+)?[smhd]?")


def skip_plain_wrappers(words: Words) -> Words:
    """Return the command that a wrapper runs; the same words if there is none or it is unclear."""
    name = words[0].text
    at = 1
    if name == "timeout":
        while at < len(words) and _TIMEOUT_OPTION.fullmatch(words[at].text):
            at += 1
        at = at + 1 if at < len(words) and _DURATION.fullmatch(words[at].text) else len(words)
    elif name == "time":
        at = 2 if words[1:2] and words[1].text == "-p" else 1
    else:
        return words
    is_plain = at < len(words) and all(word.is_literal for word in words[: at + 1])
    if not is_plain or words[at].text[:1] in "-!{" or words[at].text in _SHELL_WORDS:
        return words
    return words[at:]

"""What git runs and writes through its options; and how its rules see it without them."""

import re
from itertools import pairwise

from actors.permissions.commands.command import Word
from actors.permissions.commands.guards import find_commands_anywhere
from actors.permissions.commands.hidden import NO_EFFECTS, IndirectEffects, Words
from actors.permissions.commands.options import OptionSpec
from actors.permissions.commands.texts import extract_option_value

_QUIET_GLOBALS = {
    "-P", "--no-pager", "--no-optional-locks", "--literal-pathspecs", "--no-replace-objects",
    "--no-lazy-fetch", "--no-advice", "--version", "-v", "--help", "-h",
}  # fmt: skip
"""Options before the subcommand that neither run anything nor move git elsewhere."""
_VALUED_GLOBALS = {
    "-C", "-c", "--exec-path", "--git-dir", "--work-tree", "--namespace", "--super-prefix",
    "--config-env", "--attr-source", "--list-cmds", "--shallow-file",
}  # fmt: skip
_ORDINARY = {
    "add", "am", "annotate", "apply", "archive", "blame", "branch", "cat-file",
    "check-attr", "check-ignore", "check-mailmap", "checkout", "checkout-index", "cherry",
    "cherry-pick", "clean", "clone", "commit", "commit-graph", "commit-tree", "count-objects",
    "describe", "diff", "diff-files", "diff-index", "diff-tree", "fetch", "fmt-merge-msg",
    "for-each-ref", "format-patch", "fsck", "gc", "grep", "hash-object", "init", "log",
    "ls-files", "ls-remote", "ls-tree", "merge", "merge-base", "merge-file", "merge-tree", "mv",
    "name-rev", "notes", "prune", "pull", "push", "range-diff", "read-tree", "rebase", "reflog",
    "remote", "repack", "replace", "reset", "restore", "rev-list", "rev-parse", "revert", "rm",
    "shortlog", "show", "show-branch", "show-ref", "sparse-checkout", "stash", "status",
    "stripspace", "switch", "symbolic-ref", "tag", "update-index", "update-ref", "var",
    "verify-pack", "version", "whatchanged", "worktree",
    "write-tree",
}  # fmt: skip
"""Any other word is an alias, a program called `git-…`, or a command that runs what it is told."""
_READS_CONFIGURATION = {
    "--get", "--get-all", "--get-regexp", "--get-urlmatch", "--list", "-l", "get", "list",
}  # fmt: skip
_ANYWHERE = OptionSpec(
    long=(
        "upload-pack", "receive-pack", "exec", "ext-diff", "textconv", "output", "template",
        "open-files-in-pager", "extcmd", "config", "tool", "separate-git-dir", "trailer",
        "no-index", "show-signature", "upload-archive", "filters",
    ),
    exempt=("text", "no", "e", "tr", "t", "s", "o", "u", "c", "r", "filter", "f"),
)  # fmt: skip
_SHORT = {
    "format-patch": OptionSpec("o", ("output-directory",), short_with_value="vnUIO"),
    "checkout-index": OptionSpec("", ("prefix", "temp")),
    "worktree": OptionSpec(),
    "commit": OptionSpec(
        "Sep", ("gpg-sign", "edit", "patch", "interactive"), short_with_value="mFCct"
    ),
    "tag": OptionSpec("suv", ("sign", "local-user", "edit", "verify"), short_with_value="mF"),
    "merge": OptionSpec("S", ("gpg-sign", "edit"), short_with_value="msXF"),
    "checkout": OptionSpec("p", ("patch",), short_with_value="bB"),
    "reset": OptionSpec("p", ("patch",)),
    "restore": OptionSpec("p", ("patch",), short_with_value="s"),
    "stash": OptionSpec("p", ("patch",), short_with_value="m"),
    "grep": OptionSpec("O", short_with_value="ABCefm"),
    "clone": OptionSpec("uc", short_with_value="bo"),
    "fetch": OptionSpec(),
    "ls-remote": OptionSpec(),
    "rebase": OptionSpec("xiS", ("interactive", "gpg-sign", "edit-todo"), short_with_value="CsX"),
    "archive": OptionSpec("o"),
    "submodule": OptionSpec(),
    "add": OptionSpec("eip", ("edit", "interactive", "patch")),
    "branch": OptionSpec("", ("edit-description",)),
    "am": OptionSpec("iS", ("interactive", "gpg-sign")),
    "push": OptionSpec("", ("signed",)),
}
_VALUES = {"-m", "-am", "--message"}
_TRANSPORT = "::"
_SIGNED = re.compile(r"^--(?:format|pretty)=.*%G|^--rebase=i", re.DOTALL)
"""Verifies signatures with the program that the configuration names; opens an editor."""


def analyze_git(words: Words, _stdin: str) -> IndirectEffects:
    """Ask for options, aliases and subcommands that run programs, write, or move elsewhere."""
    at = _subcommand_at(words)
    odd = [word.text for word in words[1:at] if word.text not in _QUIET_GLOBALS]
    if odd:
        why = f"{odd[0]}: it changes what git runs, or where"
        rest = analyze_git((words[0], *words[at:]), "")
        scripts = (*find_commands_anywhere(why, words[:at]).scripts, *rest.scripts)
        aliased = _by_alias(words, at)
        return IndirectEffects(why, aliased, rest.possible_commands, scripts, rest.possible_scripts)
    if at >= len(words):
        return NO_EFFECTS
    name, arguments = words[at], words[at + 1 :]
    if name.text == "config":
        reads = bool(arguments) and arguments[0].text in _READS_CONFIGURATION
        return NO_EFFECTS if reads else _configured(words[at:])
    if not name.is_literal or name.text not in _ORDINARY:
        return find_commands_anywhere(
            f"git {name.text} may be an alias, or runs other programs", words[at:]
        )
    hidden = _arguments(name.text, arguments)
    return (
        find_commands_anywhere(hidden.ask_reason, words[at:])
        if hidden.ask_reason and name.text == "rebase"
        else hidden
    )


def _configured(words: Words) -> IndirectEffects:
    """Look at what the configuration is set to: a program to run, an alias of a command."""
    why = "git's configuration names programs to run"
    aliases = (
        (Word("git"), *map(Word, value.text.split()))
        for name, value in pairwise(words)
        if name.text.lower().startswith("alias.") and value.text[:1] != "!"
    )
    found = find_commands_anywhere(why, words)
    return found._replace(possible_commands=(*found.possible_commands, *aliases))


def is_config_write(arguments: Words) -> bool:
    """Whether it changes git's configuration, wherever that lies."""
    at = _subcommand_at((Word("git"), *arguments))
    rest = [word.text for word in arguments[at - 1 :]]
    return rest[:1] == ["config"] and not _READS_CONFIGURATION.intersection(rest[1:2])


def list_git_aliases(words: Words) -> tuple[str, ...]:
    """Say the command without global options, as ask and deny rules see it too."""
    at = _subcommand_at(words)
    if at == 1:
        return ()
    return (" ".join(["git", *(word.text for word in words[at:])]),)


def _subcommand_at(words: Words) -> int:
    at = 1
    while at < len(words) and words[at].text.startswith("-"):
        at += 2 if words[at].text in _VALUED_GLOBALS else 1
    return min(at, len(words))


def _by_alias(words: Words, at: int) -> tuple[Words, ...]:
    """Say what a subcommand comes to that an option makes an alias (`-c alias.x=push x`)."""
    if not any("alias." in word.text.lower() for word in words[1:at]):
        return ()
    name = words[at].text if at < len(words) else ""
    values = (word.text.removeprefix("-c").partition("=") for word in words[1:at])
    meant = (value for key, _, value in values if name and key.lower() == f"alias.{name}".lower())
    return tuple(
        (Word("git"), *map(Word, value.split()), *words[at + 1 :])
        for value in meant
        if value[:1] != "!"
    )


def _arguments(name: str, arguments: Words) -> IndirectEffects:
    judged = _without_messages(arguments)
    options = _SHORT.get(name, _NONE)
    found = _ANYWHERE.find_first(judged) or options.find_first(judged)
    if not found:
        found = next((word.text for word in arguments if _TRANSPORT in word.text), "")
        found = found if name in _REMOTE else ""
    found = found or _unknown_strategy(name, arguments) or _edited(name, arguments)
    found = found or next((word.text for word in judged if _SIGNED.search(word.text)), "")
    if not found:
        return NO_EFFECTS
    after = [word.text for before, word in pairwise(arguments) if before.text == found]
    told = tuple(text for text in (extract_option_value(found), *after) if text)
    return IndirectEffects(f"{found}: git may run a program or write a file", possible_scripts=told)


def _unknown_strategy(command: str, arguments: Words) -> str:
    """Name a strategy that is not git's own: it is a program called `git-merge-…`."""
    for at, word in enumerate(arguments):
        name, _, value = word.text.partition("=")
        if command in _MERGING and word.text.startswith("-s"):
            name, value = "--strategy", word.text[2:]
        if name == "--strategy":
            after = arguments[at + 1].text if at + 1 < len(arguments) else ""
            if (value or after) not in _STRATEGIES:
                return word.text
    return ""


def _edited(name: str, arguments: Words) -> str:
    return "edit" if name == "notes" and any(each.text == "edit" for each in arguments) else ""


_MERGING = {"merge", "pull", "rebase"}
_STRATEGIES = {"ours", "recursive", "ort", "resolve", "octopus", "subtree", "theirs"}
_NONE = OptionSpec()
_REMOTE = {"clone", "fetch", "pull", "push", "ls-remote", "remote", "archive"}


def _without_messages(arguments: Words) -> tuple[Word, ...]:
    """Leave out the value behind `-m`: it is text, whatever is substituted in it."""
    return tuple(
        word
        for at, word in enumerate(arguments)
        if not (at and arguments[at - 1].text in _VALUES and word.is_one_word)
    )

"""What git runs and writes through its options; and how its rules see it without them."""

import re
from itertools import islice, pairwise

from actors.bash.effects.command_options import OptionSpec
from actors.bash.effects.embedded_commands import extract_option_value
from actors.bash.effects.indirect_effects import NO_EFFECTS, IndirectEffects, Words
from actors.bash.effects.read_only import ReadOnlyCommand, split_name_set
from actors.bash.effects.table_rules import find_commands_anywhere
from actors.bash.syntax.parsed_command import Word

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


_GIT_LONG = split_name_set(
    "--short --branch --long --porcelain --show-stash --ignored --untracked-files --stat --oneline "
    "--graph --all --branches --tags --remotes --decorate --no-decorate --patch --no-patch --raw "
    "--name-only --name-status --numstat --shortstat --summary --cached --staged --merges "
    "--no-merges --first-parent --reverse --follow --abbrev-commit --no-color --color --full-index "
    "--word-diff --ignore-all-space --ignore-space-change --ignore-blank-lines --minimal "
    "--patience --histogram --exit-code --quiet --no-renames --find-renames --no-ext-diff "
    "--no-textconv --show-toplevel --git-dir --is-inside-work-tree --abbrev-ref --verify "
    "--symbolic --show-prefix --show-cdup --absolute-git-dir --git-common-dir --others --modified "
    "--deleted --stage --exclude-standard --full-name --error-unmatch --unmerged --directory "
    "--date-order --topo-order --left-right --cherry-pick --merge-base --source "
    "--full-history --relative-date --line-porcelain --porcelain --show-email "
    "--root --text --function-context --no-prefix --check --color-words --compact-summary "
    "--relative --binary --symbolic-full-name --is-bare-repository --is-inside-git-dir "
    "--right-only --left-only --cherry --cherry-mark --pickaxe-regex --pickaxe-all"
)
_GIT_VALUED = re.compile(
    r"--(?:since|until|after|before|author|committer|grep|max-count|skip|date|diff-filter|unified|"
    r"stat|abbrev|short|porcelain|untracked-files|ignored|word-diff|color|decorate|format|pretty|"
    r"find-renames|inter-hunk-context|diff-algorithm|ignore-submodules|exclude|branches|tags|"
    r"color-words|src-prefix|dst-prefix|line-prefix)=.*",
    re.DOTALL,
)
_GIT_SHORT = re.compile(
    r"-(?:[spubwzptvciMRLGomdWaefl]|\d+|n\d+|U\d+|sb|bs|la|w|B|C|u(?:no|normal|all))|-[LSG].+",
    re.DOTALL,
)
_LS_FILES_SHORT = re.compile(r"-[cdmokstuz]+")
_IN_INDEX = re.compile(r":(?:[0-3]:)?\w")
"""`:src/a.py`; what else follows a colon is a language of its own."""
_GLOB = re.compile(r"[*?\[\\]")
_BY_ENDING = re.compile(r"(?:[\w-][\w.-]*/)*\*\.(?!env)\w+", re.IGNORECASE)
"""Names no more than the same command does without it, and is held against the rules as it stands:
one on `*.pem` speaks of `*.pem`. Those on `.env` are written otherwise."""
_GIT_NUMBER = {
    "-n",
    "-L",
    "-S",
    "-G",
    "-U",
    "--max-count",
    "--since",
    "--until",
    "--author",
    "--grep",
}
READ_ONLY_GIT_SUBCOMMANDS = split_name_set("status log diff show rev-parse ls-files blame")


_MOST_COLONS = 8


def match_read_only_git(arguments: Words) -> ReadOnlyCommand | None:
    """Say what a git command reads, where its repository is to be trusted."""
    if not arguments or arguments[0].text not in READ_ONLY_GIT_SUBCOMMANDS:
        return None
    if not all(word.is_literal for word in arguments):
        return None
    reads: list[Word] = []
    at, ended = 1, False
    while at < len(arguments):
        word = arguments[at]
        text = word.text
        at += 1
        if text == "--":
            ended = True
        elif ended or not text.startswith("-"):
            operand = _operand(word, arguments[0].text, is_path=ended)
            if not operand:
                return None
            reads.extend(operand)
        elif text.startswith("-S") and arguments[0].text == "blame":
            return None
        elif text in _GIT_NUMBER and at < len(arguments):
            reads.extend(_lines_of(text + arguments[at].text))
            at += 1
        elif not _is_quiet(text, arguments[0].text):
            return None
        else:
            reads.extend(_lines_of(text))
    # Without a repository, and with exactly two of them, `diff` compares files or folders.
    compares = arguments[0].text == "diff" and len(reads) == len(("a", "b"))
    return ReadOnlyCommand(tuple(word for word in reads if word.text), "all" if compares else "")


def _operand(word: Word, command: str, *, is_path: bool) -> list[Word]:
    """Take a revision or a path; empty: it may name what it does not say."""
    text = word.text
    in_index = not text.startswith(":") or (not is_path and _IN_INDEX.match(text))
    is_plain = not _GLOB.search(text) or (is_path and _BY_ENDING.fullmatch(text))
    lists_only = command == "ls-files" or is_plain
    is_known = in_index and lists_only and text.count(":") <= _MOST_COLONS
    return [word, *_after_colons(text)] if is_known else []


def _after_colons(text: str) -> list[Word]:
    """Take the path out of `HEAD:x`; in what stands before it there may be colons too."""
    found = (Word(text[at + 1 :]) for at, char in enumerate(text) if char == ":")
    return list(islice(found, _MOST_COLONS))


def _lines_of(text: str) -> list[Word]:
    """Take the file out of `-L1,5:FILE`."""
    return _after_colons(text) if text.startswith("-L") else []


def _is_quiet(text: str, command: str) -> bool:
    if "%G" in text or "%(" in text:
        return False
    if command == "ls-files" and _LS_FILES_SHORT.fullmatch(text):
        return True
    return text in _GIT_LONG or bool(_GIT_VALUED.fullmatch(text) or _GIT_SHORT.fullmatch(text))

"""Git commands that list names or search tracked files, as their arguments alone show."""

import re

from actors.bash.effects.read_only import (
    ReadOnlyCommand,
    ReadOnlyOptions,
    match_read_only_options,
    split_name_set,
)
from actors.bash.syntax.parsed_command import Word, Words, join_words

_SAFE_GLOBAL_OPTIONS = {"--no-pager", "-P", "--no-optional-locks"}
_GREP_OPTIONS = ReadOnlyOptions(
    short="EFGPivwclLqhHnWp",
    short_with_value="eABCm",
    long=split_name_set(
        "extended-regexp fixed-strings perl-regexp ignore-case invert-match word-regexp count "
        "files-with-matches name-only line-number column heading break show-function "
        "function-context quiet"
    ),
    long_with_value=split_name_set("context after-context before-context max-count max-depth"),
    text_operand_count=1,
    pattern_options=split_name_set("e"),
)
_REVISION = r"[\w@^~][\w./~^@{}-]*"
_LISTING_FORMS = {
    "branch": r"-[arv]+|--(?:all|remotes|list|show-current|verbose|no-color|merged|no-merged)",
    "tag": r"-n\d*|--sort=[\w:-]+|(?:-l|--list)(?: [\w.*/-]+)?",
    "remote": r"-v|--verbose|get-url [\w.-]+",
    "stash": r"list",
    "reflog": r"show|HEAD|-\d+|-n ?\d+|--(?:oneline|all|date=\w+)",
    "worktree": r"list|--porcelain",
    "config": r"(?:--get )?(?:user|core|init|branch|pull|push|color|alias)\.[\w./-]+$",
    "describe": r"--(?:tags|all|always|long|dirty|exact-match|abbrev=\d+|match=\S+)|REVISION",
    "shortlog": r"-[sne]+|--(?:summary|numbered|email|all)|-\d+|REVISION",
    "ls-tree": r"-[rtdlz]+|--(?:name-only|name-status|long|full-tree|full-name)|REVISION",
    "merge-base": r"--(?:all|octopus|is-ancestor|fork-point)|REVISION",
    "rev-list": (
        r"--(?:count|all|merges|no-merges|first-parent|reverse|branches|tags|left-right|"
        r"max-count=\d+|(?:since|until|after|before)=[\w.:-]+)|-n ?\d+|-\d+|REVISION"
    ),
    "show-ref": r"--(?:heads|tags|head|hash|verify|quiet|abbrev)|[\w.][\w./-]*",
    "for-each-ref": r"--(?:sort=[\w:-]+|count=\d+)|refs/[\w/*.-]*",
    "symbolic-ref": r"--short|-q|HEAD",
    "var": r"GIT_\w+$",
    "name-rev": r"--(?:name-only|tags|always)|REVISION",
    "count-objects": r"-[vH]+|--(?:verbose|human-readable)",
    "check-ignore": r"-[vq]+|--(?:verbose|quiet)|[\w.][\w./-]*",
}
"""By subcommand: the arguments with which it only lists names, without the content of files."""
_PATTERNS = {
    subcommand: re.compile(rf"(?:(?:{form.replace('REVISION', _REVISION)})(?: |$))*")
    for subcommand, form in _LISTING_FORMS.items()
}
_REQUIRED_ARGUMENTS = {"stash": "list", "worktree": "list", "symbolic-ref": "HEAD"}


def skip_safe_options(arguments: Words) -> Words:
    """Return the arguments of a git command from its subcommand on."""
    if find_directory(arguments) is not None and arguments[0].text == "-C":
        arguments = arguments[2:]
    while arguments and arguments[0].text in _SAFE_GLOBAL_OPTIONS:
        arguments = arguments[1:]
    return arguments


def find_directory(arguments: Words) -> Word | None:
    """Return the folder of the only `-C DIR` before the subcommand; None if it is unclear."""
    found: Word | None = None
    rest = iter(arguments)
    for word in rest:
        if word.text == "-C":
            folder = next(rest, None)
            if found is not None or folder is None or not folder.is_literal:
                return None
            found = folder
        elif word.text not in _SAFE_GLOBAL_OPTIONS:
            break
    return found if found and found.text[:1] not in {"", "-"} else None


def match_listing(arguments: Words) -> ReadOnlyCommand | None:
    """Return what a listing or a search reads; None if the command may do more."""
    name = arguments[0].text if arguments else ""
    if not all(word.is_literal for word in arguments):
        return None
    if name == "grep":
        return match_read_only_options(_GREP_OPTIONS, arguments[1:])
    required = _REQUIRED_ARGUMENTS.get(name, "")
    if name not in _PATTERNS or (
        required and not any(word.text == required for word in arguments[1:])
    ):
        return None
    is_listing = _PATTERNS[name].fullmatch(join_words(arguments[1:]))
    return ReadOnlyCommand(()) if is_listing else None

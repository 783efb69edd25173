"""The git commands that only read, where the repository's configuration is to be trusted."""

import re
from itertools import islice

from actors.permissions.commands.command import Word
from actors.permissions.commands.harmless import ReadOnlyCommand, split_name_set
from actors.permissions.commands.hidden import Words

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

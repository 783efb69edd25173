"""Determines which tracked files a git command prints or copies."""

import re
from collections.abc import Iterable
from itertools import pairwise

from actors.bash.syntax.parsed_command import TrackedReads, Word, Words

_PRINTS_FILES = {
    "diff", "diff-files", "diff-index", "diff-tree", "show", "grep", "archive", "format-patch",
    "range-diff", "merge-tree",
}  # fmt: skip
_PRINTS_NAMED_FILES = {"blame", "annotate", "mv"}
"""These print or move only the files that their arguments name."""
_PRINTS_WITH_PATCH = {"log", "reflog", "whatchanged", "stash"}
_PATCH_OPTION = re.compile(
    r"-[A-Za-z]*[pucmULW].*"
    r"|--(?:patch|unified|cc|word-diff|color-words|function-context|binary|remerge-diff|diff-merges"
    r"|dd|ext-diff|textconv|inter-hunk|src-prefix|dst-prefix|line-prefix|no-prefix).*"
)
"""An option with which `log` prints the content of files."""
_SUMMARY_OPTION = re.compile(
    r"--(?:(?:dir|num|short)?stat|name-only|name-status|summary|raw|quiet|no-patch)(?:=.*)?|-s"
)
"""An option with which `diff` and `show` print no content."""
_VERBOSE_OPTION = re.compile(r"-[A-Za-z]*v[A-Za-z]*|--verbose")
_COMMIT = re.compile(r"HEAD[~^\d]*")
"""The name of a commit. Any other name may be that of a file's content, which `show` prints."""
_HASH = re.compile(r"[0-9a-f]{4,}", re.IGNORECASE)
_MAGIC = re.compile(r":(?![\w.])|[^:]*\\", re.DOTALL)
"""`:(top)a`, `:!a`, `:/a`, `\\a`: paths in git's own notation, which are not looked up."""
_UNLIMITED = re.compile(r"--full-d.*")
"""With `--full-diff`, `log` and `show` print all files of the commits that the paths select."""
_OBJECT_CHECKS = {"-t", "-e", "-s", "--batch-check"}
_WITH_PATTERN = {"-e", "-f"}


def find_tracked_reads(words: Words) -> TrackedReads | None:
    """Return the tracked files that a command prints or copies; None if it prints none.

    `words` begins with the subcommand.
    """
    if not words or not _prints_content(words[0].text, [word.text for word in words[1:]]):
        return None
    name, arguments = words[0].text, words[1:]
    texts = [word.text for word in arguments]
    if any(map(_UNLIMITED.fullmatch, texts)):
        return TrackedReads((), ())
    if "--" in texts:
        at = texts.index("--")
        paths = arguments[at + 1 :]
        is_content = name == "show" and any(map(_may_name_content, texts[:at]))
        return TrackedReads(paths, () if is_content else _list_limits(paths), are_certain=True)
    pairs = [(previous, word) for previous, word in pairwise(words) if word.text[:1] != "-"]
    if name in _PRINTS_NAMED_FILES:
        paths = tuple([word for _, word in pairs])
        return TrackedReads(paths, paths, are_certain=True)
    if name in {"show", "cat-file"} and pairs and all(_names_file(word.text) for _, word in pairs):
        return None  # These name files, and are read as paths.
    # The pattern of `grep` and the revision of `archive` come before the paths.
    is_text_first = name == "archive" or (name == "grep" and _WITH_PATTERN.isdisjoint(texts))
    pairs = pairs[1:] if is_text_first else pairs
    # A word after an option may be its value. A clone and a worktree always have all files.
    is_copy = name in {"clone", "worktree"}
    limits = [word for previous, word in pairs if previous.text[:1] != "-" and not is_copy]
    if name == "show" and any(_HASH.fullmatch(word.text) for _, word in pairs):
        limits = []  # It prints a file with this hash whatever paths follow.
    return TrackedReads(tuple([word for _, word in pairs]), _list_limits(limits))


def _list_limits(paths: Iterable[Word]) -> Words:
    """Return the paths that limit what git prints; none if one of them may stand for any file."""
    limits = tuple(paths)
    return () if any(_MAGIC.match(word.text) for word in limits) else limits


def _may_name_content(text: str) -> bool:
    return text[:1] != "-" and ":" not in text and not _COMMIT.fullmatch(text)


def _names_file(text: str) -> bool:
    """Whether an argument names a file in a revision or in the index: `HEAD:a`, `:a`."""
    return ":" in text and not _MAGIC.match(text)


def _prints_content(name: str, texts: list[str]) -> bool:
    has_patch = any(_PATCH_OPTION.fullmatch(text) for text in texts)
    has_summary = any(_SUMMARY_OPTION.fullmatch(text) for text in texts)
    return (
        name in _PRINTS_NAMED_FILES
        or (name in _PRINTS_WITH_PATCH and has_patch)
        or (name in _PRINTS_FILES and (has_patch or not has_summary))
        or (name == "show" and any(_may_name_content(text) for text in texts))
        or (name == "clone" and any(":" not in text for text in texts if text[:1] != "-"))
        or (name == "worktree" and texts[:1] == ["add"])
        or (name == "stash" and texts[:1] == ["show"])
        or (name == "status" and any(_VERBOSE_OPTION.fullmatch(text) for text in texts))
        or (name == "cat-file" and _OBJECT_CHECKS.isdisjoint(texts))
    )

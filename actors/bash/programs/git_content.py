"""Determines which tracked files a git command prints or copies."""

import re
from itertools import pairwise

from actors.bash.syntax.parsed_command import TrackedReads, Words

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
    if "--" in texts:
        paths = arguments[texts.index("--") + 1 :]
        return TrackedReads(paths, paths, are_certain=True)
    pairs = [(previous, word) for previous, word in pairwise(words) if word.text[:1] != "-"]
    if name in _PRINTS_NAMED_FILES:
        paths = tuple([word for _, word in pairs])
        return TrackedReads(paths, paths, are_certain=True)
    if name in {"show", "cat-file"} and pairs and all(":" in word.text for _, word in pairs):
        return None  # These name files, and are read as paths.
    # The pattern of `grep` and the revision of `archive` come before the paths.
    is_text_first = name == "archive" or (name == "grep" and _WITH_PATTERN.isdisjoint(texts))
    pairs = pairs[1:] if is_text_first else pairs
    # A word after an option may be its value. A clone and a worktree always have all files.
    is_copy = name in {"clone", "worktree"}
    limits = [word for previous, word in pairs if previous.text[:1] != "-" and not is_copy]
    return TrackedReads(tuple([word for _, word in pairs]), tuple(limits))


def _prints_content(name: str, texts: list[str]) -> bool:
    has_patch = any(_PATCH_OPTION.fullmatch(text) for text in texts)
    has_summary = any(_SUMMARY_OPTION.fullmatch(text) for text in texts)
    return (
        name in _PRINTS_NAMED_FILES
        or (name in _PRINTS_WITH_PATCH and has_patch)
        or (name in _PRINTS_FILES and (has_patch or not has_summary))
        or (name == "clone" and any(":" not in text for text in texts if text[:1] != "-"))
        or (name == "worktree" and texts[:1] == ["add"])
        or (name == "stash" and texts[:1] == ["show"])
        or (name == "status" and any(_VERBOSE_OPTION.fullmatch(text) for text in texts))
        or (name == "cat-file" and _OBJECT_CHECKS.isdisjoint(texts))
    )

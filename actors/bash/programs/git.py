"""The record of git: what it runs, writes and reads, and its other spellings."""

import re
from itertools import islice, pairwise

from actors.bash.effects.effect_rules import ask_always, find_commands_anywhere
from actors.bash.effects.indirect_effects import NO_EFFECTS, IndirectEffects
from actors.bash.effects.option_parsing import OptionSpec, find_unlisted_option
from actors.bash.effects.possible_commands import extract_option_value
from actors.bash.effects.read_only import ReadOnlyCommand, split_name_set
from actors.bash.effects.written_paths import WrittenPaths, add_wildcards
from actors.bash.programs.git_content import find_tracked_reads
from actors.bash.programs.git_listing import find_directory, match_listing, skip_safe_options
from actors.bash.programs.program import Program
from actors.bash.syntax.parsed_command import TrackedReads, Word, Words, join_words

_SAFE_GLOBAL_OPTIONS = {
    "-P", "--no-pager", "--no-optional-locks", "--literal-pathspecs", "--no-replace-objects",
    "--no-lazy-fetch", "--no-advice", "--version", "-v", "--help", "-h",
}  # fmt: skip
"""Options before the subcommand that neither run a program nor change the repository."""
_GLOBAL_OPTIONS_WITH_VALUE = {
    "-C", "-c", "--exec-path", "--git-dir", "--work-tree", "--namespace", "--super-prefix",
    "--config-env", "--attr-source", "--list-cmds", "--shallow-file",
}  # fmt: skip
_KNOWN_SUBCOMMANDS = {
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
"""Any other is an alias, a program named `git-…`, or a subcommand that runs other programs."""
_CONFIG_READ_OPTIONS = {
    "--get", "--get-all", "--get-regexp", "--get-urlmatch", "--list", "-l", "get", "list",
}  # fmt: skip
_CONFIG_NAME = re.compile(r"\w[\w-]*\.[\w./-]+")
"""A name alone, whose value is printed."""
_BISECT_SUBCOMMANDS = {"start", "good", "bad", "old", "new", "skip", "reset", "log"}
"""`git bisect run` runs a command."""
_NO_OPTIONS = OptionSpec()
_UNSAFE_OPTIONS = OptionSpec(
    long=(
        "upload-pack", "receive-pack", "exec", "ext-diff", "textconv", "output", "template",
        "open-files-in-pager", "extcmd", "config", "tool", "separate-git-dir", "trailer",
        "no-index", "show-signature", "upload-archive", "filters", "gpg-sign",
    )
)  # fmt: skip
_UNSAFE_OPTIONS_BY_SUBCOMMAND = {
    "format-patch": OptionSpec("o", ("output-directory",), short_with_value="vnUIO"),
    "checkout-index": OptionSpec("", ("prefix", "temp")),
    "commit": OptionSpec("Sep", ("edit", "patch", "interactive"), short_with_value="mFCct"),
    "tag": OptionSpec("suv", ("sign", "local-user", "edit", "verify"), short_with_value="mF"),
    "merge": OptionSpec("S", ("edit",), short_with_value="msXF"),
    "checkout": OptionSpec("p", ("patch",), short_with_value="bB"),
    "reset": OptionSpec("p", ("patch",)),
    "restore": OptionSpec("p", ("patch",), short_with_value="s"),
    "stash": OptionSpec("p", ("patch",), short_with_value="m"),
    "grep": OptionSpec("O", short_with_value="ABCefm"),
    "clone": OptionSpec("uc", short_with_value="bo"),
    "rebase": OptionSpec("xiS", ("interactive", "edit-todo"), short_with_value="CsX"),
    "archive": OptionSpec("o"),
    "add": OptionSpec("eip", ("edit", "interactive", "patch")),
    "branch": OptionSpec("", ("edit-description",)),
    "am": OptionSpec("iS", ("interactive",)),
    "push": OptionSpec("", ("signed",)),
    "replace": OptionSpec("e", ("edit",)),
    "cherry-pick": OptionSpec("eS", ("edit",), short_with_value="mX"),
    "revert": OptionSpec("S", short_with_value="mX"),
    "pull": OptionSpec("S", short_with_value="sXj"),
}
_SAFE_OPTIONS_BY_SUBCOMMAND = {
    "apply": re.compile(
        r"-(?:[RvNqzp3]|p\d+|C\d+|-(?:stat|numstat|summary|check|index|cached|intent-to-add|3way|"
        r"reverse|reject|verbose|quiet|recount|whitespace=\w+|ignore-(?:space-change|whitespace)))"
    ),
    "worktree": re.compile(
        r"-(?:[bBfqvnd]|-(?:detach|force|quiet|porcelain|verbose|dry-run|track|guess-remote|lock|"
        r"checkout|no-checkout))"
    ),
    "read-tree": re.compile(r"-(?:[muvnq]|-(?:reset|empty|trivial|aggressive|dry-run|quiet))"),
}
"""For these, every other option asks."""
_OUTSIDE_PATH = re.compile(r"[/~$]|\.\.(?:/|$)")
_FILE_OPTIONS = {
    "commit": ("-F", "--file", "-t", "--template"),
    "tag": ("-F", "--file"),
    "notes": ("-F", "--file"),
    "merge": ("-F", "--file"),
    "blame": ("-S", "--contents", "--ignore-revs-file"),
    "annotate": ("-S", "--contents"),
    "archive": ("--add-file",),
}
"""By subcommand: options whose value is a file that is read."""
_MESSAGE_OPTIONS = {"-m", "-am", "--message"}
_TRANSPORT_SEPARATOR = "::"
_UNSAFE_FORMAT = re.compile(r"^--(?:format|pretty)=.*%G|^--rebase=i", re.DOTALL)
"""Verifies signatures with the program that the configuration names, or opens an editor."""
_MERGE_SUBCOMMANDS = {"merge", "pull", "rebase"}
_BUILT_IN_STRATEGIES = {"ours", "recursive", "ort", "resolve", "octopus", "subtree", "theirs"}
_REMOTE_SUBCOMMANDS = {"clone", "fetch", "pull", "push", "ls-remote", "remote", "archive"}

_READ_ONLY_LONG = split_name_set(
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
_READ_ONLY_WITH_VALUE = re.compile(
    r"--(?:since|until|after|before|author|committer|grep|max-count|skip|date|diff-filter|unified|"
    r"stat|abbrev|short|porcelain|untracked-files|ignored|word-diff|color|decorate|format|pretty|"
    r"find-renames|inter-hunk-context|diff-algorithm|ignore-submodules|exclude|branches|tags|"
    r"color-words|src-prefix|dst-prefix|line-prefix)=.*",
    re.DOTALL,
)
_READ_ONLY_SHORT = re.compile(
    r"-(?:[spubwzptvciMRLGomdWaefl]|\d+|n\d+|U\d+|sb|bs|la|w|B|C|u(?:no|normal|all))|-[LSG].+",
    re.DOTALL,
)
_LS_FILES_CLUSTER = re.compile(r"-[cdmokstuz]+")
_INDEX_PATH = re.compile(r":(?:[0-3]:)?\w")
"""`:src/a.py`; other texts after a colon are pathspec magic or a commit search."""
_GLOB = re.compile(r"[*?\[\\]")
_BY_EXTENSION = re.compile(r"(?:[\w-][\w.-]*/)*\*\.(?!env)\w+", re.IGNORECASE)
"""`*.py`: matches no more than the command without it, and rules match its text as written.

`*.env` is excluded because rules on `.env` are written differently.
"""
_READ_ONLY_SEPARATE_VALUE = split_name_set(
    "-n -L -S -G -U --max-count --since --until --author --grep"
)
_READ_ONLY_SUBCOMMANDS = split_name_set(
    "status log diff show rev-parse ls-files blame whatchanged cat-file"
)
_MAX_COLONS = 8
DASHED_PREFIX = "git-"
_UNNAMED_WRITERS = {"apply", "am", "checkout-index", "read-tree", "update-index"}
_WRITING_SUBCOMMANDS = {"checkout", "restore", "rm", "mv", "clean"}


def _analyze_git(words: Words, _stdin: str) -> IndirectEffects:
    """Ask for options, aliases and subcommands that run programs, write or switch repositories."""
    at = _find_subcommand(words)
    options = words[1:at] if find_directory(words[1:]) is None else _drop_directory(words[1:at])
    unsafe = [word.text for word in options if word.text not in _SAFE_GLOBAL_OPTIONS]
    if unsafe:
        reason = f"`{unsafe[0]}` may change what git runs or where it runs"
        rest = _analyze_git((words[0], *words[at:]), "")
        scripts = (*find_commands_anywhere(reason, words[:at]).scripts, *rest.scripts)
        aliased = _expand_alias_options(words, at)
        return IndirectEffects(
            reason, aliased, rest.possible_commands, scripts, rest.possible_scripts
        )
    if at >= len(words):
        return NO_EFFECTS
    name, arguments = words[at], words[at + 1 :]
    if name.text == "config":
        only_reads = bool(arguments) and (
            arguments[0].text in _CONFIG_READ_OPTIONS
            or (len(arguments) == 1 and _CONFIG_NAME.fullmatch(arguments[0].text))
        )
        return NO_EFFECTS if only_reads else _analyze_config(words[at:])
    is_bisect = name.text == "bisect" and any(
        word.text in _BISECT_SUBCOMMANDS for word in arguments[:1]
    )
    if not (is_bisect or (name.is_literal and name.text in _KNOWN_SUBCOMMANDS)):
        return find_commands_anywhere(
            f"`git {name.text}` may be an alias or run other programs", words[at:]
        )
    effects = _analyze_arguments(name.text, arguments)
    if effects.ask_reason and name.text == "rebase":
        return find_commands_anywhere(effects.ask_reason, words[at:])
    return effects


def _drop_directory(options: Words) -> Words:
    """Leave out `-C DIR`, whose folder is checked like the working directory."""
    at = [word.text for word in options].index("-C")
    return options[:at] + options[at + 2 :]


def _analyze_config(words: Words) -> IndirectEffects:
    """Find the commands in values that `git config` sets: a program to run, an alias."""
    aliases = (
        (Word("git"), *map(Word, value.text.split()))
        for name, value in pairwise(words)
        if name.text.lower().startswith("alias.") and value.text[:1] != "!"
    )
    effects = find_commands_anywhere("git configuration can make git run other programs", words)
    return effects._replace(possible_commands=(*effects.possible_commands, *aliases))


def _find_tracked_reads(arguments: Words) -> TrackedReads | None:
    return find_tracked_reads(arguments[_find_subcommand((Word("git"), *arguments)) - 1 :])


def _writes_unnamed(arguments: Words) -> bool:
    """Whether a git command creates files that a patch or the index names."""
    at = _find_subcommand((Word("git"), *arguments))
    return any(word.text in _UNNAMED_WRITERS for word in arguments[at - 1 : at])


def _is_config_write(arguments: Words) -> bool:
    """Whether a git command changes git's configuration, in any file."""
    at = _find_subcommand((Word("git"), *arguments))
    rest = [word.text for word in arguments[at - 1 :]]
    is_read = _CONFIG_READ_OPTIONS.intersection(rest[1:2]) or _CONFIG_NAME.fullmatch(
        " ".join(rest[1:])
    )
    return rest[:1] == ["config"] and not is_read


def _find_written_operands(arguments: Words, operands: list[Word]) -> list[Word]:
    if _is_config_write(arguments):
        return [Word(".git/config")]
    if operands and operands[0].text in _WRITING_SUBCOMMANDS:
        return [*operands[1:], *add_wildcards(operands[1:])]
    return []


def _list_spellings(words: Words) -> tuple[str, ...]:
    """Return the command without global options, which ask and deny rules match too."""
    at = _find_subcommand(words)
    if at == 1:
        return ()
    return (" ".join(["git", *(word.text for word in words[at:])]),)


def _find_subcommand(words: Words) -> int:
    """Return the index of the subcommand; the number of words if there is none."""
    at = 1
    while at < len(words) and words[at].text.startswith("-"):
        at += 2 if words[at].text in _GLOBAL_OPTIONS_WITH_VALUE else 1
    return min(at, len(words))


def _expand_alias_options(words: Words, at: int) -> tuple[Words, ...]:
    """Expand a subcommand that a global option makes an alias: `-c alias.x=push x`."""
    if not any("alias." in word.text.lower() for word in words[1:at]):
        return ()
    name = words[at].text if at < len(words) else ""
    values = (word.text.removeprefix("-c").partition("=") for word in words[1:at])
    key = f"alias.{name}".lower()
    expansions = (value for option, _, value in values if name and option.lower() == key)
    return tuple(
        (Word("git"), *map(Word, value.split()), *words[at + 1 :])
        for value in expansions
        if value[:1] != "!"
    )


def _analyze_arguments(subcommand: str, arguments: Words) -> IndirectEffects:
    checked = _drop_messages(arguments)
    options = _UNSAFE_OPTIONS_BY_SUBCOMMAND.get(subcommand, _NO_OPTIONS)
    if subcommand == "stash" and arguments[:1] and arguments[0].text in {"show", "list"}:
        options = _NO_OPTIONS
    found = _UNSAFE_OPTIONS.find_first(checked) or options.find_first(checked)
    if not found and subcommand in _REMOTE_SUBCOMMANDS:
        found = next((word.text for word in arguments if _TRANSPORT_SEPARATOR in word.text), "")
    if not found:
        found = _find_custom_strategy(subcommand, arguments) or _find_edit(subcommand, arguments)
    if not found:
        found = next((word.text for word in checked if _UNSAFE_FORMAT.search(word.text)), "")
    if not found and subcommand in _SAFE_OPTIONS_BY_SUBCOMMAND:
        found = find_unlisted_option(_SAFE_OPTIONS_BY_SUBCOMMAND[subcommand], arguments)
    if not found and subcommand == "worktree":
        found = next((word.text for word in arguments if _OUTSIDE_PATH.match(word.text)), "")
    if not found:
        return NO_EFFECTS
    following = [word.text for previous, word in pairwise(arguments) if previous.text == found]
    scripts = tuple(text for text in (extract_option_value(found), *following) if text)
    return IndirectEffects(
        f"`{found}` can make git run a program or write a file", possible_scripts=scripts
    )


def _find_custom_strategy(command: str, arguments: Words) -> str:
    """Find a merge strategy that is not built in: git runs a program named `git-merge-…`."""
    for at, word in enumerate(arguments):
        name, _, value = word.text.partition("=")
        if command in _MERGE_SUBCOMMANDS and word.text.startswith("-s"):
            name, value = "--strategy", word.text[2:]
        if name == "--strategy":
            following = arguments[at + 1].text if at + 1 < len(arguments) else ""
            if (value or following) not in _BUILT_IN_STRATEGIES:
                return word.text
    return ""


def _find_edit(subcommand: str, arguments: Words) -> str:
    is_edit = subcommand == "notes" and any(word.text == "edit" for word in arguments)
    return "edit" if is_edit else ""


def _drop_messages(arguments: Words) -> Words:
    """Drop the values of `-m`, which are only text, even with substitutions."""
    return tuple(
        word
        for at, word in enumerate(arguments)
        if not (at and arguments[at - 1].text in _MESSAGE_OPTIONS and word.is_one_word)
    )


def _match_read_only(arguments: Words) -> ReadOnlyCommand | None:
    """Return what a git command reads; None if it may do more, even in a trusted repository."""
    arguments = skip_safe_options(arguments)
    if not arguments or arguments[0].text not in _READ_ONLY_SUBCOMMANDS:
        return match_listing(arguments)
    subcommand = arguments[0].text
    if not all(word.is_literal for word in arguments):
        return None
    paths: list[Word] = []
    at, options_ended = 1, False
    while at < len(arguments):
        word = arguments[at]
        text = word.text
        at += 1
        if text == "--":
            options_ended = True
        elif options_ended or not text.startswith("-"):
            operand_paths = _read_operand(word, subcommand, is_path=options_ended)
            if not operand_paths:
                return None
            paths.extend(operand_paths)
        elif text.startswith("-S") and subcommand == "blame":
            return None
        elif text in _READ_ONLY_SEPARATE_VALUE and at < len(arguments):
            paths.extend(_read_line_range(text + arguments[at].text))
            at += 1
        elif not _is_read_only_option(text, subcommand):
            return None
        else:
            paths.extend(_read_line_range(text))
    # Outside a repository, and with exactly two operands, `diff` compares files or folders.
    compares = subcommand == "diff" and len(paths) == len(("a", "b"))
    return ReadOnlyCommand(tuple(word for word in paths if word.text), "all" if compares else "")


def _read_operand(word: Word, subcommand: str, *, is_path: bool) -> list[Word]:
    """List the paths that a revision or a path may name; empty if its text does not show them."""
    text = word.text
    is_simple_colon = not text.startswith(":") or (not is_path and _INDEX_PATH.match(text))
    is_plain = not _GLOB.search(text) or (is_path and _BY_EXTENSION.fullmatch(text))
    lists_only = subcommand == "ls-files" or is_plain
    is_known = is_simple_colon and lists_only and text.count(":") <= _MAX_COLONS
    return [word, *_list_colon_suffixes(text)] if is_known else []


def _list_colon_suffixes(text: str) -> list[Word]:
    """List the possible paths in `HEAD:x`; the revision may contain colons too."""
    suffixes = (Word(text[at + 1 :]) for at, char in enumerate(text) if char == ":")
    return list(islice(suffixes, _MAX_COLONS))


def _read_line_range(text: str) -> list[Word]:
    """List the possible paths in `-L1,5:FILE`."""
    return _list_colon_suffixes(text) if text.startswith("-L") else []


def _is_read_only_option(text: str, subcommand: str) -> bool:
    if "%G" in text or "%(" in text:
        return False
    if subcommand == "ls-files" and _LS_FILES_CLUSTER.fullmatch(text):
        return True
    return text in _READ_ONLY_LONG or bool(
        _READ_ONLY_WITH_VALUE.fullmatch(text) or _READ_ONLY_SHORT.fullmatch(text)
    )


def _list_dashed_spellings(words: Words) -> tuple[str, ...]:
    """Return `git-push` as `git push`."""
    return (join_words((Word("git"), Word(words[0].text.removeprefix(DASHED_PREFIX)), *words[1:])),)


def _list_opened_files(arguments: Words) -> Words:
    """List the files that options name."""
    at = _find_subcommand((Word("git"), *arguments)) - 1
    name = arguments[at].text if at < len(arguments) else ""
    options = WrittenPaths(output_options=_FILE_OPTIONS.get(name, ()))
    # `hash-object -w` stores a file, so that `cat-file` prints it.
    operands = arguments[at + 1 :] if name == "hash-object" else ()
    return (*options.find(arguments[at + 1 :]), *(w for w in operands if w.text[:1] != "-"))


GIT = Program(
    "git",
    _analyze_git,
    has_listed_options=True,
    path_marker=":",
    list_read_paths=_list_opened_files,
    has_root_paths=True,
    find_tracked_reads=_find_tracked_reads,
    writes=WrittenPaths(
        _find_written_operands,
        output_options=("--output", "-o"),
        writes_unnamed=_writes_unnamed,
    ),
    match_read_only=_match_read_only,
    finds_repository=True,
    find_directory=find_directory,
    list_spellings=_list_spellings,
)
DASHED_GIT = Program(
    "", ask_always("is an internal git program"), list_spellings=_list_dashed_spellings
)
"""Any program whose name begins with `git-`."""

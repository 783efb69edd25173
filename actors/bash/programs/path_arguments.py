"""Finds arguments that may be paths, for rules that deny reading or writing them."""

import re
from collections.abc import Iterable, Iterator

from actors.bash.programs.git import is_config_write
from actors.bash.syntax.parsed_command import Word, Words

_TEXT_COMMANDS = {
    "echo",
    "printf",
    "true",
    "false",
    "test",
    "[",
    "kill",
    "sleep",
    "basename",
    "dirname",
}
"""Their arguments are text, not files."""
_PATH_MARKERS = {"git": ":", "curl": "@", "http": "@", "https": "@", "xh": "@"}
"""What precedes a path within an argument: `HEAD:x`, `@x`."""
_WRITE_ALL_OPERANDS = {
    "rm", "rmdir", "unlink", "shred", "touch", "mkdir", "truncate", "tee", "mkfifo", "mknod",
    "chmod", "chown", "chgrp", "chattr", "setfacl", "mv", "patch", "sponge",
    "ed", "ex", "vi", "vim", "nvim", "nano", "gzip", "gunzip", "bzip2", "bunzip2", "xz", "unxz",
    "dos2unix", "unix2dos", "rename",
}  # fmt: skip
_WRITE_LAST_OPERAND = {"cp", "ln", "install", "link", "rsync", "scp"}
_OUTPUT_OPTIONS = {
    "sort": ("-o", "--output"),
    "curl": ("-o", "--output"),
    "wget": ("-O", "--output-document", "-P", "--directory-prefix"),
    "unzip": ("-d",),
    "csplit": ("-f", "--prefix"),
    "iconv": ("-o", "--output"),
    "pandoc": ("-o", "--output"),
    "openssl": ("-out",),
    "ssh-keygen": ("-f",),
    "mktemp": ("-p", "--tmpdir"),
    "gcc": ("-o",),
    "cc": ("-o",),
    "cp": ("-t", "--target-directory"),
    "mv": ("-t", "--target-directory"),
    "install": ("-t", "--target-directory"),
    "ln": ("-t", "--target-directory"),
    "tar": ("-f", "--file", "-C", "--directory"),
    "git": ("--output", "-o"),
    "find": ("-fprint", "-fprint0", "-fprintf", "-fls"),
}
_WITHOUT_CLUSTERS = {"gcc", "cc", "find", "openssl"}
_CLUSTER = re.compile(r"-[A-Za-z]{2,6}(?=[A-Za-z]*[./])")
"""Short options, the last of which may have a path attached."""
_MOUNTING = {"docker", "podman", "nerdctl"}
"""In `HOST:CONTAINER` among their arguments, the first half is a path on this system."""
_WITH_PATHS_IN_ARGUMENTS = _PATH_MARKERS.keys() | _MOUNTING
_IN_PLACE_EDITORS = {"sed", "perl", "ruby", "awk", "gawk", "yq"}
_IN_PLACE_OPTION = re.compile(r"-[A-Za-z0-9]*i|--in-?place|inplace$")
_FIND_CHANGING_ACTIONS = {"-delete", "-exec", "-execdir", "-ok", "-okdir"}
_GIT_WRITING_SUBCOMMANDS = {"checkout", "restore", "rm", "mv", "clean"}
_RECURSIVE_OPTION = re.compile(r"-[A-Za-z]*[rR]|--r")
_WRITE_BELOW_FOLDERS = {"mv", "rsync", "tar", "unzip", "wget", "mktemp"}
"""If an operand is a folder, they write or remove what is in it."""
_WRITE_INTO_FOLDERS = {*_WRITE_LAST_OPERAND, "mv"}
_WRITERS = {
    *_WRITE_ALL_OPERANDS, *_WRITE_LAST_OPERAND, *_OUTPUT_OPTIONS, *_IN_PLACE_EDITORS,
    "uniq", "dd", "zip", "split", "tar", "git",
}  # fmt: skip


def find_possible_read_paths(name: str, arguments: Words) -> Words:
    """List every argument and option value that may be a path."""
    if name in _TEXT_COMMANDS:
        return ()
    has_inner_paths = name in _WITH_PATHS_IN_ARGUMENTS
    found: list[Word] = []
    for word in arguments:
        if word.text[:1] != "-" and "=" not in word.text and not has_inner_paths:
            found.append(word)
            continue
        for value in _list_values(word):
            found.append(value)
            marker = _PATH_MARKERS.get(name, "")
            if marker and marker in value.text:
                found.append(_with_text(value, value.text.rpartition(marker)[2]))
            if name in _MOUNTING:
                found.append(_with_text(value, value.text.partition(":")[0]))
    found += _list_referenced_files(found)
    return tuple([word for word in found if word.text])


def _list_referenced_files(words: list[Word]) -> list[Word]:
    """List files that arguments refer to: `@list`, `file:///list`."""
    return [
        _with_text(word, word.text.rpartition("file://")[2].removeprefix("@"))
        for word in words
        if word.text[:1] == "@" or "file://" in word.text
    ]


def find_written_paths(name: str, arguments: Words) -> Words:
    """List the arguments that are paths the command writes, makes or removes."""
    if name not in _WRITERS:
        return ()
    operands = [word for word in arguments if not word.text.startswith("-")]
    found = _list_written_operands(name, arguments, operands)
    options = _OUTPUT_OPTIONS.get(name, ())
    targets = _list_option_values(options, arguments, allows_clusters=name not in _WITHOUT_CLUSTERS)
    removes_folders = name == "rm" and any(_RECURSIVE_OPTION.match(w.text) for w in arguments)
    if name in _WRITE_BELOW_FOLDERS or removes_folders:
        found += _add_wildcards([*operands, *targets])
    if name in _WRITE_INTO_FOLDERS:
        found += _list_targets_in_folders([*operands[-1:], *targets], operands)
    return (*found, *targets)


def _list_written_operands(name: str, arguments: Words, operands: list[Word]) -> list[Word]:
    """List the operands that are written, according to their positions."""
    if name in _WRITE_ALL_OPERANDS:
        return [*operands]
    if name in _WRITE_LAST_OPERAND:
        return operands[-1:]
    if name in _IN_PLACE_EDITORS:
        return operands if any(_IN_PLACE_OPTION.match(word.text) for word in arguments) else []
    if name in {"uniq", "split"}:
        return operands[1:2]
    if name == "zip":
        return operands[:1]
    return _list_special_operands(name, arguments, operands)


def _list_special_operands(name: str, arguments: Words, operands: list[Word]) -> list[Word]:
    """List the written operands of commands whose arguments have a syntax of their own."""
    first = operands[0].text if operands else ""
    if name == "find":
        is_changing = any(word.text in _FIND_CHANGING_ACTIONS for word in arguments)
        return _add_wildcards(operands) if is_changing else []
    if name == "dd":
        return [_with_text(word, word.text[3:]) for word in arguments if word.text[:3] == "of="]
    if name == "tar":
        return operands[1:2] if first.isalpha() and "f" in first else []
    if name == "git" and is_config_write(arguments):
        return [Word(".git/config")]
    if name == "git" and first in _GIT_WRITING_SUBCOMMANDS:
        return [*operands[1:], *_add_wildcards(operands[1:])]
    return []


def _add_wildcards(folders: Iterable[Word]) -> list[Word]:
    """Return patterns for everything below the folders, as rules write them."""
    return [_with_text(each, f"{each.text.rstrip('/')}/*") for each in folders if each.is_literal]


def _list_targets_in_folders(folders: list[Word], files: list[Word]) -> list[Word]:
    """List what is written if the target is a folder: files of the same names in it."""
    return [
        _with_text(folder, f"{folder.text.rstrip('/')}/{file.text.rstrip('/').rpartition('/')[2]}")
        for folder in folders
        for file in files
        if file is not folder and file.is_literal
    ]


def _list_option_values(
    options: tuple[str, ...], arguments: Words, *, allows_clusters: bool
) -> list[Word]:
    found: list[Word] = []
    for at, word in enumerate(arguments):
        for option in options if word.text.startswith("-") else ():
            value = _read_option_value(option, word.text, allows_clusters=allows_clusters)
            if value == "":
                found += arguments[at + 1 : at + 2]
            elif value:
                found.append(_with_text(word, value))
    return found


def _read_option_value(option: str, text: str, *, allows_clusters: bool) -> str | None:
    """Return the value of an option in a word; "": the next word is it; None: another option."""
    if option.startswith("--"):
        name, equals, value = text.partition("=")
        is_match = len(name) > len("--") and option.startswith(name)
        return (value if equals else "") if is_match else None
    if text.startswith(option):
        return text[len(option) :]
    letters, letter, value = text.partition(option[1:])
    is_cluster = allows_clusters and letter and letters[:1] == "-" and letters[1:].isalnum()
    return value if is_cluster else None


def _list_values(word: Word) -> Iterator[Word]:
    """List the possible paths in a word: itself, the text after `=`, attached option values."""
    text = word.text
    name, equals, value = text.partition("=")
    if not text.startswith("-"):
        yield _with_text(word, value) if equals and name.isidentifier() and value else word
        return
    if equals and value:
        yield _with_text(word, value)
    if text[1:2] != "-":
        yield from (_with_text(word, attached) for attached in _list_attached_values(text))


def _list_attached_values(text: str) -> Iterator[str]:
    """List the possible attached values in a cluster of short options."""
    if text[2:]:
        yield text[2:]
    cluster = _CLUSTER.match(text)
    if cluster:
        yield from (text[at:] for at in range(3, cluster.end() + 1))


def _with_text(word: Word, text: str) -> Word:
    return Word(text, word.is_literal, word.is_unquoted, word.is_one_word)

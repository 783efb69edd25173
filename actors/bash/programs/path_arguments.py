"""Which arguments may be paths, for rules that forbid reading or writing them."""

import re
from collections.abc import Iterable, Iterator

from actors.bash.effects.indirect_effects import Words
from actors.bash.programs.git import is_config_write
from actors.bash.syntax.parsed_command import Word

_TEXTS = {"echo", "printf", "true", "false", "test", "[", "kill", "sleep", "basename", "dirname"}
"""Their arguments are text, not files."""
_MARKS = {"git": ":", "curl": "@", "http": "@", "https": "@", "xh": "@"}
"""What stands before a path within an argument: `HEAD:x`, `@x`."""
_WRITES_ALL = {
    "rm", "rmdir", "unlink", "shred", "touch", "mkdir", "truncate", "tee", "mkfifo", "mknod",
    "chmod", "chown", "chgrp", "chattr", "setfacl", "mv", "patch", "sponge",
    "ed", "ex", "vi", "vim", "nvim", "nano", "gzip", "gunzip", "bzip2", "bunzip2", "xz", "unxz",
    "dos2unix", "unix2dos", "rename",
}  # fmt: skip
_WRITES_LAST = {"cp", "ln", "install", "link", "rsync", "scp"}
_WRITES_WITH = {
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
"""Short options, the last of which may be given a path."""
_MOUNTING = {"docker", "podman", "nerdctl"}
"""`HERE:THERE` among their arguments names a path here."""
_SPLITTING = _MARKS.keys() | _MOUNTING
_IN_PLACE = {"sed", "perl", "ruby", "awk", "gawk", "yq"}
_EDITING = re.compile(r"-[A-Za-z0-9]*i|--in-?place|inplace$")
_REMOVING = {"-delete", "-exec", "-execdir", "-ok", "-okdir"}
_GIT_WRITES = {"checkout", "restore", "rm", "mv", "clean"}
_RECURSIVE = re.compile(r"-[A-Za-z]*[rR]|--r")
_WITH_FOLDERS = {"mv", "rsync", "tar", "unzip", "wget", "mktemp"}
"""What they are given may be a folder, of which they write or remove what is in it."""
_INTO_FOLDERS = {*_WRITES_LAST, "mv"}
_WRITERS = {
    *_WRITES_ALL, *_WRITES_LAST, *_WRITES_WITH, *_IN_PLACE,
    "uniq", "dd", "zip", "split", "tar", "git",
}  # fmt: skip


def find_possible_read_paths(name: str, arguments: Words) -> Words:
    """Every argument that may be a path, option values too."""
    if name in _TEXTS:
        return ()
    splits = name in _SPLITTING
    found: list[Word] = []
    for word in arguments:
        if word.text[:1] != "-" and "=" not in word.text and not splits:
            found.append(word)
            continue
        for value in _values(word):
            found.append(value)
            mark = _MARKS.get(name, "")
            if mark and mark in value.text:
                found.append(_renamed(value, value.text.rpartition(mark)[2]))
            if name in _MOUNTING:
                found.append(_renamed(value, value.text.partition(":")[0]))
    found += _referred(found)
    return tuple([each for each in found if each.text])


def _referred(words: list[Word]) -> list[Word]:
    """Find files that are given by reference: `@list`, `file:///list`."""
    given = [word for word in words if word.text[:1] == "@" or "file://" in word.text]
    return [_renamed(word, word.text.rpartition("file://")[2].removeprefix("@")) for word in given]


def find_written_paths(name: str, arguments: Words) -> Words:
    """Say which arguments are paths that the command writes, makes or removes."""
    return _written(name, arguments) if name in _WRITERS else ()


def _written(name: str, arguments: Words) -> Words:
    operands = [word for word in arguments if not word.text.startswith("-")]
    found = _by_place(name, arguments, operands)
    options = _WRITES_WITH.get(name, ())
    targets = _option_values(options, arguments, clusters=name not in _WITHOUT_CLUSTERS)
    if name in _WITH_FOLDERS or (name == "rm" and any(_RECURSIVE.match(w.text) for w in arguments)):
        found += _all_below([*operands, *targets])
    if name in _INTO_FOLDERS:
        found += _below_folders([*operands[-1:], *targets], operands)
    return (*found, *targets)


def _by_place(name: str, arguments: Words, operands: list[Word]) -> list[Word]:
    """Say which operands are written, by where they stand."""
    if name in _WRITES_ALL:
        return [*operands]
    if name in _WRITES_LAST:
        return operands[-1:]
    if name in _IN_PLACE:
        return operands if any(_EDITING.match(word.text) for word in arguments) else []
    if name in {"uniq", "split"}:
        return operands[1:2]
    if name == "zip":
        return operands[:1]
    return _by_language(name, arguments, operands)


def _by_language(name: str, arguments: Words, operands: list[Word]) -> list[Word]:
    """Say which operands are written by those whose arguments are a language of their own."""
    first = operands[0].text if operands else ""
    if name == "find":
        is_removing = any(word.text in _REMOVING for word in arguments)
        return _all_below(operands) if is_removing else []
    if name == "dd":
        return [_renamed(word, word.text[3:]) for word in arguments if word.text[:3] == "of="]
    if name == "tar":
        return operands[1:2] if first.isalpha() and "f" in first else []
    if name == "git" and is_config_write(arguments):
        return [Word(".git/config")]
    if name == "git" and first in _GIT_WRITES:
        return [*operands[1:], *_all_below(operands[1:])]
    return []


def _all_below(folders: Iterable[Word]) -> list[Word]:
    """Write what lies below folders as rules do; of a file nothing does."""
    return [_renamed(each, f"{each.text.rstrip('/')}/*") for each in folders if each.is_literal]


def _below_folders(folders: list[Word], files: list[Word]) -> list[Word]:
    """Say what is written where the last operand is a folder: a file of the same name in it."""
    return [
        _renamed(folder, f"{folder.text.rstrip('/')}/{file.text.rstrip('/').rpartition('/')[2]}")
        for folder in folders
        for file in files
        if file is not folder and file.is_literal
    ]


def _option_values(options: tuple[str, ...], arguments: Words, *, clusters: bool) -> list[Word]:
    found: list[Word] = []
    for at, word in enumerate(arguments):
        for option in options if word.text.startswith("-") else ():
            value = _value_of(option, word.text, clusters=clusters)
            if value == "":
                found += arguments[at + 1 : at + 2]
            elif value:
                found.append(_renamed(word, value))
    return found


def _value_of(option: str, text: str, *, clusters: bool) -> str | None:
    """Say what a word gives an option; empty: the next word; None: it is another."""
    if option.startswith("--"):
        name, equals, value = text.partition("=")
        is_it = len(name) > len("--") and option.startswith(name)
        return (value if equals else "") if is_it else None
    if text.startswith(option):
        return text[len(option) :]
    letters, letter, value = text.partition(option[1:])
    is_cluster = clusters and letter and letters[:1] == "-" and letters[1:].isalnum()
    return value if is_cluster else None


def _values(word: Word) -> Iterator[Word]:
    """Say which paths may stand in a word: it, what follows `=`, what an option is given."""
    text = word.text
    name, equals, value = text.partition("=")
    if not text.startswith("-"):
        yield _renamed(word, value) if equals and name.isidentifier() and value else word
        return
    if equals and value:
        yield _renamed(word, value)
    if text[1:2] != "-":
        yield from (_renamed(word, attached) for attached in _attached(text))


def _attached(text: str) -> Iterator[str]:
    """Say what the options of a cluster may be given, as far as a cluster is plausible."""
    if text[2:]:
        yield text[2:]
    cluster = _CLUSTER.match(text)
    if cluster:
        yield from (text[at:] for at in range(3, cluster.end() + 1))


def _renamed(word: Word, text: str) -> Word:
    return Word(text, word.is_literal, word.is_unquoted, word.is_one_word)

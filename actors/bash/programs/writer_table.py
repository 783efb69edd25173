"""Records of programs that write, move or remove the files that their arguments name."""

import re

from actors.bash.effects.effect_rules import ask_unless_listed
from actors.bash.effects.written_paths import (
    WrittenPaths,
    add_wildcards,
    names_backups,
    write_all,
    write_last,
    writes_unnamed_if,
)
from actors.bash.programs.program import Program, read_all_below
from actors.bash.syntax.parsed_command import ReadDepth, Word, Words

_RECURSIVE_OPTION = re.compile(r"-[A-Za-z]*[rR]|--r")
_RECURSIVE_COPY = re.compile(r"-[A-Za-z]*[rRa]|--r|--a")
_FOLLOWS_LINKS = re.compile(r"-[A-Za-z]*[LH]|--dereference")
_ZIP_LISTING = re.compile(r"-[A-Za-z0-9]*[lptvzZ][A-Za-z0-9]*")
_TARGET_OPTIONS = ("-t", "--target-directory")


def _write_removed(arguments: Words, operands: list[Word]) -> list[Word]:
    """List what `rm` removes: with `-r`, what is in folders too."""
    is_recursive = any(_RECURSIVE_OPTION.match(word.text) for word in arguments)
    return [*operands, *(add_wildcards(operands) if is_recursive else [])]


def _find_copied_depth(arguments: Words) -> ReadDepth:
    """Return what `cp` copies below its operands."""
    texts = [word.text for word in arguments]
    if not any(_RECURSIVE_COPY.match(text) for text in texts):
        return ""
    return "follow_links" if any(_FOLLOWS_LINKS.match(text) for text in texts) else "all"


def _extracts_zip(arguments: Words) -> bool:
    return not any(_ZIP_LISTING.fullmatch(word.text) for word in arguments)


PROGRAMS: tuple[Program, ...] = (
    Program("rm", writes=WrittenPaths(_write_removed, adds_content=False)),
    Program(
        "rmdir unlink shred touch mkdir truncate mkfifo mknod chmod chown chgrp chattr setfacl",
        writes=WrittenPaths(write_all, adds_content=False),
    ),
    Program(
        "sponge gzip gunzip bzip2 bunzip2 xz unxz dos2unix unix2dos rename",
        writes=WrittenPaths(write_all),
    ),
    Program(
        "mv",
        find_read_depth=read_all_below,
        writes=WrittenPaths(
            write_all,
            output_options=_TARGET_OPTIONS,
            below_folders=True,
            into_folders=True,
            writes_unnamed=names_backups,
        ),
    ),
    Program(
        "cp",
        find_read_depth=_find_copied_depth,
        writes=WrittenPaths(
            write_last,
            output_options=_TARGET_OPTIONS,
            into_folders=True,
            writes_unnamed=names_backups,
        ),
    ),
    Program(
        "ln",
        find_read_depth=read_all_below,
        writes=WrittenPaths(
            write_last,
            output_options=_TARGET_OPTIONS,
            into_folders=True,
            writes_unnamed=names_backups,
        ),
    ),
    Program("link", writes=WrittenPaths(write_last, into_folders=True)),
    Program("mktemp", writes=WrittenPaths(output_options=("-p", "--tmpdir"), below_folders=True)),
    Program(
        "unzip",
        writes=WrittenPaths(
            output_options=("-d",),
            below_folders=True,
            writes_unnamed=_extracts_zip,
        ),
    ),
    Program(
        "7z 7za 7zr 7zz unrar rar",
        find_read_depth=read_all_below,
        writes=WrittenPaths(writes_unnamed=writes_unnamed_if("[xe]")),
    ),
    Program(
        "pandoc",
        ask_unless_listed(
            r"-(?:[ftrwos].*|N|-(?:from|to|read|write|output|standalone|toc|number-sections|wrap|"
            r"columns)(?:=.*)?)"
        ),
        has_listed_options=True,
        writes=WrittenPaths(output_options=("-o", "--output")),
    ),
)

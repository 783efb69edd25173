"""The table of programs: one record for each program about which anything is known.

To add a program, add a row to the table of its kind; a program that needs much code of its own has
a module that exports its record. Its effect rule is `runs_command` for a wrapper, `runs_script` if
it takes a text to run, `ask_on_options` and `ask_on_words` if certain arguments are dangerous, and
`ask_always` if its arguments do not show what it does.
"""

import re

from actors.bash.effects.effect_rules import runs_command
from actors.bash.effects.option_parsing import WrapperOptions, split_names
from actors.bash.programs import (
    language_table,
    reader_table,
    shell_table,
    tool_table,
    wrapper_table,
    writer_table,
)
from actors.bash.programs.awk import AWK_PROGRAMS
from actors.bash.programs.curl import CURL
from actors.bash.programs.find import FIND
from actors.bash.programs.git import DASHED_GIT, DASHED_PREFIX, GIT
from actors.bash.programs.program import Program
from actors.bash.programs.sed import GSED, SED
from actors.bash.syntax.parsed_command import Words


def _match_nothing(_arguments: Words) -> None:
    """Return None, as a program does of which no form is read-only."""


PROGRAMS = (
    GIT,
    CURL,
    *AWK_PROGRAMS,
    FIND,
    SED,
    GSED,
    *shell_table.PROGRAMS,
    *wrapper_table.PROGRAMS,
    *language_table.PROGRAMS,
    *tool_table.PROGRAMS,
    *reader_table.PROGRAMS,
    *writer_table.PROGRAMS,
)
"""One record for each program; no name is in two of them."""
_BY_NAME = {name: program for program in PROGRAMS for name in program.names.split()}
_GNU_TOOLS = (
    "chroot csplit date dd env find kill make nice nohup patch printf shuf sort split "
    "stdbuf tar tee test time timeout uniq xargs"
)
for _name in _GNU_TOOLS.split():
    # On macOS, the GNU tools have names that begin with "g".
    # On other systems, they may be something else, so none of their forms is read-only.
    _BY_NAME.setdefault(f"g{_name}", _BY_NAME[_name]._replace(match_read_only=_match_nothing))
_UNKNOWN = Program("")
_DYNAMIC_LOADER = Program(
    "",
    runs_command(
        "runs another command",
        WrapperOptions(
            long_with_value=split_names("library-path preload audit inhibit-rpath argv0")
        ),
    ),
)
_LOADER_PREFIXES = ("ld-linux", "ld.so", "ld-musl")
_MAX_NAME_CHARS = 64


def find_program(name: str) -> Program:
    """Return the record of a program by its exact name; an empty record if there is none."""
    program = _BY_NAME.get(name)
    if program is not None:
        return program
    return DASHED_GIT if name.startswith(DASHED_PREFIX) else _UNKNOWN


def find_program_of_version(name: str, suffix: re.Pattern[str]) -> Program:
    """Return the record of a program, also if a suffix like a version follows its name."""
    program = find_program(name)
    if program is not _UNKNOWN or name.isalpha():
        return program
    if name.startswith(_LOADER_PREFIXES):
        return _DYNAMIC_LOADER
    if len(name) > _MAX_NAME_CHARS:
        return _UNKNOWN
    return _BY_NAME.get(suffix.sub("", name), _UNKNOWN)

"""The table of programs has one record per program."""

from collections import Counter

import pytest

from actors.bash.programs.table import PROGRAMS, find_program

pytestmark = pytest.mark.quick


def test_no_program_has_two_records_in_the_table() -> None:
    counts = Counter(name for program in PROGRAMS for name in program.names.split())

    assert [name for name, count in counts.items() if count > 1] == []


def test_an_internal_git_program_shares_one_record() -> None:
    assert find_program("git-push") is find_program("git-fetch")


def test_a_program_without_a_record_has_no_effects() -> None:
    program = find_program("no-such-program")

    assert (program.effect_rule, program.writes, program.find_read_only(())) == (None, None, None)

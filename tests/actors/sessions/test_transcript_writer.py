"""Transcripts gather what is only to be read, and write it a file at a time."""

from pathlib import Path

import pytest

from actors.sessions.transcript_writer import TranscriptWriter
from messages.address import PRIMARY
from messages.turns import TurnStarted

pytestmark = pytest.mark.quick

ONE, TWO = PRIMARY.child("general-1"), PRIMARY.child("general-2")
RECORD = TurnStarted(turn=1, prompt="look")


def test_records_gather_until_they_are_written_each_into_its_agents_file(tmp_path: Path) -> None:
    transcripts = TranscriptWriter(tmp_path / "s")
    assert not transcripts.add([(RECORD, PRIMARY)]), "the primary's is the session file"
    assert transcripts.add([(RECORD, ONE), (RECORD, TWO)])
    assert not transcripts.add([(RECORD, ONE)]), "they are to be written already"
    assert not (tmp_path / "s").exists()

    transcripts.write()
    lines = {path.name: len(path.read_text().splitlines()) for path in (tmp_path / "s").iterdir()}
    assert lines == {"agent-general-1.jsonl": 2, "agent-general-2.jsonl": 1}
    assert transcripts.add([(RECORD, ONE)]), "what comes next is to be written anew"


def test_a_few_agents_are_written_at_once_and_the_rest_is_not_forgotten(tmp_path: Path) -> None:
    transcripts = TranscriptWriter(tmp_path / "s")
    transcripts.add([(RECORD, ONE), (RECORD, TWO)])
    assert transcripts.write(1), "there is more"
    assert [path.name for path in (tmp_path / "s").iterdir()] == ["agent-general-1.jsonl"]
    assert not transcripts.add([(RECORD, ONE)]), "they are to be written already"
    assert transcripts.write(1)
    assert not transcripts.write(1), "that was all"
    lines = {path.name: len(path.read_text().splitlines()) for path in (tmp_path / "s").iterdir()}
    assert lines == {"agent-general-1.jsonl": 2, "agent-general-2.jsonl": 1}

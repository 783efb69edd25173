"""Transcripts collect records and write them one file at a time."""

from pathlib import Path

import pytest

from actors.sessions.subagent_transcripts import TranscriptWriter
from messages.address import PRIMARY
from messages.turns import TurnStarted

pytestmark = pytest.mark.quick

ONE, TWO = PRIMARY.child("general-1"), PRIMARY.child("general-2")
RECORD = TurnStarted(turn=1, prompt="look")


def test_records_are_collected_and_written_per_agent(tmp_path: Path) -> None:
    transcripts = TranscriptWriter(tmp_path / "s")
    assert not transcripts.add([(RECORD, PRIMARY)]), "the primary agent has no transcript"
    assert transcripts.add([(RECORD, ONE), (RECORD, TWO)])
    assert not transcripts.add([(RECORD, ONE)]), "a write is already due"
    assert not (tmp_path / "s").exists()

    transcripts.write()
    lines = {path.name: len(path.read_text().splitlines()) for path in (tmp_path / "s").iterdir()}
    assert lines == {"agent-general-1.jsonl": 2, "agent-general-2.jsonl": 1}
    assert transcripts.add([(RECORD, ONE)]), "a new write is due"


def test_transcripts_are_written_a_few_at_a_time(tmp_path: Path) -> None:
    transcripts = TranscriptWriter(tmp_path / "s")
    transcripts.add([(RECORD, ONE), (RECORD, TWO)])
    assert transcripts.write(1), "there is more"
    assert [path.name for path in (tmp_path / "s").iterdir()] == ["agent-general-1.jsonl"]
    assert not transcripts.add([(RECORD, ONE)]), "a write is already due"
    assert transcripts.write(1)
    assert not transcripts.write(1), "that was all"
    lines = {path.name: len(path.read_text().splitlines()) for path in (tmp_path / "s").iterdir()}
    assert lines == {"agent-general-1.jsonl": 2, "agent-general-2.jsonl": 1}

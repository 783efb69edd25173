"""Names that were replaced by plain ones do not come back, in code, documentation or UI text."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

pytestmark = pytest.mark.quick

ROOT = Path(__file__).parent.parent
SEARCHED = ("messages", "actors", "shell", "tests", ".github", ".ci")
"""Folders that are searched; of the top level's files, all but those in `SKIPPED_FILES`."""
SKIPPED_FILES = {"LICENSE", "uv.lock", Path(__file__).name}

REPLACEMENTS = {
    "anteroom": "empty root",
    "asker": "agent, requester",
    "bark": "stall callback",
    "behaviour": "behavior",
    "blight": "tree mutants",
    "catalogue": "session index",
    "ceiling": "max mode",
    "court": "evaluation pool",
    "deaf": "ignores TERM, does not end",
    "desk": "screen parts",
    "drafting": "draft input",
    "drifted": "target changed",
    "errand": "task",
    "fickle": "change policy chance",
    "foliage": "tree invariants",
    "grove": "tree simulation",
    "happenings": "events",
    "hearing": "rule evaluation",
    "heeded": "relevant",
    "household": "cell, lifecycle, children",
    "impatience": "retry mutants",
    "ink": "style",
    "inlet": "message sink",
    "innards": "internals",
    "judge": "evaluate, decide",
    "judged": "evaluated",
    "judgement": "decision",
    "judging": "evaluation",
    "kin": "subagents, ancestors",
    "kinship": "subagent records",
    "lookalikes": "confusables",
    "meddling": "outside change",
    "misdeed": "mutant",
    "neighbour": "collaborator, peer",
    "nursery": "subagent factory",
    "overseeing": "task view",
    "paper": "printer",
    "parcel": "mailbox item",
    "peeked": "unread file",
    "person": "user",
    "phoenix": "crashing actor",
    "planted": "injected",
    "pledge": "invariant",
    "rehearsal": "scripted model",
    "rereading": "reload rules",
    "retelling": "replay",
    "rulebook": "rule index",
    "scene": "frame input",
    "tally": "result builder",
    "theatre": "session fixture",
    "troupe": "scripted agents",
    "unjudged": "evaluation failed",
    "verdict": "permission decision",
    "workplace": "session context",
}
"""Retired names without another meaning here, and what to write instead. Plurals are found, too."""

CANDIDATE = re.compile("|".join(REPLACEMENTS), re.IGNORECASE)
WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
"""One word of prose, of `snake_case` or of `CamelCase`."""


def find_retired_words(text: str) -> list[str]:
    if not CANDIDATE.search(text):
        return []
    words = (word.lower() for word in WORD.findall(text))
    return [word for word in words if not REPLACEMENTS.keys().isdisjoint((word, word.rstrip("s")))]


def list_text_files() -> Iterator[tuple[Path, str]]:
    paths = [path for path in ROOT.iterdir() if path.is_file()]
    paths += [path for folder in SEARCHED for path in (ROOT / folder).rglob("*") if path.is_file()]
    for path in sorted(paths):
        if path.name not in SKIPPED_FILES and path.parent.name != "__pycache__":
            try:
                yield path.relative_to(ROOT), path.read_text()
            except UnicodeDecodeError:
                continue


def test_no_file_uses_a_retired_name() -> None:
    found: list[str] = []
    for path, text in list_text_files():
        found += (f"{path}: path: {word}" for word in find_retired_words(str(path)))
        if find_retired_words(text):
            for number, line in enumerate(text.splitlines(), 1):
                found += (f"{path}:{number}: {word}" for word in find_retired_words(line))
    assert not found, "\n".join(("retired names:", *found))


@pytest.mark.parametrize(
    "text",
    ["an errand", "Errands", "next_errand_id", "CancelErrand", "ERRAND_LIMIT", "errand2"],
)
def test_a_retired_name_is_found_in_any_spelling(text: str) -> None:
    assert find_retired_words(text) != []


@pytest.mark.parametrize("text", ["personal", "linking", "newspaper", "Courtesy", "deafen"])
def test_a_longer_word_is_not_a_retired_name(text: str) -> None:
    assert find_retired_words(text) == []

"""`/undo`, `/redo` and `/diff` on the real screen, in a real repository."""

import time
from dataclasses import dataclass
from pathlib import Path

import pytest

from actors.sessions.session_log import SessionLog
from actors.snapshots.snapshot_store import SnapshotStore
from messages.address import PRIMARY, ROOT, Address
from messages.journal import Record, SessionHeader
from messages.snapshots import RecordUndo, SnapshotMoment, SnapshotTaken
from messages.turns import ToolEnded, TurnStarted
from shell.commands.undo import NOTHING_TO_REDO, NOTHING_TO_UNDO
from shell.sessions.session_context import SessionContext
from tests.shell.commands.test_slash_commands import run_git
from tests.shell.screen_harness import ScreenHarness, run_on_screen
from tests.shell.screen_setup import start_session

SUBAGENT = PRIMARY.child("general-1")


@dataclass
class ChangedSession:
    """A session file and its workspace; records are written as the agents do."""

    root: Path
    log: SessionLog
    store: SnapshotStore

    @property
    def context(self) -> SessionContext:
        return SessionContext(
            cwd=self.root,
            workspace_root=self.root,
            session_file=self.log.path,
            snapshots=self.store,
        )

    def write(self, record: Record, agent: Address = PRIMARY) -> None:
        self.log.append([(record, agent)])

    def keep(self, moment: SnapshotMoment, agent: Address = PRIMARY) -> None:
        commit = self.store.take("x").commit
        self.write(SnapshotTaken(turn=1, moment=moment, commit=commit), agent)

    def end_call(self, tool: str, target: str = "", agent: Address = PRIMARY) -> None:
        self.write(
            ToolEnded(
                turn=1, call_id="c", tool=tool, title=tool, target=target, status="ok", text="",
                diff="+x" if target else "",
            ),
            agent,
        )  # fmt: skip

    async def record_posted(self, screen: ScreenHarness) -> None:
        """Do what the agent does with a finished undo."""
        await screen.wait_until(lambda: screen.posted, "a record")
        request = screen.posted.pop()
        assert isinstance(request, RecordUndo)
        self.write(request.undone)


@pytest.fixture
def session(tmp_path: Path) -> ChangedSession:
    """A session whose first turn has changed one file and created another."""
    root = tmp_path / "work"
    root.mkdir()
    run_git(root, "init", "-q")
    (root / "a.txt").write_text("one\n")
    clock = time.time  # noqa: TID251  (its times are compared with those of files)
    header = SessionHeader(session_id="s", workspace=str(root))
    log = SessionLog.create(tmp_path / "s.jsonl", [(header, ROOT)], clock)
    made = ChangedSession(root, log, SnapshotStore(root, tmp_path / "snapshots", "s", clock))
    made.write(TurnStarted(turn=1, prompt="Change it"))
    made.keep("before")
    (root / "a.txt").write_text("two\n")
    (root / "b.txt").write_text("new\n")
    made.end_call("edit", "a.txt")
    made.end_call("bash")
    made.keep("after")
    return made


def test_undo_shows_a_diff_asks_and_can_be_taken_back(session: ChangedSession) -> None:
    async def script(screen: ScreenHarness) -> None:
        await start_session(screen)
        screen.type("/undo\r")
        await screen.wait_for_text("Undo the changes of turn 1: Change it")
        await screen.wait_for_text("+one")
        screen.type("\r")
        await screen.wait_for_text("Turn 1: changes undone in 2 files; /redo takes this back.")
        assert (session.root / "a.txt").read_text() == "one\n"
        assert not (session.root / "b.txt").exists()
        await session.record_posted(screen)
        screen.type("/undo\r")
        await screen.wait_for_text(NOTHING_TO_UNDO)
        screen.type("/redo\r")
        await screen.wait_for_text("Restore the changes of turn 1: Change it")
        screen.type("\r")
        await screen.wait_for_text("Turn 1: changes restored in 2 files")
        assert (session.root / "a.txt").read_text() == "two\n"
        assert (session.root / "b.txt").read_text() == "new\n"
        await session.record_posted(screen)
        screen.type("/redo\r")
        await screen.wait_for_text(NOTHING_TO_REDO)

    run_on_screen(script, session_context=session.context)


def test_an_undo_that_is_not_confirmed_changes_nothing(session: ChangedSession) -> None:
    (session.root / "a.txt").write_text("user\n")

    async def script(screen: ScreenHarness) -> None:
        await start_session(screen)
        screen.type("/undo\r")
        await screen.wait_for_text("Changed since, so left as they are:")
        await screen.wait_for_text("Undo the changes of turn 1")
        screen.type("\x1b[B\r")
        await screen.wait_for_no_text("Undo the changes of turn 1")

    run_on_screen(script, session_context=session.context)
    assert (session.root / "a.txt").read_text() == "user\n"
    assert (session.root / "b.txt").exists()


def test_diff_names_the_author_of_each_file(session: ChangedSession) -> None:
    async def script(screen: ScreenHarness) -> None:
        await start_session(screen)
        screen.type("/diff\r")
        await screen.wait_for_text("Changes of this session")
        await screen.wait_for_text("a.txt · primary")
        await screen.wait_for_text("b.txt · a command of primary")
        await screen.wait_for_text("+two")

    run_on_screen(script, session_context=session.context)


def test_diff_of_a_turn_says_what_is_uncertain(session: ChangedSession) -> None:
    session.write(TurnStarted(turn=2, prompt="More"))
    session.keep("before")
    session.keep("before", SUBAGENT)
    (session.root / "c.txt").write_text("new\n")
    session.end_call("bash")
    session.end_call("bash", agent=SUBAGENT)
    session.keep("after", SUBAGENT)
    session.keep("after")

    async def script(screen: ScreenHarness) -> None:
        await start_session(screen)
        screen.type("/diff turn\r")
        await screen.wait_for_text("Changes of the last turn")
        await screen.wait_for_text("c.txt · uncertain: a command of general-1 or primary")
        assert "a.txt" not in screen.text

    run_on_screen(script, session_context=session.context)

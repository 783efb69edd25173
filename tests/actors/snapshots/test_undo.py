"""Undoing changes between two snapshots."""

from itertools import pairwise
from pathlib import Path

from actors.snapshots.undo import carry_out, compare, plan_undo
from tests.actors.snapshots.conftest import Repository


def test_undo_restores_changed_created_and_deleted_files(repository: Repository) -> None:
    (repository.root / "a.txt").chmod(0o755)
    before = repository.take()
    repository.write("a.txt", "two\n").chmod(0o644)
    repository.write("made/deep/new.txt", "new")
    (repository.root / "src/b.py").unlink()
    (repository.root / "src").rmdir()
    repository.undo(before, repository.take())
    assert (repository.root / "a.txt").read_text() == "one\n"
    assert (repository.root / "a.txt").stat().st_mode & 0o100
    assert (repository.root / "src/b.py").read_text() == "b = 1\n"
    assert not (repository.root / "made").exists()


def test_undo_moves_a_renamed_file_back(repository: Repository) -> None:
    before = repository.take()
    (repository.root / "a.txt").rename(repository.root / "renamed.txt")
    repository.undo(before, repository.take())
    assert (repository.root / "a.txt").read_text() == "one\n"
    assert not (repository.root / "renamed.txt").exists()


def test_files_changed_since_are_left_and_listed(repository: Repository) -> None:
    before = repository.take()
    repository.write("a.txt", "agent\n")
    repository.write("src/b.py", "agent\n")
    after = repository.take()
    repository.write("a.txt", "user\n")
    plan = repository.undo(before, after)
    assert plan.left == ("a.txt",)
    assert (repository.root / "a.txt").read_text() == "user\n"
    assert (repository.root / "src/b.py").read_text() == "b = 1\n"


def test_files_that_the_change_did_not_touch_stay(repository: Repository) -> None:
    before = repository.take()
    repository.write("a.txt", "agent\n")
    after = repository.take()
    repository.write("src/b.py", "user\n")
    repository.write("users.txt", "user\n")
    repository.undo(before, after)
    assert (repository.root / "src/b.py").read_text() == "user\n"
    assert (repository.root / "users.txt").exists()


def test_an_undo_can_itself_be_undone(repository: Repository) -> None:
    before = repository.take()
    repository.write("a.txt", "agent\n")
    repository.write("new.txt", "new\n")
    plan = repository.undo(before, repository.take())
    assert not (repository.root / "new.txt").exists()
    repository.undo(plan.current, plan.target)
    assert (repository.root / "a.txt").read_text() == "agent\n"
    assert (repository.root / "new.txt").read_text() == "new\n"


def test_a_change_after_the_plan_is_not_overwritten(repository: Repository) -> None:
    before = repository.take()
    repository.write("a.txt", "agent\n")
    (repository.root / "src/b.py").unlink()
    plan = plan_undo(repository.store, before, repository.take())
    repository.write("a.txt", "user\n")
    repository.write("src/b.py", "user\n")
    assert set(carry_out(repository.store, plan)) == {"a.txt", "src/b.py"}
    assert (repository.root / "a.txt").read_text() == "user\n"
    assert (repository.root / "src/b.py").read_text() == "user\n"


def test_an_undo_does_not_follow_a_link(repository: Repository) -> None:
    outside = repository.state / "outside"
    outside.mkdir()
    (outside / "b.py").write_text("agent\n")
    before = repository.take()
    repository.write("src/b.py", "agent\n")
    plan = plan_undo(repository.store, before, repository.take())
    (repository.root / "src/b.py").unlink()
    (repository.root / "src").rmdir()
    (repository.root / "src").symlink_to(outside)
    assert carry_out(repository.store, plan) == ("src/b.py",)
    assert (outside / "b.py").read_text() == "agent\n"


def test_links_and_folders_are_restored(repository: Repository) -> None:
    link = repository.root / "link"
    link.symlink_to("a.txt")
    before = repository.take()
    link.unlink()
    link.symlink_to("elsewhere")
    (repository.root / "a.txt").unlink()
    repository.write("a.txt/inner", "x")
    repository.undo(before, repository.take())
    assert link.readlink() == Path("a.txt")
    assert (repository.root / "a.txt").read_text() == "one\n"


def test_undo_works_at_every_point_of_a_session(repository: Repository) -> None:
    states: list[str] = [repository.take()]
    for number in range(5):
        repository.write("a.txt", f"{number}\n" if number % 2 else "even\n")
        repository.write(f"n{number}.txt", "x")
        states.append(repository.take())
    for before, after in reversed(list(pairwise(states))):
        repository.undo(before, after)
    assert compare(repository.store, states[0], repository.take()).paths == ()


def test_undo_after_garbage_collection_still_works(repository: Repository) -> None:
    repository.write("new.txt", "precious\n")
    before = repository.take()
    (repository.root / "new.txt").unlink()
    after = repository.take()
    repository.git("gc", "-q", "--prune=now")
    repository.undo(before, after)
    assert (repository.root / "new.txt").read_text() == "precious\n"

"""What a snapshot contains, and what taking it leaves alone."""

import os
from pathlib import Path

import pytest

from actors.snapshots import snapshot_repository, workspace_files
from actors.snapshots.snapshot_store import SnapshotError
from tests.actors.snapshots.conftest import Repository, open_store


def read_tree(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_untracked_files_are_in_and_ignored_ones_are_not(repository: Repository) -> None:
    repository.write("new.txt", "new\n")
    repository.write("debug.log", "ignored\n")
    files = repository.list_files(repository.take())
    assert files == [".gitignore", "a.txt", "new.txt", "src/b.py"]


def test_a_tracked_file_that_is_ignored_is_in(repository: Repository) -> None:
    repository.write("kept.log", "x\n")
    repository.git("add", "-f", "kept.log")
    assert "kept.log" in repository.list_files(repository.take())


def test_the_repository_of_the_user_is_not_touched(repository: Repository) -> None:
    repository.write("a.txt", "changed\n")
    repository.write("new.txt", "new\n")
    before = read_tree(repository.root / ".git")
    repository.take()
    assert read_tree(repository.root / ".git") == before


def test_nothing_named_by_the_repository_runs(repository: Repository) -> None:
    marker = repository.state / "ran"
    program = repository.write("attack.sh", f"#!/bin/sh\ntouch {marker}\ncat\n")
    program.chmod(0o755)
    for setting in (
        "filter.evil.clean", "filter.evil.smudge", "filter.evil.process", "core.fsmonitor",
        "diff.external", "diff.evil.textconv", "diff.evil.command", "gpg.program", "core.pager",
        "core.sshCommand", "merge.evil.driver",
    ):  # fmt: skip
        repository.git("config", setting, str(program))
    repository.git("config", "filter.evil.required", "true")
    repository.git("config", "commit.gpgSign", "true")
    for hook in ("pre-commit", "post-commit", "reference-transaction", "post-index-change"):
        path = repository.write(f".git/hooks/{hook}", program.read_bytes())
        path.chmod(0o755)
    repository.write(".gitattributes", "* filter=evil diff=evil merge=evil\n")
    first = repository.take()
    repository.write("a.txt", "changed\n")
    second = repository.take()
    repository.undo(first, second)
    assert (repository.root / "a.txt").read_text() == "one\n"
    assert not marker.exists()


def test_the_bytes_of_a_file_are_not_converted(repository: Repository) -> None:
    lines = "* text eol=lf ident working-tree-encoding=UTF-16\n"
    repository.write(".gitattributes", lines)
    repository.git("config", "core.autocrlf", "true")
    content = b"a\r\n$Id: x $\nb\n"
    repository.write("dos.txt", content)
    assert repository.read(repository.take(), "dos.txt") == content


def test_an_unborn_branch_has_a_snapshot(empty_repository: Repository) -> None:
    empty_repository.write("a.txt", "x")
    assert empty_repository.list_files(empty_repository.take()) == ["a.txt"]


def test_a_detached_head_stays_where_it_is(repository: Repository) -> None:
    repository.git("checkout", "-q", "--detach")
    head = (repository.root / ".git/HEAD").read_text()
    assert "a.txt" in repository.list_files(repository.take())
    assert (repository.root / ".git/HEAD").read_text() == head


def test_a_merge_conflict_is_kept_as_it_is(repository: Repository) -> None:
    repository.git("checkout", "-qb", "other")
    repository.write("a.txt", "theirs\n")
    repository.git("commit", "-qam", "theirs")
    repository.git("checkout", "-q", "main")
    repository.write("a.txt", "ours\n")
    repository.git("commit", "-qam", "ours")
    with pytest.raises(Exception, match="merge"):
        repository.git("merge", "other")
    status = repository.git("status", "--porcelain=2")
    assert repository.read(repository.take(), "a.txt").startswith(b"<<<<<<<")
    assert repository.git("status", "--porcelain=2") == status


def test_submodules_and_nested_repositories_are_left_out(repository: Repository) -> None:
    other = repository.state / "other"
    repository.git("init", "-q", str(other))
    (other / "x").write_text("x")
    repository.git("-C", str(other), "add", "x")
    repository.git("-C", str(other), "commit", "-qm", "x")
    repository.git("submodule", "--quiet", "add", str(other), "module")
    repository.git("init", "-q", "nested")
    repository.write("nested/y", "y")
    files = repository.list_files(repository.take())
    assert "module/x" not in files
    assert "nested/y" not in files
    assert ".gitmodules" in files


def test_a_linked_worktree_has_its_own_snapshots(repository: Repository) -> None:
    worktree = repository.state / "worktree"
    repository.git("worktree", "add", "-q", "-b", "w", str(worktree))
    (worktree / "only-here").write_text("x")
    store = open_store(worktree, repository.state / "other-snapshots")
    other = Repository(worktree, repository.state, store)
    assert "only-here" in other.list_files(other.take())
    assert "only-here" not in repository.list_files(repository.take())


def test_two_sessions_in_one_repository_do_not_interfere(repository: Repository) -> None:
    second = repository.make_store("second")
    first_commit = repository.take()
    repository.write("new.txt", "x")
    assert "new.txt" in repository.list_files(second.take("x").commit)
    assert "new.txt" in repository.list_files(repository.take())
    assert "new.txt" not in repository.list_files(first_commit)


def test_large_files_are_left_out_and_named(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workspace_files, "MAX_FILE_BYTES", 100)
    repository.write("big.bin", b"x" * 101)
    snapshot = repository.store.take("x")
    assert snapshot.omitted == ("big.bin",)
    assert "big.bin" not in repository.list_files(snapshot.commit)


@pytest.mark.skipif(os.geteuid() == 0, reason="root can read every file")
def test_unreadable_files_are_left_out_and_named(repository: Repository) -> None:
    repository.write("secret", "x").chmod(0)
    repository.write("new", "x")
    snapshot = repository.store.take("x")
    assert snapshot.omitted == ("secret",)
    assert "new" in repository.list_files(snapshot.commit)


def test_a_file_behind_a_replaced_folder_is_not_read(repository: Repository) -> None:
    outside = repository.state / "outside"
    outside.mkdir()
    (outside / "b.py").write_text("outside")
    (repository.root / "src" / "b.py").unlink()
    (repository.root / "src").rmdir()
    (repository.root / "src").symlink_to(outside)
    files = repository.list_files(repository.take())
    assert "src" in files
    assert "src/b.py" not in files


def test_unusual_names_and_special_files_are_no_problem(repository: Repository) -> None:
    os.mkfifo(repository.root / "pipe")
    for name in (b"new\nline", b"\xff\xfe", b"A.TXT", b'q"uote', b"-dash", b":colon", b"t\tab"):
        (repository.root / os.fsdecode(name)).write_text("x")
    files = repository.list_files(repository.take())
    assert {"A.TXT", "a.txt", "new\nline", "-dash", ":colon"} <= set(files)
    assert os.fsdecode(b"\xff\xfe") in files
    assert "pipe" not in files


def test_an_unchanged_workspace_gets_the_same_snapshot(repository: Repository) -> None:
    first = repository.take()
    assert repository.take() == first
    repository.write("a.txt", "two\n")
    assert repository.take() != first


def test_a_change_right_after_a_snapshot_is_seen(repository: Repository) -> None:
    for number in range(20):
        repository.write("a.txt", f"{number:04}")
        assert repository.read(repository.take(), "a.txt") == f"{number:04}".encode()


def test_a_file_deleted_right_after_it_was_made_is_seen(repository: Repository) -> None:
    repository.take()
    new = repository.write("new.txt", "x")
    repository.take()
    new.unlink()
    assert "new.txt" not in repository.list_files(repository.take())


def test_a_later_process_continues_after_a_kill(repository: Repository) -> None:
    repository.write("gone.txt", "x")
    repository.take()
    (repository.root / "gone.txt").unlink()
    index = repository.store.repository.index
    Path(f"{index}.lock").write_text("")
    assert "gone.txt" not in repository.list_files(repository.make_store().take("x").commit)
    index.write_bytes(b"damaged")
    assert "a.txt" in repository.list_files(repository.make_store().take("x").commit)


def test_a_folder_that_replaces_a_file_is_seen(repository: Repository) -> None:
    repository.take()
    (repository.root / "a.txt").unlink()
    repository.write("a.txt/inner", "x")
    assert "a.txt/inner" in repository.list_files(repository.take())


def test_without_a_repository_there_is_no_snapshot(tmp_path: Path) -> None:
    store = open_store(tmp_path, tmp_path / "state")
    with pytest.raises(SnapshotError, match="not a git repository"):
        store.take("x")


def test_old_snapshots_are_pruned_by_age_and_number(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    commits: list[str] = []
    for number in range(6):
        repository.write("a.txt", str(number))
        commits.append(repository.take())
    monkeypatch.setattr(snapshot_repository, "MAX_SNAPSHOTS", 4)
    repository.make_store().take("one more")
    git = repository.store.repository
    assert len(git.run("for-each-ref").splitlines()) == 5
    later = 2e9 + snapshot_repository.MAX_SNAPSHOT_AGE_S
    assert git.delete_old(later) == 5
    assert not git.run("for-each-ref")


def test_a_state_folder_in_the_workspace_is_left_out(repository: Repository) -> None:
    store = open_store(repository.root, repository.root / "state/snapshots")
    store.take("x")
    repository.write("state/other", "x")
    names = store.repository.run("ls-tree", "-r", "--name-only", store.take("x").commit)
    assert b"state/snapshots" not in names
    assert b"state/other" in names

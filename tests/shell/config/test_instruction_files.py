"""Which instruction files reach the prompt, and how much of them."""

import os
from pathlib import Path

import pytest

from actors.agents.definition.system_prompts import Instructions, build_system_prompt
from actors.paths.workspace import Workspace
from shell.config.instruction_files import (
    MAX_FILE_BYTES,
    MAX_TOTAL_BYTES,
    LoadedInstructions,
    read_instructions,
)

pytestmark = pytest.mark.quick


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    cwd = tmp_path / "work" / "src" / "deep"
    cwd.mkdir(parents=True)
    return Workspace(root=tmp_path / "work", cwd=cwd)


def load_instructions(workspace: Workspace, *, trusted: bool = True) -> LoadedInstructions:
    return read_instructions(workspace.root.parent / "AGENTS.md", workspace, trusted=trusted)


def write_instructions(folder: Path, content: str | bytes) -> Path:
    path = folder / "AGENTS.md"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def test_the_users_file_comes_before_the_projects_from_the_root(workspace: Workspace) -> None:
    paths = [
        write_instructions(folder, f"in {folder.name}\n")
        for folder in (workspace.root.parent, workspace.root, workspace.cwd)
    ]
    write_instructions(workspace.root / "src", " \n")

    files = load_instructions(workspace).files

    assert [file.path for file in files] == [str(path) for path in paths]
    assert [file.text for file in files][1:] == ["in work", "in deep"]
    prompt = build_system_prompt("You help.\n", workspace, files)
    assert prompt.index("in work") < prompt.index("in deep")
    assert prompt == build_system_prompt(
        "You help.\n", workspace, load_instructions(workspace).files
    )


def test_another_agents_file_is_read_where_ours_is_missing(workspace: Workspace) -> None:
    source = workspace.root / "src"
    write_instructions(workspace.root, "ours")
    (workspace.root / "CLAUDE.md").write_text("unused")
    (source / "GEMINI.md").write_text("unused")
    (source / "CLAUDE.md").write_text("for Claude")
    (workspace.cwd / "GEMINI.md").write_text("for Gemini")

    loaded = load_instructions(workspace)

    assert [file.text for file in loaded.files] == ["ours", "for Claude", "for Gemini"]
    assert loaded.notices == (
        f"using {source}/CLAUDE.md as instructions, since there is no AGENTS.md",
        f"using {workspace.cwd}/GEMINI.md as instructions, since there is no AGENTS.md",
    )
    assert load_instructions(workspace, trusted=False) == LoadedInstructions()


def test_an_untrusted_projects_instructions_are_ignored(workspace: Workspace) -> None:
    write_instructions(workspace.root.parent, "mine")
    write_instructions(workspace.root, "theirs")

    assert [file.text for file in load_instructions(workspace, trusted=False).files] == ["mine"]


def test_without_instructions_the_prompt_does_not_mention_them(workspace: Workspace) -> None:
    assert load_instructions(workspace) == LoadedInstructions()
    assert (
        "nstructions\n"
        not in build_system_prompt("You help.\n", workspace).partition("Working directory")[2]
    )


def test_a_long_file_is_truncated_with_a_note(workspace: Workspace) -> None:
    path = write_instructions(workspace.root, "é" * MAX_FILE_BYTES)

    (file,) = load_instructions(workspace).files

    assert file.truncated
    assert file.file_bytes == path.stat().st_size == 2 * MAX_FILE_BYTES
    assert file.text.endswith("é\n[truncated: the first 32,768 of 65,536 bytes]")


def test_the_total_size_of_all_files_is_limited(tmp_path: Path) -> None:
    cwd = tmp_path.joinpath(*"abcdef")
    cwd.mkdir(parents=True)
    workspace = Workspace(root=tmp_path / "a", cwd=cwd)
    for depth in range(1, 7):
        write_instructions(tmp_path.joinpath(*"abcdef"[:depth]), "x" * (MAX_FILE_BYTES - 1))

    files = load_instructions(workspace).files

    assert len(files) == 6
    assert sum(len(file.text) for file in files) < MAX_TOTAL_BYTES + 6 * 60
    assert files[-1].text == "[truncated: the first 0 of 32,767 bytes]"


def test_invisible_characters_in_a_file_are_marked(workspace: Workspace) -> None:
    write_instructions(workspace.root, "\ufeffone\r\ntwo\x1b[2J\u202e\U000e0041\n")

    (file,) = load_instructions(workspace).files

    assert file.text == "one\ntwo^[[2J<U+202E><U+E0041>"


@pytest.mark.parametrize("make", ["fifo", "folder", "broken link", "link outside", "bytes"])
def test_an_unusable_file_is_reported_and_ignored(workspace: Workspace, make: str) -> None:
    path = workspace.root / "AGENTS.md"
    write_instructions(workspace.cwd, "still here")
    outside = workspace.root.parent / "secret"
    outside.write_text("a secret")
    match make:
        case "fifo":
            os.mkfifo(path)
        case "folder":
            path.mkdir()
        case "broken link":
            path.symlink_to("nowhere")
        case "link outside":
            path.symlink_to(outside)
        case _:
            path.write_bytes(b"one\nt\xffo\n")

    files, problems = load_instructions(workspace).files, load_instructions(workspace).problems

    assert [file.text for file in files] == ["still here"]
    (problem,) = problems
    assert problem.startswith(f"{path}: ")
    assert problem.endswith("; the file is ignored")


def test_a_file_with_two_names_is_read_once(workspace: Workspace) -> None:
    write_instructions(workspace.root, "once")
    (workspace.cwd / "AGENTS.md").symlink_to(workspace.root / "AGENTS.md")

    assert len(load_instructions(workspace).files) == 1


def test_the_prompt_names_the_file_of_its_instructions(workspace: Workspace) -> None:
    prompt = build_system_prompt(
        "You help.\n", workspace, (Instructions("/a/AGENTS.md", "Be brief.", 9),)
    )

    assert prompt.endswith('<instructions file="/a/AGENTS.md">\nBe brief.\n</instructions>\n')

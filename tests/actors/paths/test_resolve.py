"""Path resolution with real links."""

from pathlib import Path

import pytest

from actors.paths.resolve import PathResolver, ResolvedPath, WorkspacePaths, is_in_workspace

pytestmark = pytest.mark.quick


@pytest.fixture
def workspace_paths(tmp_path: Path) -> WorkspacePaths:
    root = tmp_path.resolve() / "project"
    (root / "src").mkdir(parents=True)
    (root / "src" / "a.py").touch()
    return WorkspacePaths(root=str(root), cwd=str(root), home=str(tmp_path))


def resolve_path(path: str, workspace_paths: WorkspacePaths) -> ResolvedPath:
    return PathResolver(workspace_paths).resolve(path, workspace_paths.root)


@pytest.mark.parametrize(
    ("path", "target"),
    [
        ("src/a.py", "src/a.py"),
        ("./src//a.py", "src/a.py"),
        ("src/../src/./a.py", "src/a.py"),
        ("src", "src"),
        ("new/file", "new/file"),
        (".", "."),
        ("src/..", "."),
    ],
)
def test_a_path_is_resolved_as_the_kernel_does(
    path: str, target: str, workspace_paths: WorkspacePaths
) -> None:
    resolver = PathResolver(workspace_paths)
    resolved = resolver.resolve(path, workspace_paths.root)

    assert (resolver.to_target(resolved.path), resolved.problem) == (target, "")
    assert (
        resolver.to_target(resolver.resolve(f"{workspace_paths.root}/{path}", "/").path) == target
    )


def test_links_are_followed_and_every_spelling_is_listed(workspace_paths: WorkspacePaths) -> None:
    root = Path(workspace_paths.root)
    (root / "one").symlink_to("two")
    (root / "two").symlink_to("src")

    assert resolve_path("one/a.py", workspace_paths) == ResolvedPath(
        path=f"{root}/src/a.py", other_spellings=(f"{root}/one/a.py", f"{root}/two/a.py")
    )


def test_dots_after_a_link_start_from_its_target(workspace_paths: WorkspacePaths) -> None:
    root = Path(workspace_paths.root)
    (root / "deep").mkdir()
    (root / "deep" / "link").symlink_to("../src")

    assert resolve_path("deep/link/../x", workspace_paths).path == f"{root}/x"


@pytest.mark.parametrize(
    ("path", "problem"),
    [
        ("", "the path is empty"),
        ("a\0b", "the path contains a NUL character"),
        ("a\udc80", "the path is not valid Unicode"),
        ("a/" * 2_100, "the path is longer than 4,095 bytes"),
        ("circle/x", "the links in the path form a loop"),
        ("gone/../a", "the path goes through a folder that does not exist"),
        ("x" * 300, "the path cannot be followed: File name too long"),
        (
            "/proc/self/environ",
            "the path goes through /proc, which differs from process to process",
        ),
    ],
)
def test_a_path_that_cannot_be_resolved_has_a_problem(
    path: str, problem: str, workspace_paths: WorkspacePaths
) -> None:
    Path(workspace_paths.root, "circle").symlink_to("circle")

    assert resolve_path(path, workspace_paths).problem == problem


def test_a_target_is_inside_only_by_complete_path_components() -> None:
    added = ("/srv/lib",)
    for target in ("a", ".", "a/b", "/srv/lib", "/srv/lib/a"):
        assert is_in_workspace(target, added), target
    for target in ("", "/srv/library", "/srv", "../a", "a/../../b", "/srv/lib/../x", "/etc"):
        assert not is_in_workspace(target, added), target

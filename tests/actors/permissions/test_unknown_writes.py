"""A command that may write files that its text does not name asks, whatever rule allows it."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.actors.permissions.attack_workspace import AttackWorkspace, make_workspace
from tests.actors.permissions.decision_helpers import DEFAULT_POLICY, rule, user_rules

_ALLOWED = "cp mv ln install touch mkdir chmod truncate rm tar unzip git echo xargs cat"
POLICY = replace(
    DEFAULT_POLICY,
    trusted=True,
    mode="auto-edit",
    sources=(user_rules(*(rule("bash", f"{name} *") for name in _ALLOWED.split())),),
)
PATCH = """\
--- /dev/null
+++ b/.greenroom/config.toml
@@ -0,0 +1 @@
+x
"""


@pytest.fixture
def workspace(tmp_path: Path) -> AttackWorkspace:
    workspace = make_workspace(tmp_path, POLICY)
    workspace.write("x")
    workspace.write("src/a.txt")
    workspace.write("p.patch", PATCH)
    workspace.run("git add x src; git commit -qm x; tar cf t.tar x; mkdir -p .greenroom")
    return workspace


def list_protected(workspace: AttackWorkspace) -> list[Path]:
    """List the files whose content another program follows or runs."""
    folders = (".greenroom", ".git/hooks", "wt/.git")
    files = [path for folder in folders for path in (workspace.root / folder).rglob("*")]
    home = workspace.root.parent / "home"
    return sorted([*files, *home.rglob("*"), *workspace.root.glob("*.toml")])


@pytest.mark.parametrize(
    "command",
    [
        "cp x ${N:-.greenroom}/config.toml",
        "for d in .greenroom; do mkdir -p $d; cp x $d/config.toml; done",
        "cp x $(git rev-parse --git-dir)/hooks/pre-commit",
        "cp x `git rev-parse --git-dir`/hooks/p",
        "cp x $(echo .git)/hooks/p",
        "cp x .g$Z/hooks/p",
        "for d in .g*; do cp x $d/hooks/p; done",
        "for d in .gi*; do touch $d/hooks/p; done",
        "ln -sr $(git rev-parse --git-dir) h && cp x h/hooks/p",
        "cp x $D/hooks/p",
        "D=.git; cp x $D/hooks/p",
        "cp x ~root/.bashrc",
        "cp -t $(echo .git)/hooks x",
        "mv x $(echo .git)/hooks/p",
        "ln x $(echo .git)/hooks/p",
        "touch ${N:-.git}/hooks/p",
        "mkdir ${N:-.git}/hooks/p",
        "chmod +x $D/hooks/p",
        "truncate -s 1 $D/hooks/p",
        "rm -f $D/hooks/pre-commit.sample",
        "cp $F .greenroom",
        "F=.bashrc; cp $F src",
        "tar -xf t.tar --transform 's,^,.git/hooks/,'",
        "tar xf t.tar",
        "tar -C src --extract -f t.tar",
        "unzip x.zip",
        "git apply p.patch",
        "git apply -R p.patch",
        "git read-tree -m HEAD",
        "tar -xzf t.tgz -C out --strip-components=1",
        "git am p.patch",
        "git update-index --add --cacheinfo 100644,1,.greenroom/x; git checkout-index -a",
        "cp x y*; cp src/a.txt y.txt",
        "mv x .bash && cp -S rc src/a.txt .bash",
        "cp -bSrc x .bash",
        "cp --backup --suffix=rc x .bash",
        "cp --su rc -b x .bash",
        "mv -bSrc x .bash",
        "ln -fbS rc x .bash",
        "install -bS rc x .bash",
    ],
)
def test_a_write_to_an_unknown_target_asks(workspace: AttackWorkspace, command: str) -> None:
    before = list_protected(workspace)
    assert workspace.run_if_allowed(command)[0] == "ask"
    assert list_protected(workspace) == before


@pytest.mark.parametrize(
    "command",
    [
        "echo .git/hooks/p | xargs cp x",
        "xargs -I{} cp x {}/hooks/y <<< .git",
        "cp x ${N:-.greenroom}/config.toml",
        "for d in .greenroom; do cp x $d/config.toml; done",
        "for d in .g*; do cp x $d/hooks/p; done",
        "cp x $(echo .git)/hooks/p",
    ],
)
def test_visible_protected_names_ask_in_every_mode(
    workspace: AttackWorkspace, command: str
) -> None:
    workspace.policy = replace(POLICY, mode="yolo")
    before = list_protected(workspace)
    assert workspace.run_if_allowed(command)[0] == "ask"
    assert list_protected(workspace) == before


@pytest.mark.parametrize(
    "command",
    [
        "cp x y",
        "cp src/*.txt src/b",
        "cp -r src dst",
        "mkdir -p a/{b,c}",
        "touch ~/notes $PWD/n",
        "rm -f src/*.log",
        "tar cf new.tar src",
        "tar tf t.tar",
        "unzip -l x.zip",
        "git checkout -b b",
        "git checkout -- src/a.txt",
    ],
)
def test_a_write_to_known_targets_stays_allowed(workspace: AttackWorkspace, command: str) -> None:
    assert workspace.decide(command) == "allow"

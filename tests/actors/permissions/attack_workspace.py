"""A workspace in which allowed commands really run, to show what they do."""

import subprocess
from dataclasses import dataclass
from pathlib import Path

from actors.paths.resolve import WorkspacePaths
from messages.policy import Action, Policy
from tests.actors.permissions.decision_helpers import decide_action


@dataclass
class AttackWorkspace:
    """A git repository, its policy, and a home folder of its own."""

    root: Path
    policy: Policy

    def write(self, name: str, text: str = "x\n") -> Path:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def run(self, command: str) -> str:
        """Run a command and return its output."""
        done = subprocess.run(
            ["bash", "--norc", "-c", command],
            cwd=self.root,
            env={
                "PATH": "/usr/bin:/bin",
                "HOME": str(self.root.parent / "home"),
                "GIT_PAGER": "cat",
            },
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=20,
            check=False,
        )
        return done.stdout + done.stderr

    def decide(self, command: str) -> Action:
        paths = WorkspacePaths(
            root=str(self.root), cwd=str(self.root), home=str(self.root.parent / "home")
        )
        return decide_action("bash", command, self.policy, workspace_paths=paths)

    def run_if_allowed(self, command: str) -> tuple[Action, str]:
        """Return the decision, and the output if the command was allowed."""
        action = self.decide(command)
        return action, self.run(command) if action == "allow" else ""


def make_workspace(folder: Path, policy: Policy) -> AttackWorkspace:
    """Create a git repository with one commit."""
    root = folder.resolve() / "work"
    (root.parent / "home").mkdir()
    subprocess.run(["git", "init", "-q", root], check=True)
    workspace = AttackWorkspace(root, policy)
    workspace.run("git config user.name A; git config user.email a@example.com")
    return workspace

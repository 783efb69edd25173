"""`Sandbox`: confines the commands of a session with what this machine offers."""

import itertools
import os
import platform
import shutil
import sys
import tempfile
import weakref
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from actors.paths.resolve import WorkspacePaths
from actors.redaction.redaction import read_secrets
from actors.sandbox import bubblewrap
from actors.sandbox.mounts import Mount, MountPlan, SandboxedFolders, plan_mounts
from actors.sandbox.placeholders import Placeholders
from actors.sandbox.policy import (
    Confinement,
    Enforcement,
    OpenFiles,
    SandboxSettings,
    SandboxStatus,
)
from actors.sandbox.seccomp import build_filter

INSTALL_HINT = "install bubblewrap, for example with: sudo apt install bubblewrap"
_PROBE_SANDBOX = Confinement(access="read-only")
_CACHE_VARIABLES = ("XDG_CACHE_HOME", "npm_config_cache", "PIP_CACHE_DIR", "GOCACHE")
"""Where programs keep caches. By default that is in the home folder, which is read-only."""
_CACHE_FOLDER = "/tmp/cache"  # noqa: S108  (in the sandbox, /tmp belongs to the session)


@dataclass(frozen=True, slots=True)
class SandboxedCommand:
    """How to start a command so that it runs in a sandbox."""

    arguments: tuple[str, ...]
    environment: dict[str, str]
    open_files: OpenFiles
    status_file: Path

    def has_sandbox_failed(self, exit_status: int) -> bool:
        """Whether this exit status is the sandbox's own, so that the command was not started.

        A sandbox that was killed with its command reports no exit code either.
        """
        is_own_failure = exit_status == bubblewrap.FAILURE_STATUS
        return is_own_failure and b"exit-code" not in self.status_file.read_bytes()


class Sandbox:
    """Confines commands to the folders of one session."""

    def __init__(
        self,
        workspace: WorkspacePaths,
        settings: SandboxSettings,
        state_folder: Path,
        environment: Mapping[str, str] = os.environ,
        protected: Sequence[Path] = (),
    ) -> None:
        """Prepare nothing yet: the first command or question about the status does.

        The list of placeholders goes into `state_folder`, which all sessions of a project share.
        """
        self.workspace = workspace
        self.settings = settings
        self.state_folder = state_folder
        self.protected = tuple(protected)
        self._environment = environment
        self._projects = tuple(map(Path, (workspace.root, *workspace.added_folders)))
        self._search_path = environment.get("PATH", os.defpath)
        self._placeholders = Placeholders(state_folder / "sandbox-placeholders")
        self._secrets = read_secrets(environment)
        self._numbers = itertools.count(1)

    @cached_property
    def status(self) -> SandboxStatus:
        """What is enforced here. The first call runs a sandbox, which may take 2 s."""
        if self.settings.mode == "off":
            return SandboxStatus("none", "The sandbox is off ([sandbox] mode).")
        if sys.platform != "linux":
            return SandboxStatus("none", f"There is no sandbox for {sys.platform} yet.")
        if self._filter is None:
            return SandboxStatus("none", f"There is no sandbox for {platform.machine()} yet.")
        if self._bubblewrap is None:
            return SandboxStatus("none", f"There is no sandbox: {INSTALL_HINT}.")
        self._placeholders.remove_unused()
        # Run the flags and mounts that commands will get: a namespace, a mount or the filter may
        # be forbidden here, and only trying tells.
        with self.prepare(("/bin/true",), Path(self.workspace.cwd), _PROBE_SANDBOX, {}) as command:
            return bubblewrap.probe(command.arguments, command.open_files)

    @property
    def active_enforcement(self) -> Enforcement | None:
        """What has confined commands so far; None: there was no command, or nothing did."""
        status: SandboxStatus | None = self.__dict__.get("status")  # only if it was computed
        return status.enforcement if status and status.enforcement != "none" else None

    @contextmanager
    def prepare(
        self,
        command: Sequence[str],
        cwd: Path,
        sandbox: Confinement,
        environment: Mapping[str, str],
    ) -> Generator[SandboxedCommand]:
        """Provide what a sandboxed command needs while it runs.

        Raises:
            OSError: the files for it cannot be written.
        """
        plan = self._plan(sandbox)
        number = next(self._numbers)
        copies = [
            self._private_folder / f"fixed-{number}-{at}" for at in range(len(sandbox.fixed_files))
        ]
        status_file = self._private_folder / f"status-{number}"
        status_file.touch(0o600)
        filter_file = self._private_folder / "filter"
        try:
            for file, copy in zip(sandbox.fixed_files, copies, strict=True):
                copy.write_bytes(file.content)
                copy.chmod(file.mode)
                plan.mounts.append(Mount("read-only", file.path, copy))
            with self._placeholders.hold(plan.placeholders):
                yield SandboxedCommand(
                    bubblewrap.build_arguments(self._bubblewrap or "", plan.mounts, cwd, command),
                    self._make_environment(environment),
                    ((bubblewrap.FILTER_FD, filter_file), (bubblewrap.STATUS_FD, status_file)),
                    status_file,
                )
        finally:
            for path in (status_file, *copies):
                path.unlink(missing_ok=True)

    def _plan(self, sandbox: Confinement) -> MountPlan:
        folders = SandboxedFolders(
            workspace=self._projects,
            home=Path(self.workspace.home),
            temporary=self._private_folder / "tmp",
            write=tuple(map(Path, self.settings.write)),
            hide=tuple(map(Path, (*self.settings.hide, *sandbox.hidden_files))),
            protected=self.protected,
            search_path=tuple(map(Path, filter(None, self._search_path.split(os.pathsep)))),
        )
        return plan_mounts(folders, sandbox.access)

    def _make_environment(self, environment: Mapping[str, str]) -> dict[str, str]:
        """Return the environment without secrets, and with caches in the session's /tmp."""
        safe = {
            name: value
            for name, value in environment.items()
            if not any(secret in os.fsencode(value) for secret in self._secrets)
        }
        caches = {name: f"{_CACHE_FOLDER}/{name.lower()}" for name in _CACHE_VARIABLES}
        return caches | safe  # what the user has set wins

    @cached_property
    def _bubblewrap(self) -> str | None:
        return bubblewrap.find_bubblewrap(self._search_path, self._projects)

    @cached_property
    def _filter(self) -> bytes | None:
        return build_filter(platform.machine())

    @cached_property
    def _private_folder(self) -> Path:
        """A folder for the filter, the status of commands, and what they see as /tmp."""
        folder = Path(tempfile.mkdtemp(prefix="greenroom-")).resolve()
        weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        (folder / "tmp").mkdir(mode=0o700)
        (folder / "filter").write_bytes(self._filter or b"")
        return folder

"""The session files of a simulation: calls fail by chance, and the power can be cut."""

from collections.abc import Callable
from copy import deepcopy
from errno import EIO, ENOSPC
from os import strerror
from pathlib import Path
from random import Random

from tests.faults.faulty_file_system import FaultyFileSystem
from tests.faults.power_loss_disk import PowerLossDisk

NEVER_FAILING_CALLS = ("stat", "lock", "is_folder", "make_folder", "close")


class SimulatedFileSystem(FaultyFileSystem):
    """A `PowerLossDisk` whose calls fail by chance while it is armed."""

    def __init__(
        self,
        random: Random,
        chance: float = 0.0,
        on_sync: Callable[[Path, bytes, bytes], None] = lambda _path, _before, _after: None,
        folder: Path = Path("/"),
    ) -> None:
        self._disk = PowerLossDisk(folder)
        super().__init__(self._disk)
        self.before_call = self._maybe_raise
        self._random = random
        self._chance = chance
        self._on_sync = on_sync
        self._paths: dict[int, Path] = {}
        self._reported: dict[Path, bytes] = {}
        """The synced contents last passed to `on_sync`."""
        self.is_armed = False
        self.failure_count = 0
        self._disk_after_power_cut: PowerLossDisk | None = None
        """The disk for the next run; the program whose power was cut keeps using the old one."""

    def end_program(self) -> None:
        """Close all files; after a power cut, start with the disk that it left."""
        self._disk.close_all()
        if self._disk_after_power_cut is not None:
            self.inner = self._disk = self._disk_after_power_cut
            self._disk_after_power_cut = None
        self._paths.clear()

    def cut_power(self) -> None:
        """Keep for the next run what was synced and a random part of the rest."""
        self._disk_after_power_cut = deepcopy(self._disk)
        self._disk_after_power_cut.lose_power(self._random)

    def read_contents(self, path: Path) -> bytes:
        """Return the contents of a file, or nothing if it does not exist."""
        return self._disk.read_content(path) or b""

    def open(self, path: Path, flags: int) -> int:
        """Open or create a file."""
        descriptor = super().open(path, flags)
        self._paths[descriptor] = path
        return descriptor

    def write(self, descriptor: int, data: bytes) -> int:
        """Append; a failing write appends only a part."""
        fails = data and self._draw_failure()
        self.short_write_bytes = self._random.randint(1, len(data)) if fails else 0
        return super().write(descriptor, data)

    def sync(self, descriptor: int) -> None:
        """Sync a file and report its contents."""
        super().sync(descriptor)
        path = self._paths[descriptor]
        self._report_sync(path, self._reported.get(path, b""), self._disk.read(descriptor))

    def rename(self, path: Path, to: Path) -> None:
        """Rename a file; it replaces the file at the new path."""
        super().rename(path, to)
        self._paths = {
            descriptor: to if open_path == path else open_path
            for descriptor, open_path in self._paths.items()
        }
        # From now on, readers of the new path find this file.
        self._report_sync(to, b"", self._reported.pop(path, b""))

    def _report_sync(self, path: Path, before: bytes, after: bytes) -> None:
        if self._disk_after_power_cut is None:
            self._reported[path] = after
            self._on_sync(path, before, after)

    def _draw_failure(self) -> bool:
        fails = self.is_armed and self._random.random() < self._chance
        self.failure_count += fails
        return fails

    def _maybe_raise(self, call: str) -> None:
        if call not in NEVER_FAILING_CALLS and self._draw_failure():
            number = ENOSPC if call == "write" else EIO
            raise OSError(number, strerror(number))

"""The library's disk under a simulated session: it fails by chance, and its power may be cut."""

from collections.abc import Callable
from copy import deepcopy
from errno import EIO, ENOSPC
from os import strerror
from pathlib import Path
from random import Random

from tests.faults.faulty_file_system import FaultyFileSystem
from tests.faults.power_loss_disk import PowerLossDisk

NEVER_FAIL = ("status", "lock", "is_folder", "make_folder", "close")


class SimulatedFileSystem(FaultyFileSystem):
    """The port of session files; fails by chance while armed."""

    def __init__(
        self,
        random: Random,
        chance: float = 0.0,
        on_sync: Callable[[Path, bytes, bytes], None] = lambda _path, _before, _after: None,
        folder: Path = Path("/"),
    ) -> None:
        self._disk = PowerLossDisk(folder)
        super().__init__(self._disk)
        self.before_call = self._perhaps_fail
        self._random = random
        self._chance = chance
        self._on_sync = on_sync
        self._paths: dict[int, Path] = {}
        self._lasting: dict[Path, bytes] = {}
        """What was synced, as it was told."""
        self.is_armed = False
        self.failure_count = 0
        self._left: PowerLossDisk | None = None
        """What a power cut left; the program that dies of it goes on with what it had."""

    def end_program(self) -> None:
        """End the program: the system closes what it left open, or the machine starts again."""
        self._disk.close_all()
        if self._left is not None:
            self.inner = self._disk = self._left
            self._left = None
        self._paths.clear()

    def cut_power(self) -> None:
        """Leave what was synced, and of the rest as much as chance has it."""
        self._left = deepcopy(self._disk)
        self._left.lose_power(self._random)

    def read_contents(self, path: Path) -> bytes:
        """Tell what a reader finds."""
        return self._disk.read_content(path) or b""

    def open(self, path: Path, flags: int) -> int:
        """Open or create a file."""
        descriptor = super().open(path, flags)
        self._paths[descriptor] = path
        return descriptor

    def write(self, descriptor: int, data: bytes) -> int:
        """Append; perhaps not all of it."""
        self.short_write_bytes = self._random.randint(1, len(data)) if data and self._fails() else 0
        return super().write(descriptor, data)

    def sync(self, descriptor: int) -> None:
        """Put it on disk."""
        super().sync(descriptor)
        path = self._paths[descriptor]
        self._lasts(path, self._lasting.get(path, b""), self._disk.read(descriptor))

    def rename(self, path: Path, to: Path) -> None:
        """Put a file in the place of another."""
        super().rename(path, to)
        self._paths = {each: to if at == path else at for each, at in self._paths.items()}
        self._lasts(to, b"", self._lasting.pop(path, b""))  # its name is what makes it found

    def _lasts(self, path: Path, before: bytes, after: bytes) -> None:
        if self._left is None:
            self._lasting[path] = after
            self._on_sync(path, before, after)

    def _fails(self) -> bool:
        fails = self.is_armed and self._random.random() < self._chance
        self.failure_count += fails
        return fails

    def _perhaps_fail(self, call: str) -> None:
        if call not in NEVER_FAIL and self._fails():
            number = ENOSPC if call == "write" else EIO
            raise OSError(number, strerror(number))

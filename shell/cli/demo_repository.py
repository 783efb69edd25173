"""The repository of `greenroom demo`, which has one failing test."""

import errno
import os
import subprocess
from pathlib import Path

from actors.paths.program_search import find_program

PRICE_MODULE = '''\
"""Prices of a basket, in cents."""

DISCOUNT_FROM_PIECES = 10
DISCOUNT_PERCENT = 10


def price_cents(unit_cents: int, pieces: int) -> int:
    """Return the price of `pieces` units of one item, with 10% off for ten or more."""
    total_cents = unit_cents * pieces
    if pieces > DISCOUNT_FROM_PIECES:
        total_cents -= total_cents * DISCOUNT_PERCENT // 100
    return total_cents
'''
TEST_MODULE = """\
import unittest

from basket.price import price_cents


class PriceTest(unittest.TestCase):
    def test_one_piece_costs_its_price(self) -> None:
        self.assertEqual(price_cents(250, 1), 250)

    def test_nine_pieces_get_no_discount(self) -> None:
        self.assertEqual(price_cents(100, 9), 900)

    def test_ten_pieces_get_the_discount(self) -> None:
        self.assertEqual(price_cents(100, 10), 900)


if __name__ == "__main__":
    unittest.main()
"""
FILES = {
    "README.md": "# Basket\n\nTest it with `python3 -m unittest -q`.\n",
    ".gitignore": "__pycache__/\n",
    "basket/__init__.py": "",
    "basket/price.py": PRICE_MODULE,
    "test_price.py": TEST_MODULE,
}
GIT_SETTINGS = {
    "user.name": "Greenroom demo",
    "user.email": "demo@localhost",
    "core.hooksPath": os.devnull,
    "commit.gpgSign": "false",
    "gc.auto": "0",
}
"""Set in the repository, so that the demo's commits do not depend on the user's settings."""


def create_repository(folder: Path) -> None:
    """Create the files in `folder` and commit them.

    Raises:
        OSError: the folder cannot be written, or git is missing.
        subprocess.CalledProcessError: git failed.
    """
    for name, text in FILES.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    _git(folder, "init", "--quiet", "--template=", "--initial-branch=main")
    for key, value in GIT_SETTINGS.items():
        _git(folder, "config", key, value)
    _git(folder, "add", "--all")
    _git(folder, "commit", "--quiet", "--message=Prices of a basket")


def _git(folder: Path, *arguments: str) -> None:
    # Variables such as GIT_DIR would direct git to another repository.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    git = find_program("git", os.environ.get("PATH", os.defpath), (Path.cwd(),))
    if git is None:
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), "git")
    subprocess.run([git, *arguments], cwd=folder, env=environment, check=True, capture_output=True)

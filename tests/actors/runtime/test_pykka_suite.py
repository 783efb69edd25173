"""`EventLoopActor` passes pykka's own tests, from the source distribution that PyPI serves."""

import os
import re
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
FIXTURES = Path(__file__).with_name("pykka_suite_fixtures.py")
VERSION = "4.5.0"
RUNTIME_TEST_COUNT = 137
"""Tests that use the `runtime` fixture, which runs each of them once per actor type."""


@pytest.mark.long
@pytest.mark.timeout(600)
def test_the_loop_actor_passes_pykkas_own_tests(tmp_path: Path) -> None:
    """Run `pytest -m long tests/actors/runtime/test_pykka_suite.py`; it needs the network."""
    download = f"pip download --no-deps --no-binary :all: pykka=={VERSION}"
    subprocess.run([sys.executable, "-m", *download.split()], cwd=tmp_path, check=True)
    with tarfile.open(tmp_path / f"pykka-{VERSION}.tar.gz") as archive:
        archive.extractall(tmp_path, filter="data")
    source = tmp_path / f"pykka-{VERSION}"
    conftest = source / "tests" / "conftest.py"
    conftest.write_text(f"{conftest.read_text()}\n\n{FIXTURES.read_text()}")

    options = ["-q", "-p", "no:cacheprovider", "-o", "addopts=", "-o", "timeout=20"]
    result = subprocess.run(
        [sys.executable, "-m", "pytest", *options, "-k", "event_loop", "tests"],
        cwd=source,
        env=os.environ | {"PYTHONPATH": f"{ROOT}{os.pathsep}{source}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stdout + result.stderr
    summary = result.stdout.splitlines()[-1]
    assert re.findall(r"(\d+) (passed|failed|error|skipped|xfailed)", summary) == [
        (str(RUNTIME_TEST_COUNT), "passed")
    ]

"""Real packages in a folder of the test's own; the SDK itself is checked last."""

import importlib
import logging
import sys
from collections.abc import Generator
from pathlib import Path
from types import ModuleType

import pytest

from actors.models.anthropic_client import load_sdk
from actors.models.late_packages import load_late

pytestmark = pytest.mark.quick
GATHERS = {
    "__init__": "from .cheap import Cheap\nfrom .dear import Dear as Precious\nMADE = [1]\n",
    "cheap": "class Cheap: pass\n",
    "dear": "class Dear: pass\n",
    "aside": "ASIDE = 1\n",
    "inner.__init__": "from ..cheap import Cheap as Inner\nfrom .deep import Deep\n",
    "inner.deep": "class Deep: pass\n",
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Generator[Path]:
    finders = list(sys.meta_path)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    importlib.invalidate_caches()
    yield tmp_path
    sys.meta_path[:] = finders
    for name in loaded():
        del sys.modules[name]


def write(folder: Path, modules: dict[str, str]) -> None:
    for name, source in modules.items():
        path = folder / "gathering" / f"{name.replace('.', '/')}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(source)


def loaded() -> list[str]:
    return sorted(name for name in sys.modules if name.partition(".")[0] == "gathering")


def late(use: str = "gathering", name: str = "Cheap") -> ModuleType:
    def load() -> None:
        getattr(importlib.import_module(use), name)

    load_late("gathering", ("gathering.inner",), load)
    return importlib.import_module("gathering")


def test_a_name_loads_the_module_it_comes_from_and_no_other(folder: Path) -> None:
    write(folder, GATHERS)
    package = late()
    assert loaded() == ["gathering", "gathering.cheap"]
    assert package.Cheap is sys.modules["gathering.cheap"].Cheap


def test_a_name_that_is_gathered_under_another_is_the_same_object(folder: Path) -> None:
    write(folder, GATHERS)
    package = late()
    assert package.Precious is sys.modules["gathering.dear"].Dear


def test_an_inner_package_is_late_too(folder: Path) -> None:
    write(folder, GATHERS)
    late("gathering.inner", "Inner")
    assert loaded() == ["gathering", "gathering.cheap", "gathering.inner"]


def test_a_module_of_the_package_can_be_imported_from_it(folder: Path) -> None:
    write(folder, GATHERS)
    package = late("gathering", "aside")
    assert package.aside.ASIDE == 1
    assert loaded() == ["gathering", "gathering.aside"]


def test_a_name_that_the_package_makes_itself_runs_it_once(folder: Path) -> None:
    write(folder, GATHERS)
    package = late()
    made = package.MADE
    assert package.MADE is made
    assert "gathering.dear" in loaded()


def test_a_name_that_is_nowhere_is_told_as_ever(folder: Path) -> None:
    write(folder, GATHERS)
    with pytest.raises(AttributeError, match="module 'gathering' has no attribute 'Absent'"):
        _ = late().Absent


def test_a_package_that_relies_on_its_own_code_is_loaded_whole(folder: Path) -> None:
    relies = "import sys\nif 'MADE' not in vars(sys.modules['gathering']): raise ImportError\n"
    write(folder, GATHERS | {"__init__": f"MADE = [1]\n{GATHERS['__init__']}"})
    write(folder, {"cheap": f"{relies}class Cheap: pass\n"})
    assert late().Cheap
    assert loaded() == ["gathering", "gathering.cheap", "gathering.dear"]


def test_a_package_that_is_broken_says_so(folder: Path) -> None:
    write(folder, {"__init__": "from .absent import Cheap\n"})
    with pytest.raises(ModuleNotFoundError, match=r"gathering\.absent"):
        late()


def test_of_the_sdk_only_a_part_is_loaded(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING, "greenroom.models")
    load_sdk()
    load_sdk()
    assert caplog.messages == []
    assert sum(name.startswith("anthropic.") for name in sys.modules) < 1_500

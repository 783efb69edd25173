"""Real packages in a folder of the test's own; the SDK itself is checked last."""

import importlib
import logging
import sys
from collections.abc import Generator
from pathlib import Path
from types import ModuleType

import pytest

from actors.models.anthropic_client import load_sdk
from actors.models.lazy_import import import_lazily

pytestmark = pytest.mark.quick
MODULE_SOURCES = {
    "__init__": "from .cheap import Cheap\nfrom .dear import Dear as Precious\nMADE = [1]\n",
    "cheap": "class Cheap: pass\n",
    "dear": "class Dear: pass\n",
    "aside": "ASIDE = 1\n",
    "inner.__init__": "from ..cheap import Cheap as Inner\nfrom .deep import Deep\n",
    "inner.deep": "class Deep: pass\n",
}


@pytest.fixture
def package_dir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Generator[Path]:
    finders = list(sys.meta_path)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    importlib.invalidate_caches()
    yield tmp_path
    sys.meta_path[:] = finders
    for name in list_loaded_modules():
        del sys.modules[name]


def write_modules(package_dir: Path, modules: dict[str, str]) -> None:
    for name, source in modules.items():
        path = package_dir / "gathering" / f"{name.replace('.', '/')}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(source)


def list_loaded_modules() -> list[str]:
    return sorted(name for name in sys.modules if name.partition(".")[0] == "gathering")


def import_sample_package(use: str = "gathering", name: str = "Cheap") -> ModuleType:
    def load() -> None:
        getattr(importlib.import_module(use), name)

    import_lazily("gathering", ("gathering.inner",), load)
    return importlib.import_module("gathering")


def test_a_name_loads_the_module_it_comes_from_and_no_other(package_dir: Path) -> None:
    write_modules(package_dir, MODULE_SOURCES)
    package = import_sample_package()
    assert list_loaded_modules() == ["gathering", "gathering.cheap"]
    assert package.Cheap is sys.modules["gathering.cheap"].Cheap


def test_a_name_that_is_gathered_under_another_is_the_same_object(package_dir: Path) -> None:
    write_modules(package_dir, MODULE_SOURCES)
    package = import_sample_package()
    assert package.Precious is sys.modules["gathering.dear"].Dear


def test_an_inner_package_is_late_too(package_dir: Path) -> None:
    write_modules(package_dir, MODULE_SOURCES)
    import_sample_package("gathering.inner", "Inner")
    assert list_loaded_modules() == ["gathering", "gathering.cheap", "gathering.inner"]


def test_a_module_of_the_package_can_be_imported_from_it(package_dir: Path) -> None:
    write_modules(package_dir, MODULE_SOURCES)
    package = import_sample_package("gathering", "aside")
    assert package.aside.ASIDE == 1
    assert list_loaded_modules() == ["gathering", "gathering.aside"]


def test_a_name_that_the_package_makes_itself_runs_it_once(package_dir: Path) -> None:
    write_modules(package_dir, MODULE_SOURCES)
    package = import_sample_package()
    made = package.MADE
    assert package.MADE is made
    assert "gathering.dear" in list_loaded_modules()


def test_a_name_that_is_nowhere_is_told_as_ever(package_dir: Path) -> None:
    write_modules(package_dir, MODULE_SOURCES)
    with pytest.raises(AttributeError, match="module 'gathering' has no attribute 'Absent'"):
        _ = import_sample_package().Absent


def test_a_package_that_relies_on_its_own_code_is_loaded_whole(package_dir: Path) -> None:
    relies = "import sys\nif 'MADE' not in vars(sys.modules['gathering']): raise ImportError\n"
    write_modules(
        package_dir, MODULE_SOURCES | {"__init__": f"MADE = [1]\n{MODULE_SOURCES['__init__']}"}
    )
    write_modules(package_dir, {"cheap": f"{relies}class Cheap: pass\n"})
    assert import_sample_package().Cheap
    assert list_loaded_modules() == ["gathering", "gathering.cheap", "gathering.dear"]


def test_a_package_that_is_broken_says_so(package_dir: Path) -> None:
    write_modules(package_dir, {"__init__": "from .absent import Cheap\n"})
    with pytest.raises(ModuleNotFoundError, match=r"gathering\.absent"):
        import_sample_package()


def test_of_the_sdk_only_a_part_is_loaded(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING, "greenroom.models")
    load_sdk()
    load_sdk()
    assert caplog.messages == []
    assert sum(name.startswith("anthropic.") for name in sys.modules) < 1_500

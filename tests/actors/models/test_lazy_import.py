"""`import_lazily` with a sample package; the last test imports the SDK itself."""

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
    "__init__": "from .cheap import Cheap\nfrom .costly import Costly as Renamed\nMADE = [1]\n",
    "cheap": "class Cheap: pass\n",
    "costly": "class Costly: pass\n",
    "extra": "EXTRA = 1\n",
    "rare": "from . import costly\nLEVEL = 2\ndef fail(reason): return f'{reason} {LEVEL}'\n",
    "user": "from .rare import fail\n",
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
        path = package_dir / "sample" / f"{name.replace('.', '/')}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(source)


def list_loaded_modules() -> list[str]:
    return sorted(name for name in sys.modules if name.partition(".")[0] == "sample")


def import_sample_package(module: str = "sample", name: str = "Cheap") -> ModuleType:
    def import_needed() -> None:
        getattr(importlib.import_module(module), name)

    import_lazily("sample", ("sample.inner",), {"sample.rare": ("fail",)}, import_needed)
    return importlib.import_module("sample")


def test_a_name_imports_only_the_module_it_comes_from(package_dir: Path) -> None:
    write_modules(package_dir, MODULE_SOURCES)
    package = import_sample_package()
    assert list_loaded_modules() == ["sample", "sample.cheap"]
    assert package.Cheap is sys.modules["sample.cheap"].Cheap


def test_a_renamed_reexport_is_the_same_object(package_dir: Path) -> None:
    write_modules(package_dir, MODULE_SOURCES)
    package = import_sample_package()
    assert package.Renamed is sys.modules["sample.costly"].Costly


def test_a_subpackage_is_imported_lazily_too(package_dir: Path) -> None:
    write_modules(package_dir, MODULE_SOURCES)
    import_sample_package("sample.inner", "Inner")
    assert list_loaded_modules() == ["sample", "sample.cheap", "sample.inner"]


def test_a_submodule_can_be_imported_from_the_package(package_dir: Path) -> None:
    write_modules(package_dir, MODULE_SOURCES)
    package = import_sample_package("sample", "extra")
    assert package.extra.EXTRA == 1
    assert list_loaded_modules() == ["sample", "sample.extra"]


def test_a_name_defined_in_the_package_runs_it_once(package_dir: Path) -> None:
    write_modules(package_dir, MODULE_SOURCES)
    package = import_sample_package()
    made = package.MADE
    assert package.MADE is made
    assert "sample.costly" in list_loaded_modules()


def test_a_deferred_module_runs_when_its_function_is_called(package_dir: Path) -> None:
    write_modules(package_dir, MODULE_SOURCES)
    package = import_sample_package("sample.user", "fail")
    assert list_loaded_modules() == ["sample", "sample.rare", "sample.user"]
    assert package.user.fail("why") == "why 2"
    assert "sample.costly" in list_loaded_modules()
    assert package.user.fail(reason="again") == "again 2"


def test_another_name_of_a_deferred_module_runs_it(package_dir: Path) -> None:
    write_modules(package_dir, MODULE_SOURCES)
    package = import_sample_package("sample.rare", "LEVEL")
    assert package.rare.LEVEL == 2
    with pytest.raises(AttributeError, match=r"module 'sample\.rare' has no attribute 'absent'"):
        _ = package.rare.absent


def test_an_unknown_name_raises_the_usual_error(package_dir: Path) -> None:
    write_modules(package_dir, MODULE_SOURCES)
    with pytest.raises(AttributeError, match="module 'sample' has no attribute 'Absent'"):
        _ = import_sample_package().Absent


def test_a_package_that_needs_its_own_code_is_imported_whole(package_dir: Path) -> None:
    check = "import sys\nif 'MADE' not in vars(sys.modules['sample']): raise ImportError\n"
    write_modules(
        package_dir, MODULE_SOURCES | {"__init__": f"MADE = [1]\n{MODULE_SOURCES['__init__']}"}
    )
    write_modules(package_dir, {"cheap": f"{check}class Cheap: pass\n"})
    assert import_sample_package().Cheap
    assert list_loaded_modules() == ["sample", "sample.cheap", "sample.costly"]


def test_a_broken_package_raises_its_import_error(package_dir: Path) -> None:
    write_modules(package_dir, {"__init__": "from .absent import Cheap\n"})
    with pytest.raises(ModuleNotFoundError, match=r"sample\.absent"):
        import_sample_package()


def test_the_sdk_can_be_imported_lazily(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING, "greenroom.models")
    load_sdk()
    load_sdk()
    assert caplog.messages == []

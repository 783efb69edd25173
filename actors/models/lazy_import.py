"""Packages that only gather names, as most of the SDK's do, give each name when it is wanted.

To gather 1,800 models of endpoints that nobody here calls takes 0.3 s and 27 MiB. Python 3.15 can
leave such imports until a name is used (PEP 810); this does it before, for one package. What is
loaded is the same code, and a name is the same object.
"""

import ast
import logging
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from importlib.abc import InspectLoader, Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import find_spec
from types import ModuleType
from typing import cast

_log = logging.getLogger("greenroom.models")

NameOrigin = tuple[str, str | None]
"""The module that a name comes from, and its name there; None: it is that module."""


def import_lazily(
    package: str, subpackages: tuple[str, ...], import_needed: Callable[[], None]
) -> None:
    """Load what `use` imports and names of a package, and whatever else when it is wanted.

    Late is the package itself, and those that are or lie in `inner`. Where that cannot be done
    with the package as it is, all of it is loaded. Harmless when done twice.
    """
    if not any(isinstance(each, _Finder) and each.package == package for each in sys.meta_path):
        sys.meta_path.insert(0, _Finder(package, subpackages))
    try:
        import_needed()
    except Exception:  # noqa: BLE001  (foreign code; when it fails again, that is raised)
        _log.warning("%s is loaded as a whole", package, exc_info=True)
        sys.meta_path[:] = [
            each
            for each in sys.meta_path
            if not (isinstance(each, _Finder) and each.package == package)
        ]
        _forget(package)
        import_needed()


class _Finder(MetaPathFinder):
    """Finds packages that are late; all other modules are found as ever."""

    def __init__(self, package: str, inner: tuple[str, ...]) -> None:
        self.package = package
        self._inner = tuple(f"{each}." for each in inner)

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname != self.package and not f"{fullname}.".startswith(self._inner):
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        if spec and spec.submodule_search_locations and isinstance(spec.loader, InspectLoader):
            spec.loader = _LateLoader(spec.loader)
        return spec


class _LateLoader(Loader):
    """Makes a package that has not run its own code."""

    def __init__(self, whole: InspectLoader) -> None:
        self._whole = whole

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return _LatePackage(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        cast("_LatePackage", module).late = self._whole


class _LatePackage(ModuleType):
    late: InspectLoader | None = None
    """Loads the whole of it; None: it is whole."""
    origins: dict[str, NameOrigin] | None = None

    def __getattr__(self, name: str) -> object:
        special = name.startswith("__") and name not in ("__all__", "__version__")
        if self.late is None or special:
            message = f"module {self.__name__!r} has no attribute {name!r}"
            raise AttributeError(message)
        if self.origins is None:
            self.origins = list_reexports(self.late.get_source(self.__name__) or "")
        origin = self.origins.get(name)
        if origin is None and find_spec(f"{self.__name__}.{name}"):
            origin = f".{name}", None
        if origin is None:
            return self._made(name)
        value = _value_of(origin, self.__name__)
        setattr(self, name, value)
        return value

    def _made(self, name: str) -> object:
        """Run the package's own code for a name that it does not just gather."""
        if self.late is not None:
            whole, self.late = self.late, None
            whole.exec_module(self)
        return getattr(self, name)


def list_reexports(source: str) -> dict[str, NameOrigin]:
    """List the names that a package's source takes from its own modules, and where from."""
    return {
        each.asname or each.name: (
            "." * node.level + (node.module or each.name),
            each.name if node.module else None,
        )
        for node in ast.parse(source).body
        if isinstance(node, ast.ImportFrom) and node.level
        for each in node.names
    }


def _value_of(origin: NameOrigin, package: str) -> object:
    module = import_module(origin[0], package)
    return getattr(module, origin[1]) if origin[1] else module


def _forget(package: str) -> None:
    for name in [each for each in sys.modules if f"{each}.".startswith(f"{package}.")]:
        del sys.modules[name]

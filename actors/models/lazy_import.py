"""Lazy imports for packages that only re-export names, as most packages of the SDK do.

Importing 1,800 models of endpoints that we never call takes 0.3 s and 27 MiB. Python 3.15 can defer
such imports until a name is used (PEP 810); this module does it for one package on older versions.
The same code runs, and each name is the same object, except for functions of deferred modules.
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
"""The module that a name comes from, and its name there; None: it is the module itself."""


def import_lazily(
    package: str,
    subpackages: tuple[str, ...],
    deferred_functions: dict[str, tuple[str, ...]],
    import_needed: Callable[[], None],
) -> None:
    """Import only what `import_needed` uses of a package; import the rest on first use.

    The package itself and everything in `subpackages` becomes lazy. The code of a module in
    `deferred_functions` runs when one of these functions of it is called, not when another module
    imports them. If that fails with this version of the package, it is imported normally. Safe to
    call twice.
    """
    if not _find_lazy_finders(package):
        sys.meta_path.insert(0, _LazyFinder(package, subpackages, deferred_functions))
    try:
        import_needed()
    except Exception:  # noqa: BLE001  (third-party code; a second failure is raised)
        _log.warning("%s is imported as a whole", package, exc_info=True)
        for finder in _find_lazy_finders(package):
            sys.meta_path.remove(finder)
        _unload(package)
        import_needed()


def _find_lazy_finders(package: str) -> "list[_LazyFinder]":
    return [
        finder
        for finder in sys.meta_path
        if isinstance(finder, _LazyFinder) and finder.package == package
    ]


class _LazyFinder(MetaPathFinder):
    """Finds lazy packages and deferred modules; leaves others to the standard finders."""

    def __init__(
        self,
        package: str,
        subpackages: tuple[str, ...],
        deferred_functions: dict[str, tuple[str, ...]],
    ) -> None:
        self.package = package
        self._prefixes = tuple(f"{subpackage}." for subpackage in subpackages)
        self._deferred_functions = deferred_functions

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        functions = self._deferred_functions.get(fullname)
        is_lazy = fullname == self.package or f"{fullname}.".startswith(self._prefixes)
        if not is_lazy and functions is None:
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        if spec and spec.loader and functions is not None:
            spec.loader = _DeferringLoader(spec.loader, functions)
        elif spec and spec.submodule_search_locations and isinstance(spec.loader, InspectLoader):
            spec.loader = _LazyLoader(spec.loader)
        return spec


class _LazyLoader(Loader):
    """Creates a package without running its code."""

    def __init__(self, loader: InspectLoader) -> None:
        self._loader = loader

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return _LazyPackage(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        cast("_LazyPackage", module).pending_loader = self._loader


class _LazyPackage(ModuleType):
    pending_loader: InspectLoader | None = None
    """Runs the package's own code; None: it has run."""
    origins: dict[str, NameOrigin] | None = None

    def __getattr__(self, name: str) -> object:
        is_special = name.startswith("__") and name not in ("__all__", "__version__")
        if self.pending_loader is None or is_special:
            message = f"module {self.__name__!r} has no attribute {name!r}"
            raise AttributeError(message)
        if self.origins is None:
            self.origins = list_reexports(self.pending_loader.get_source(self.__name__) or "")
        origin = self.origins.get(name)
        if origin is None and find_spec(f"{self.__name__}.{name}"):
            origin = f".{name}", None
        if origin is None:
            return self._run_package(name)
        value = _import_origin(origin, self.__name__)
        setattr(self, name, value)
        return value

    def _run_package(self, name: str) -> object:
        """Run the package's code, for a name that it does not just re-export."""
        if self.pending_loader is not None:
            loader, self.pending_loader = self.pending_loader, None
            loader.exec_module(self)
        return getattr(self, name)


class _DeferringLoader(Loader):
    """Creates a module without running its code, with stand-ins for some of its functions."""

    def __init__(self, loader: Loader, functions: tuple[str, ...]) -> None:
        self._loader = loader
        self._functions = functions

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return _DeferredModule(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        deferred = cast("_DeferredModule", module)
        deferred.pending_loader, deferred.functions = self._loader, self._functions


class _DeferredModule(ModuleType):
    pending_loader: Loader | None = None
    """Runs the module's own code; None: it has run."""
    functions: tuple[str, ...] = ()

    def __getattr__(self, name: str) -> object:
        if self.pending_loader is None or name.startswith("__"):
            message = f"module {self.__name__!r} has no attribute {name!r}"
            raise AttributeError(message)
        return self._make_stand_in(name) if name in self.functions else self._run(name)

    def _make_stand_in(self, name: str) -> Callable[..., object]:
        def call(*arguments: object, **keywords: object) -> object:
            function = cast("Callable[..., object]", self._run(name))
            return function(*arguments, **keywords)

        return call

    def _run(self, name: str) -> object:
        """Run the module's code, unless it has run, and return one of its names."""
        if self.pending_loader is not None:
            loader, self.pending_loader = self.pending_loader, None
            loader.exec_module(self)
        return getattr(self, name)


def list_reexports(source: str) -> dict[str, NameOrigin]:
    """Return the names that a package's source imports from its own modules, with origins."""
    return {
        alias.asname or alias.name: (
            "." * node.level + (node.module or alias.name),
            alias.name if node.module else None,
        )
        for node in ast.parse(source).body
        if isinstance(node, ast.ImportFrom) and node.level
        for alias in node.names
    }


def _import_origin(origin: NameOrigin, package: str) -> object:
    module = import_module(origin[0], package)
    return getattr(module, origin[1]) if origin[1] else module


def _unload(package: str) -> None:
    for name in tuple(sys.modules):
        if f"{name}.".startswith(f"{package}."):
            del sys.modules[name]

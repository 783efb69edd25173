"""An actor's address: its path in the actor tree, such as `/primary/general-2/explore-1`."""

import re
from typing import Any, Self

from pydantic import GetCoreSchemaHandler
from pydantic_core import CoreSchema, core_schema

NAME_PATTERN = "[a-z0-9][a-z0-9-]{0,47}"
_ADDRESS = re.compile(f"/|(?:/{NAME_PATTERN})+")


class Address(str):
    """A path in the actor tree. Parent, depth and ancestry are derived from it.

    Raises:
        ValueError: the text is not a valid path.
    """

    __slots__ = ()

    def __new__(cls, path: str) -> Self:
        """Validate `path`, so that every address in a message is well formed."""
        if not _ADDRESS.fullmatch(path):
            message = f"not an actor address: {path!r}"
            raise ValueError(message)
        return super().__new__(cls, path)

    @property
    def name(self) -> str:
        """The last segment; empty for the root."""
        return self.rpartition("/")[2]

    @property
    def parent(self) -> "Address":
        """The actor that started this one; the root is its own parent."""
        return Address(self.rpartition("/")[0] or "/")

    @property
    def segments(self) -> tuple[str, ...]:
        """The path segments, from the root down; empty for the root."""
        return tuple(self[1:].split("/")) if self != "/" else ()

    def child(self, name: str) -> "Address":
        """Return the address of the child named `name`."""
        return Address(f"/{name}" if self == "/" else f"{self}/{name}")

    def is_under(self, other: "Address") -> bool:
        """Return whether this is `other` or one of its descendants, by whole segments."""
        return other in (self, "/") or self.startswith(f"{other}/")

    @classmethod
    def __get_pydantic_core_schema__(
        cls,
        source: type[Any],  # pyright: ignore[reportExplicitAny]  (pydantic's own signature)
        handler: GetCoreSchemaHandler,
    ) -> CoreSchema:
        """Serialize and validate an address as a plain string."""
        return core_schema.no_info_after_validator_function(cls, core_schema.str_schema())


ROOT = Address("/")
JOURNAL = Address("/journal")
PERMISSIONS = Address("/permissions")
APPROVALS = Address("/approvals")
CONSOLE = Address("/console")
PRIMARY = Address("/primary")


def is_agent(address: Address) -> bool:
    """Return whether the address belongs to an agent or to something that an agent started."""
    return address.is_under(PRIMARY)


def is_subagent(address: str) -> bool:
    """Return whether the address belongs to a subagent of the primary agent."""
    return address.startswith(f"{PRIMARY}/")

"""One thing that a tool call would do, with everything known about it before rules are applied."""

from typing import Literal, NamedTuple

from messages.policy import PermissionRequest, ToolCategory

RuleScope = Literal["all", "ask_or_deny", "deny_only"]
"""Which rules apply. all: every rule, then the defaults · ask_or_deny: only rules that ask or
deny · deny_only: only rules that deny."""


class Access(NamedTuple):
    """One thing that a tool call would do."""

    permission: str
    target: str
    """As in a `PermissionRequest`."""
    tool: str
    """The tool that was called; every agent in the profile chain must have it or delegate it."""
    category: ToolCategory
    """The permission's, not always the tool's: a command also reads and writes files."""
    rule_scope: RuleScope = "all"
    other_spellings: tuple[str, ...] = ()
    """Other spellings of the target; rules that ask or deny match these too."""
    is_case_insensitive: bool = False
    """The file system there ignores case."""
    is_in_workspace: bool = True
    """The target is in the workspace or an added folder. True for targets that are not paths."""
    ask_reason: str = ""
    """Minimum ask: why the call asks even if a rule allows it. Empty: it may be allowed."""
    protection_reason: str = ""
    """Why only a decision on this specific call can allow it. Empty: other approvals suffice."""
    changes_nothing: bool = False
    """It is read-only. A command must be known to be read-only."""
    is_target_unknown: bool = False
    """The target cannot be determined in advance, so no grant can be offered for it."""
    deny_reason: str = ""
    """Why it is denied regardless of the rules. Empty: the rules decide."""
    is_implied: bool = False
    """The command does not name it. A rule that denies it only makes the command ask."""
    required_reads: tuple["Access", ...] | None = None
    """For a read-only command: the files that it reads, each evaluated as a read.
    None: the command may do more than read these."""
    project_program: str = ""
    """The program that would run instead of a known read-only one, because PATH leads into the
    project. Empty: there is none."""
    requires_trust: bool = False
    """It is read-only only in a trusted workspace."""
    grant_text: str = ""
    """The exact pattern of a grant for this access. Empty: the target."""

    executed_digest: str = ""
    """Digest of the files that it executes, if a grant may depend on it."""
    named_prefix: str = ""
    """The words that name the program that a command runs, if it asks only because that program is
    named by its path or run by another one. Rules and grants that spell them out lift that ask."""
    named_digest: str = ""
    """Like `executed_digest`, for the files among the words of `named_prefix`."""

    @property
    def request(self) -> PermissionRequest:
        """Return the permission request for messages and output."""
        return PermissionRequest(permission=self.permission, target=self.target)

    def with_deny_rules_only(self) -> "Access":
        """Return a copy that only deny rules apply to."""
        return self._replace(rule_scope="deny_only", ask_reason="")

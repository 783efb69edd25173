"""One thing that a call would do, with everything that is known of it before rules are heard."""

from typing import Literal, NamedTuple

from messages.policy import PermissionRequest

RuleScope = Literal["full", "tightens", "denies"]
"""full: where no rule speaks, the defaults decide · tightens: only a rule that asks or denies
counts · denies: only one that denies."""


class Access(NamedTuple):
    """One thing that a call would do."""

    permission: str
    target: str
    """As in a `PermissionRequest`."""
    tool: str
    """The tool that was called; the tool sets of the chain are about it."""
    rule_scope: RuleScope = "full"
    other_spellings: tuple[str, ...] = ()
    """Other spellings of the target; those who ask or deny hear them too."""
    is_case_insensitive: bool = False
    """Names there that differ in case only are the same."""
    is_in_workspace: bool = True
    """A path inside the workspace or an added folder; anything that is no path is inside."""
    ask_reason: str = ""
    """Why it is at least a question; empty: no reason."""
    protection_reason: str = ""
    """Why only an answer to this very call lifts the question; empty: no reason."""
    is_plan_file: bool = False
    changes_nothing: bool = False
    """It changes nothing; a command only if it is `harmless`."""
    is_target_unknown: bool = False
    """What it is about cannot be told beforehand, so no rule can be offered for it."""
    deny_reason: str = ""
    """Why it is denied whatever the rules say; empty: no reason."""
    required_reads: tuple["Access", ...] | None = None
    """For a command that only reads: the files that it reads, each judged as a read of its own;
    None: it may do more."""
    requires_trust: bool = False
    """Harmless only in a workspace that is trusted."""
    grant_text: str = ""
    """All that a grant of this very thing has to say; empty: the target is."""

    @property
    def request(self) -> PermissionRequest:
        """What is asked for, as others are told."""
        return PermissionRequest(permission=self.permission, target=self.target)

    def with_deny_rules_only(self) -> "Access":
        """Let only a deny count."""
        return self._replace(rule_scope="denies", ask_reason="")

"""Slash commands as a person meets them."""

import subprocess
from pathlib import Path

from messages.content import Usage
from messages.permissions import (
    ChangeMode,
    DecisionExplained,
    EvaluatedRequest,
    ExplainLastDecision,
    GetPolicy,
    GrantRevoked,
    PermissionDecision,
    PolicySnapshot,
    ReplaceRules,
    ReplaceRulesFailed,
    RevokeGrant,
    RevokeGrantFailed,
    RulesReplaced,
)
from messages.rules import PermissionRequest, Policy, Rule, RuleSource
from messages.turns import SwitchAgent, UsageChanged
from shell.commands.table import COMMANDS
from shell.rereading import Reread
from shell.successor import Successor
from shell.view.ink import CHAIN
from shell.workplace import Workplace
from tests.shell import reports
from tests.shell.on_screen import OnScreen, play
from tests.shell.openings import begun


def git(folder: Path, *words: str) -> None:
    identity = ("-c", "user.name=x", "-c", "user.email=x@localhost")
    subprocess.run(["git", *identity, *words], cwd=folder, check=True, capture_output=True)


def test_diff_shows_changes_and_new_files_and_runs_nothing_of_the_repository(
    tmp_path: Path,
) -> None:
    git(tmp_path, "init", "-q")
    (tmp_path / "a.txt").write_text("old\n")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-qm", "one")
    git(tmp_path, "config", "diff.external", f"touch {tmp_path}/ran")
    git(tmp_path, "config", "core.fsmonitor", f"touch {tmp_path}/ran")
    (tmp_path / "a.txt").write_text("new\x1b[2J\n")
    (tmp_path / "b.txt").write_text("")

    async def script(here: OnScreen) -> None:
        await begun(here)
        here.type("/diff\r")
        await here.shows("Changes since the last commit")
        await here.shows("+new^[[2J")
        await here.shows("new file: b.txt")
        here.type("q")
        await here.hides("Changes since")

    play(script, place=Workplace(cwd=tmp_path, root=tmp_path))
    assert not (tmp_path / "ran").exists()


def test_diff_says_what_git_says_where_there_is_no_repository(tmp_path: Path) -> None:
    async def script(here: OnScreen) -> None:
        await begun(here)
        here.type("/diff\r")
        await here.shows("git: ")

    play(script, place=Workplace(cwd=tmp_path, root=tmp_path))


def test_clear_goes_on_with_a_new_session() -> None:
    successors: list[Successor | None] = []

    async def script(here: OnScreen) -> None:
        await begun(here)
        here.type("/clear\r")
        await here.until(lambda: not here.desk.app.is_running, "the end")
        successors.append(here.repl.successor)

    assert play(script) == 0
    assert successors == [Successor(None)]


def test_permissions_lists_rules_by_their_sources_and_grants() -> None:
    push = Rule(permission="bash", pattern="git push\x1b[2J", action="deny")
    look = Rule(permission="read", pattern="*", action="ask")
    source = RuleSource(name="user rules, ~/config.toml", rules=(push, look), trusted=False)
    policy = Policy(mode="auto-edit", sources=(source,), grants=())

    async def script(here: OnScreen) -> None:
        await begun(here)
        here.type("/permissions\r")
        await here.shows("> /permissions")
        await here.until(lambda: here.posted == [GetPolicy()], "the query")
        here.report(PolicySnapshot(policy=policy))
        await here.shows("user rules, ~/config.toml (not trusted: its allow says nothing)")
        assert "  deny  bash git push^[[2J" in here.rows
        assert "  ask   read *" in here.rows
        assert "mode auto-edit" in here.rows

    play(script, rows=40)


def test_permissions_says_that_a_plan_is_under_way_whatever_the_session_is_set_to() -> None:
    async def script(here: OnScreen) -> None:
        here.report(reports.session(agent="plan", mode="yolo", max_mode="plan"))
        await here.shows("plan · claude")
        here.report(PolicySnapshot(policy=Policy(mode="yolo")))
        await here.shows("mode plan, and yolo after it")

    play(script, rows=40)


def test_a_grant_is_taken_back_by_the_number_that_was_shown() -> None:
    one = Rule(permission="bash", pattern="npm test\x1b[2J", action="allow")
    two = Rule(permission="write", pattern="a.py", action="allow")
    policy = Policy(grants=(one,), project_grants=(two,))

    async def script(here: OnScreen) -> None:
        await begun(here)
        here.type("/permissions revoke 1\r")
        await here.shows("Type /permissions first: it numbers what you granted.")
        here.report(PolicySnapshot(policy=policy))
        await here.shows("/permissions revoke N takes one back")
        assert "  1  allow bash npm test^[[2J" in here.rows
        assert "  2  allow write a.py" in here.rows
        here.type("/permissions revoke 3\r")
        await here.shows("Nothing that was granted had the number 3 when you looked last.")
        assert here.posted == []
        here.type("/permissions revoke 2\r")
        taken = RevokeGrant(rule=two, scope="project")
        await here.until(lambda: here.posted == [taken], "the revocation")
        here.report(GrantRevoked(rule=two, scope="project", policy_version=2))
        await here.shows("`write a.py` (this project) is taken back.")
        here.report(RevokeGrantFailed(rule=one, scope="session", detail="disk full"))
        await here.shows("holds no longer in this run, but could not")

    play(script, rows=40)


def test_permissions_why_says_what_decided_part_by_part() -> None:
    verdict = PermissionDecision(
        id="q", action="deny", reason="deny bash rm * (F)", policy_version=3
    )
    part = EvaluatedRequest(
        request=PermissionRequest(permission="bash", target="rm \x1b[2Jx"),
        action="deny",
        reason="deny bash rm * (F)",
    )

    async def script(here: OnScreen) -> None:
        await begun(here)
        here.type("/permissions why\r")
        await here.until(lambda: here.posted == [ExplainLastDecision()], "the question")
        here.report(DecisionExplained())
        await here.shows("No call was judged yet.")
        here.report(
            DecisionExplained(agent=reports.EXPLORER, decision=verdict, evaluated_requests=(part,))
        )
        await here.shows(f"primary{CHAIN}explore-2: deny: deny bash rm * (F)")
        assert "  deny  bash rm ^[[2Jx · deny bash rm * (F)" in here.rows

    play(script, rows=40)


def test_mode_plan_and_build_tell_engine_and_agent() -> None:
    async def script(here: OnScreen) -> None:
        await begun(here)
        for typed in ("/mode yolo", "/mode plan", "/plan", "/build"):
            here.type(f"{typed}\r")
            await here.shows(f"> {typed}")
        to_plan = SwitchAgent(agent="plan")
        wanted = [ChangeMode(mode="yolo"), to_plan, to_plan, SwitchAgent()]
        await here.until(lambda: here.posted == wanted, "the wishes")
        here.type("/mode wild\r")
        await here.shows("usage: /mode [plan|default|auto-edit|yolo]")
        here.type("/mode\r")
        await here.shows("The mode is default: changes ask, and so do commands")
        assert here.posted == wanted

    play(script, rows=40)


def test_permissions_reload_tells_the_engine_what_the_files_hold_now() -> None:
    rules = ReplaceRules(sources=(), trusted=False)
    found = [Reread(rules, ("user rules: watch\x1b[2J out",)), Reread(None, ("F:3: wrong",))]

    async def script(here: OnScreen) -> None:
        await begun(here)
        here.type("/permissions reload\r")
        await here.until(lambda: here.posted == [rules], "the rules")
        await here.shows("user rules: watch^[[2J out")
        here.report(RulesReplaced(policy_version=7))
        await here.shows("The rules were read anew and hold now (generation 7).")
        here.report(ReplaceRulesFailed(detail="disk full"))
        await here.shows("The old rules stay: disk full.")
        here.type("/permissions reload\r")
        await here.shows("F:3: wrong")
        await here.shows("The old rules stay.")
        assert here.posted == [rules]
        here.type("/permissions relod\r")
        await here.shows("usage: /permissions [why | revoke N | reload]")

    play(script, rows=40, place=Workplace(reread=lambda: found.pop(0)))


def test_the_footer_tells_how_full_the_context_is() -> None:
    async def script(here: OnScreen) -> None:
        await begun(here)
        usage = UsageChanged(context_tokens=50_000, window_tokens=200_000, total=Usage())
        here.report(usage)
        await here.shows("primary · default · context 25 %")

    play(script)


def test_no_words_behind_a_command_end_the_screen(tmp_path: Path) -> None:
    hostile = ("~nobody-has-this-name/a", "9" * 5000, "../" * 2000, "²", "-1", "[*", "%s", "{0}")
    session = tmp_path / "s.jsonl"

    async def script(here: OnScreen) -> None:
        await begun(here)
        for name in COMMANDS.keys() - {"quit", "clear"}:
            for words in ("", *hostile, *(f"show {each}" for each in hostile)):
                here.desk.person.run_command(f"/{name} {words}")
        for number in hostile:
            here.desk.person.run_command(f"/permissions revoke {number}")

    place = Workplace(cwd=tmp_path, root=tmp_path, session_file=session)
    assert play(script, place=place) == 0

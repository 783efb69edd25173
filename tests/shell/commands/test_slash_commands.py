"""Slash commands, typed on the real screen."""

import subprocess
from pathlib import Path

import pytest

from messages.compaction import GetContextUsage, StartCompaction
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
from messages.policy import PermissionRequest, Policy, Rule, RuleSource
from messages.turns import SetEffort, SwitchAgent, UsageChanged
from shell.commands.command_table import COMMANDS
from shell.commands.help import format_commands_and_keys
from shell.commands.permissions import RULES_UNCHANGED
from shell.config.reload_rules import ReloadedRules
from shell.sessions.next_session import NextSession
from shell.sessions.session_context import SessionContext
from shell.view.styled_text import AGENT_CHAIN_SEPARATOR
from tests.shell import sample_events
from tests.shell.screen_harness import ScreenHarness, run_on_screen
from tests.shell.screen_setup import start_session


def run_git(folder: Path, *arguments: str) -> None:
    identity = ("-c", "user.name=x", "-c", "user.email=x@localhost")
    subprocess.run(["git", *identity, *arguments], cwd=folder, check=True, capture_output=True)


def test_diff_shows_changes_without_running_configured_programs(
    tmp_path: Path,
) -> None:
    run_git(tmp_path, "init", "-q")
    (tmp_path / "a.txt").write_text("old\n")
    run_git(tmp_path, "add", ".")
    run_git(tmp_path, "commit", "-qm", "one")
    run_git(tmp_path, "config", "diff.external", f"touch {tmp_path}/ran")
    run_git(tmp_path, "config", "core.fsmonitor", f"touch {tmp_path}/ran")
    (tmp_path / "a.txt").write_text("new\x1b[2J\n")
    (tmp_path / "b.txt").write_text("")

    async def script(screen: ScreenHarness) -> None:
        await start_session(screen)
        screen.type("/diff commit\r")
        await screen.wait_for_text("Changes since the last commit")
        await screen.wait_for_text("+new^[[2J")
        await screen.wait_for_text("new file: b.txt")
        screen.type("q")
        await screen.wait_for_no_text("Changes since")

    run_on_screen(script, session_context=SessionContext(cwd=tmp_path, workspace_root=tmp_path))
    assert not (tmp_path / "ran").exists()


def test_diff_needs_a_repository_with_a_commit(tmp_path: Path) -> None:
    async def script(screen: ScreenHarness) -> None:
        await start_session(screen)
        screen.type("/diff commit\r")
        await screen.wait_for_text("This folder is not in a git repository")
        run_git(tmp_path, "init", "-q")
        screen.type("/diff commit\r")
        await screen.wait_for_text("This repository has no commit yet")
        (tmp_path / ".git/HEAD").write_text("ref: refs/../x\n")
        (tmp_path / ".git/config").write_text("[core\n")
        screen.type("/diff commit\r")
        await screen.wait_for_text("git: fatal: bad config line 1")

    run_on_screen(script, session_context=SessionContext(cwd=tmp_path, workspace_root=tmp_path))


@pytest.mark.quick
def test_help_shows_commands_and_keys_as_plain_text() -> None:
    text = format_commands_and_keys(COMMANDS)
    assert "Show or set the mode: plan, default, auto-edit or yolo." in text
    assert "`" not in text


def test_help_opens_a_topic_and_names_the_topics() -> None:
    async def script(screen: ScreenHarness) -> None:
        await start_session(screen)
        screen.type("/help recovery\r")
        await screen.wait_for_text("Help: recovery")
        await screen.wait_for_text("After a crash or kill")
        screen.type("q")
        screen.type("/help nonsense\r")
        await screen.wait_for_text("usage: /help [permissions|")

    run_on_screen(script)


def test_clear_starts_a_new_session() -> None:
    next_sessions: list[NextSession | None] = []

    async def script(screen: ScreenHarness) -> None:
        await start_session(screen)
        screen.type("/clear\r")
        await screen.wait_until(lambda: not screen.parts.app.is_running, "the end")
        next_sessions.append(screen.repl.next_session)

    assert run_on_screen(script) == 0
    assert next_sessions == [NextSession(None)]


def test_permissions_lists_rules_by_source_and_grants() -> None:
    push = Rule(permission="bash", pattern="git push\x1b[2J", action="deny")
    look = Rule(permission="read", pattern="*", action="ask")
    source = RuleSource(name="user rules, ~/config.toml", rules=(push, look), trusted=False)
    policy = Policy(mode="auto-edit", sources=(source,), grants=())

    async def script(screen: ScreenHarness) -> None:
        await start_session(screen)
        screen.type("/permissions\r")
        await screen.wait_for_text("> /permissions")
        await screen.wait_until(lambda: screen.posted == [GetPolicy()], "the query")
        screen.put_events(PolicySnapshot(policy=policy))
        await screen.wait_for_text("~/config.toml (not trusted: its allow rules are ignored)")
        assert "  deny  bash git push^[[2J" in screen.rows
        assert "  ask   read *" in screen.rows
        assert "mode auto-edit" in screen.rows

    run_on_screen(script, rows=40)


def test_permissions_shows_plan_mode_and_the_mode_after_it() -> None:
    async def script(screen: ScreenHarness) -> None:
        screen.put_events(
            sample_events.session_configured(agent="plan", mode="yolo", max_mode="plan")
        )
        await screen.wait_for_text("plan · claude")
        screen.put_events(PolicySnapshot(policy=Policy(mode="yolo")))
        await screen.wait_for_text("mode plan, then yolo")

    run_on_screen(script, rows=40)


def test_revoke_takes_the_number_of_a_listed_grant() -> None:
    session_rule = Rule(permission="bash", pattern="npm test\x1b[2J", action="allow")
    project_rule = Rule(permission="write", pattern="a.py", action="allow")
    policy = Policy(grants=(session_rule,), project_grants=(project_rule,))

    async def script(screen: ScreenHarness) -> None:
        await start_session(screen)
        screen.type("/permissions revoke 1\r")
        await screen.wait_for_text("Type /permissions first to see the numbers of your grants.")
        screen.put_events(PolicySnapshot(policy=policy))
        await screen.wait_for_text("Use /permissions revoke N to revoke a grant.")
        assert "  1  allow bash npm test^[[2J" in screen.rows
        assert "  2  allow write a.py" in screen.rows
        screen.type("/permissions revoke 3\r")
        await screen.wait_for_text("There is no grant 3. Type /permissions to list them.")
        assert screen.posted == []
        screen.type("/permissions revoke 2\r")
        revocation = RevokeGrant(rule=project_rule, scope="project")
        await screen.wait_until(lambda: screen.posted == [revocation], "the revocation")
        screen.put_events(GrantRevoked(rule=project_rule, scope="project", policy_version=2))
        await screen.wait_for_text("Revoked `write a.py` (this project).")
        screen.put_events(RevokeGrantFailed(rule=session_rule, scope="session", detail="disk full"))
        await screen.wait_for_text("for this run only; it could not be")

    run_on_screen(script, rows=40)


def test_permissions_why_explains_each_part_of_a_command() -> None:
    decision = PermissionDecision(
        id="q", action="deny", reason="deny bash rm * (F)", policy_version=3
    )
    part = EvaluatedRequest(
        request=PermissionRequest(permission="bash", target="rm \x1b[2Jx"),
        action="deny",
        reason="deny bash rm * (F)",
    )

    async def script(screen: ScreenHarness) -> None:
        await start_session(screen)
        screen.type("/permissions why\r")
        await screen.wait_until(lambda: screen.posted == [ExplainLastDecision()], "the question")
        screen.put_events(DecisionExplained())
        await screen.wait_for_text("No call has been evaluated yet.")
        screen.put_events(
            DecisionExplained(
                agent=sample_events.EXPLORER, decision=decision, evaluated_requests=(part,)
            )
        )
        await screen.wait_for_text(
            f"primary{AGENT_CHAIN_SEPARATOR}explore-2: deny: deny bash rm * (F)"
        )
        assert "  deny  bash rm ^[[2Jx · deny bash rm * (F)" in screen.rows

    run_on_screen(script, rows=40)


def test_mode_plan_and_build_send_their_requests() -> None:
    async def script(screen: ScreenHarness) -> None:
        await start_session(screen)
        for typed in ("/mode yolo", "/mode plan", "/plan", "/build"):
            screen.type(f"{typed}\r")
            await screen.wait_for_text(f"> {typed}")
        to_plan = SwitchAgent(agent="plan")
        expected = [ChangeMode(mode="yolo"), to_plan, to_plan, SwitchAgent()]
        await screen.wait_until(lambda: screen.posted == expected, "the requests")
        screen.type("/mode wild\r")
        await screen.wait_for_text("usage: /mode [plan|default|auto-edit|yolo]")
        screen.type("/mode\r")
        await screen.wait_for_text("Mode default: changes need your approval, and so do commands")
        assert screen.posted == expected

    run_on_screen(script, rows=40)


def test_permissions_reload_sends_the_rules_of_the_files() -> None:
    rules = ReplaceRules(sources=(), trusted=False)
    results = [
        ReloadedRules(rules, ("user rules: watch\x1b[2J out",)),
        ReloadedRules(None, ("F:3: wrong",)),
    ]

    async def script(screen: ScreenHarness) -> None:
        await start_session(screen)
        screen.type("/permissions reload\r")
        await screen.wait_until(lambda: screen.posted == [rules], "the rules")
        await screen.wait_for_text("user rules: watch^[[2J out")
        screen.put_events(RulesReplaced(policy_version=7))
        await screen.wait_for_text("The rules were reloaded and apply now (policy version 7).")
        screen.put_events(ReplaceRulesFailed(detail="disk full"))
        await screen.wait_for_text("The rules were not replaced: disk full.")
        screen.type("/permissions reload\r")
        await screen.wait_for_text("F:3: wrong")
        await screen.wait_for_text(RULES_UNCHANGED)
        assert screen.posted == [rules]
        screen.type("/permissions relod\r")
        await screen.wait_for_text("usage: /permissions [why | revoke N | reload]")

    run_on_screen(
        script, rows=40, session_context=SessionContext(reload_rules=lambda: results.pop(0))
    )


def test_compact_and_context_send_their_requests_to_the_agent() -> None:
    async def script(screen: ScreenHarness) -> None:
        await start_session(screen)
        screen.type("/compact keep the parser\r")
        screen.type("/context\r")
        expected = [StartCompaction(instructions="keep the parser"), GetContextUsage()]
        await screen.wait_until(lambda: screen.posted == expected, "both requests")
        screen.type("/context now\r")
        await screen.wait_for_text("usage: /context")

    run_on_screen(script)


def test_effort_sends_the_level_for_the_next_request() -> None:
    async def script(screen: ScreenHarness) -> None:
        await start_session(screen)
        screen.type("/effort extreme\r")
        await screen.wait_for_text("usage: /effort [low|medium|high|xhigh|max|default]")
        screen.type("/effort default\r")
        await screen.wait_for_text("The effort is already default.")
        screen.type("/effort max\r")
        expected = [SetEffort(effort="max")]
        await screen.wait_until(lambda: screen.posted == expected, "the effort")

    run_on_screen(script)


def test_the_footer_shows_how_full_the_context_is() -> None:
    async def script(screen: ScreenHarness) -> None:
        await start_session(screen)
        usage = UsageChanged(
            context_tokens=50_000, context_window_tokens=200_000, total_usage=Usage()
        )
        screen.put_events(usage)
        await screen.wait_for_text("primary · default · context 25 %")

    run_on_screen(script)


def test_no_arguments_of_a_command_crash_the_screen(tmp_path: Path) -> None:
    hostile = ("~nobody-has-this-name/a", "9" * 5000, "../" * 2000, "²", "-1", "[*", "%s", "{0}")
    session = tmp_path / "s.jsonl"

    async def script(screen: ScreenHarness) -> None:
        await start_session(screen)
        for name in COMMANDS.keys() - {"quit", "clear"}:
            for arguments in (
                "",
                *hostile,
                *(f"show {text}" for text in hostile),
            ):
                screen.repl.run_command(f"/{name} {arguments}")
        for number in hostile:
            screen.repl.run_command(f"/permissions revoke {number}")

    context = SessionContext(cwd=tmp_path, workspace_root=tmp_path, session_file=session)
    assert run_on_screen(script, session_context=context) == 0


def test_cost_shows_tokens_cache_share_and_price() -> None:
    async def script(screen: ScreenHarness) -> None:
        await start_session(screen)
        total = Usage(
            input_tokens=100, cache_read_input_tokens=900, output_tokens=50, requests=2, cost=0.5
        )
        screen.put_events(
            UsageChanged(context_tokens=500, context_window_tokens=1_000, total_usage=total)
        )
        await screen.wait_for_text("context 50 %")
        screen.type("/cost\r")
        await screen.wait_for_text("cached     900 tokens (90 % of input)")
        await screen.wait_for_text("cost       0.50")

    run_on_screen(script)


def test_cost_without_prices_says_where_to_set_them() -> None:
    async def script(screen: ScreenHarness) -> None:
        await start_session(screen)
        screen.type("/cost\r")
        await screen.wait_for_text("unknown; set [prices] in config.toml")

    run_on_screen(script)

"""Slash commands as a person meets them."""

import subprocess
from pathlib import Path

from messages.content import Usage
from messages.permissions import ListPolicy, LoadRules, PolicyListed, RulesLoaded, RulesNotLoaded
from messages.rules import Policy, Rule, Source
from messages.turns import UsageChanged
from shell.rereading import Reread
from shell.successor import Successor
from shell.workplace import Workplace
from tests.shell import reports
from tests.shell.on_screen import OnScreen, play


async def begun(here: OnScreen) -> None:
    here.report(reports.session())
    await here.shows("primary · default")


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
    source = Source(name="user rules, ~/config.toml", rules=(push, look), trusted=False)
    policy = Policy(mode="auto-edit", sources=(source,), grants=())

    async def script(here: OnScreen) -> None:
        await begun(here)
        here.type("/permissions\r")
        await here.shows("> /permissions")
        await here.until(lambda: here.posted == [ListPolicy()], "the query")
        here.report(PolicyListed(policy=policy))
        await here.shows("user rules, ~/config.toml (not trusted: its allow says nothing)")
        assert "  deny  bash git push^[[2J" in here.rows
        assert "  ask   read *" in here.rows
        assert "mode auto-edit" in here.rows

    play(script, rows=40)


def test_permissions_reload_tells_the_engine_what_the_files_hold_now() -> None:
    rules = LoadRules(sources=(), trusted=False)
    found = [Reread(rules, ("user rules: watch\x1b[2J out",)), Reread(None, ("F:3: wrong",))]

    async def script(here: OnScreen) -> None:
        await begun(here)
        here.type("/permissions reload\r")
        await here.until(lambda: here.posted == [rules], "the rules")
        await here.shows("user rules: watch^[[2J out")
        here.report(RulesLoaded(generation=7))
        await here.shows("The rules were read anew and hold now (generation 7).")
        here.report(RulesNotLoaded(detail="disk full"))
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

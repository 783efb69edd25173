from messages.turns import TurnStarted
from shell.repl.notify import NOTIFY_AFTER_S
from shell.repl.terminal_title import RESTORE_TITLE, SAVE_TITLE
from shell.repl.turn_notice import LONG_TURN_S
from tests.shell import sample_events
from tests.shell.screen_harness import ScreenHarness, run_on_screen
from tests.shell.screen_setup import start_session, submit_prompt


def test_the_title_says_whether_the_turn_runs_or_waits() -> None:
    async def script(screen: ScreenHarness) -> None:
        await start_session(screen)
        title = "greenroom · project\x1b\\"
        await screen.wait_until(lambda: f"{SAVE_TITLE}\x1b]2;{title}" in screen.emulator.raw, "it")
        await submit_prompt(screen, "hello")
        await screen.wait_until(lambda: f"]2;● {title}" in screen.emulator.raw, "the mark")
        screen.put_events(sample_events.exec_approval())
        await screen.wait_until(lambda: f"]2;⚠ {title}" in screen.emulator.raw, "the mark")
        screen.parts.title.restore()
        assert screen.emulator.raw.endswith(RESTORE_TITLE)

    run_on_screen(script)


async def end_long_turn(screen: ScreenHarness) -> None:
    await start_session(screen)
    await submit_prompt(screen, "hello")
    screen.put_events(TurnStarted(turn=1, prompt="hello"))
    await screen.wait_for_text("Esc to interrupt")
    screen.loop.offset_s += LONG_TURN_S
    screen.put_events(sample_events.turn_completed())
    await screen.wait_for_text("Done in")


def test_the_end_of_a_long_unseen_turn_rings() -> None:
    async def script(screen: ScreenHarness) -> None:
        await end_long_turn(screen)
        assert "\a" not in screen.emulator.raw
        screen.loop.offset_s += NOTIFY_AFTER_S
        await screen.wait_until(lambda: "\a" in screen.emulator.raw, "the bell")

    run_on_screen(script)


def test_a_key_after_a_long_turn_prevents_the_bell() -> None:
    async def script(screen: ScreenHarness) -> None:
        await end_long_turn(screen)
        await screen.press_key("x")
        screen.loop.offset_s += NOTIFY_AFTER_S
        await screen.press_key("y")
        assert "\a" not in screen.emulator.raw

    run_on_screen(script)

"""The REPL for a terminal that can only print (`TERM=dumb`): lines in, lines out, no escapes."""

import asyncio
import os
import shutil
import signal
import sys
from collections.abc import Callable
from contextlib import suppress

from messages.address import Address
from messages.base import Message
from shell.commands.command import COMMAND_PATTERN, run_command
from shell.console.screen_event_queue import ScreenEventQueue
from shell.process.streams import INTERRUPTED_STATUS
from shell.repl.base_repl import BaseRepl
from shell.repl.event_pump import EventPump, Printer
from shell.repl.line_repl_answers import (
    BROADER_KEYWORD,
    GRANT_VERBS,
    TypedAnswer,
    format_answer_options,
    is_valid_answer,
    parse_answer,
    parse_reply,
)
from shell.repl.signals import EXIT_CONFIRM_S, create_exit_handlers, install_handlers
from shell.sessions.session_context import SessionContext
from shell.text.list_number import parse_list_number
from shell.text.sanitize import sanitize
from shell.view import screen_state
from shell.view.approval_queue import ApprovalQueue
from shell.view.frame_layout import build_panel
from shell.view.pager import Page
from shell.view.picker import Picker
from shell.view.screen_state import ScreenState, ScreenUpdate
from shell.view.styled_text import render_ansi, wrap_words
from shell.view.subagent_page import build_subagent_page

EXIT_CONFIRM_NOTICE = "Press Ctrl-C again to exit."
_READ_BYTES = 65_536
_DEFAULT_WIDTH = 80


class LineRepl(BaseRepl):
    """A REPL with the same session and commands as `Repl`; the user answers by typing lines."""

    def __init__(
        self,
        post: Callable[[Message], None],
        screen_events: ScreenEventQueue,
        session_context: SessionContext,
        first_prompt: str | None = None,
        on_first_draw: Callable[[], None] = lambda: None,
    ) -> None:
        """See `Repl`."""
        super().__init__(post, session_context)
        self._first_prompt, self._on_first_draw = first_prompt, on_first_draw
        printer = Printer(self._print, _get_terminal_width, color=False)
        self._event_pump = EventPump(
            screen_events, printer, post, self._print_unsent, self.on_state_changed
        )
        self._event_pump.state = ScreenState(approvals=ApprovalQueue(shows_background=True))
        self._ended: asyncio.Future[int] | None = None
        self._exit_confirm_until_s = float("-inf")
        self._unread = b""
        """Input after the last line end."""
        self._prompt_id = ""
        """The approval prompt that was printed last."""
        self._prompt_number = 0
        self._picker: Picker | None = None
        self._is_at_prompt = False
        """The cursor is after a printed `> `."""

    @property
    def state(self) -> ScreenState:
        """What is known about the session."""
        return self._event_pump.state

    @property
    def now_s(self) -> float:
        """The event loop's time."""
        return self._event_pump.now_s

    def apply(self, update: ScreenUpdate) -> None:
        """Set a new state and carry out its effects."""
        self._event_pump.apply(update)

    def run_command(self, line: str) -> None:
        """Run a slash command; the terminal has already echoed the line."""
        self.print_notice(run_command(line, self))

    def show_page(self, page: Page) -> None:
        """Print a page."""
        rows = page.render_rows(_get_terminal_width())
        lines = ("".join(text for _, text in row).rstrip() for row in rows)
        self.print_notice("\n".join([page.title, *lines]))

    def view_subagent(self, agent: Address) -> None:
        """Print what a subagent has done so far."""
        self.show_page(build_subagent_page(self.state, agent, self.now_s))

    def show_picker(self, picker: Picker) -> None:
        """Print a numbered list; the user chooses by typing a number."""
        self._picker = picker
        lines = [
            f"{number}  {item.text}  {item.description}".rstrip()
            for number, item in enumerate(picker.items, 1)
        ]
        self.print_notice("\n".join([f"{picker.title}: type a number to choose", *lines]))

    async def run_async(self) -> int:
        """Run on the current event loop; return the exit status."""
        loop = self._loop = asyncio.get_running_loop()
        self._ended = loop.create_future()
        loop.set_exception_handler(self._on_loop_error)
        loop.add_signal_handler(signal.SIGINT, self._on_interrupt)
        loop.add_reader(0, self._on_readable)
        self._event_pump.set_loop(loop)
        self._on_first_draw()
        self._event_pump.start(loop)
        if COMMAND_PATTERN.match(self._first_prompt or ""):
            self.run_command(self._first_prompt or "")
        elif self._first_prompt:
            self.apply(screen_state.submit_prompt(self.state, self._first_prompt, loop.time()))
        try:
            with install_handlers(loop, create_exit_handlers(self.exit)):
                if self._exit_status is not None:
                    self._exit()
                return await self._ended
        finally:
            loop.remove_reader(0)
            self._event_pump.stop()

    def _on_readable(self) -> None:
        try:
            data = os.read(0, _READ_BYTES)
        except OSError:  # the terminal is gone
            data = b""
        *lines, self._unread = (self._unread + data).split(b"\n")
        self._is_at_prompt = self._is_at_prompt and not lines
        for line in lines:
            self._on_line(line.decode("utf-8", "replace").rstrip("\r"))
        if not data and self._loop:
            self._loop.remove_reader(0)
            self.exit()

    def _on_line(self, line: str) -> None:
        """Handle a line: an answer, a choice, a command, or a message."""
        if answer := parse_answer(line):
            self._answer(answer)
        elif self._picker and line.strip().isdecimal():
            self._choose(parse_list_number(line.strip()))
        elif COMMAND_PATTERN.match(line):
            self.run_command(line.strip())
        elif line.startswith("!") and line[1:].strip():
            self._apply_without_echo(
                screen_state.run_user_command(self.state, line[1:].strip(), self.now_s)
            )
        elif line.strip():
            self._apply_without_echo(screen_state.submit_prompt(self.state, line, self.now_s))
        else:
            self._print("")

    def _apply_without_echo(self, update: ScreenUpdate) -> None:
        """Apply an update without printing the prompt, which the terminal has already echoed."""
        state, effects = update
        remaining = (
            effect for effect in effects if not isinstance(effect, screen_state.PrintPrompt)
        )
        self.apply((state, tuple(remaining)))

    def _answer(self, answer: TypedAnswer) -> None:
        request, question = self.state.approvals.current, self.state.approvals.current_question
        if request is None or answer.prompt_number != self._prompt_number:
            self.print_notice(f"There is no open request with number {answer.prompt_number}.")
        elif answer.verb == "later":
            self.apply((screen_state.defer_approvals(self.state), ()))
        elif question and answer.verb == "reply" and (reply := parse_reply(answer.text, question)):
            self.apply(screen_state.reply_to_question(self.state, request.id, reply))
        elif question and answer.verb == "no" and not answer.text:
            self.apply(screen_state.reply_to_question(self.state, request.id, ""))
        elif is_valid_answer(answer, request):
            self._decide(request.id, answer)
        else:
            self._print_answer_options()

    def _decide(self, request_id: str, answer: TypedAnswer) -> None:
        if answer.verb != "later" and answer.verb != "reply":  # noqa: PLR1714  (so that mypy narrows it)
            use_broader_grants = answer.verb in GRANT_VERBS and answer.text == BROADER_KEYWORD
            feedback = "" if answer.verb in GRANT_VERBS else answer.text
            self.apply(
                screen_state.decide_approval(
                    self.state,
                    request_id,
                    answer.verb,
                    feedback,
                    use_broader_grants=use_broader_grants,
                )
            )

    def _print_answer_options(self) -> None:
        queue = self.state.approvals
        if queue.current:
            self.print_notice(
                format_answer_options(queue.current, self._prompt_number, len(queue.given_replies))
            )

    def _choose(self, number: int) -> None:
        picker, self._picker = self._picker, None
        if picker and 0 < number <= len(picker.items):
            picker.on_pick(number - 1)

    def _on_interrupt(self) -> None:
        """Handle Ctrl-C: interrupt what runs; else exit on the second press."""
        now_s = self.now_s
        if self.state.can_interrupt:
            self._event_pump.interrupt()
        elif now_s < self._exit_confirm_until_s:
            self.quit(INTERRUPTED_STATUS)
        else:
            self._exit_confirm_until_s = now_s + EXIT_CONFIRM_S
            self.print_notice(EXIT_CONFIRM_NOTICE)

    def _print_unsent(self, text: str) -> None:
        """Print queued text that was not sent, since there is no input line to restore it to."""
        self._print(f"Not sent: {sanitize(text)}\n")

    def _print(self, above: str) -> None:
        """Print finished lines, a new approval prompt, and `> ` when nothing runs."""
        text = above.replace("\r\n", "\n") + self._render_new_prompt()
        if text and self._is_at_prompt:
            text = "\n" + text
        is_ready = self.state.session is not None and not self.state.is_working
        prints_prompt = is_ready and (bool(text) or not self._is_at_prompt)
        self._is_at_prompt = prints_prompt or (self._is_at_prompt and not text)
        with suppress(OSError):  # the terminal was closed
            sys.stdout.write(text + ("> " if prints_prompt else ""))
            sys.stdout.flush()

    def _end_prompt_line(self) -> None:
        """Move to the line after the prompt."""
        if self._is_at_prompt:
            self._is_at_prompt = False
            with suppress(OSError):  # the terminal was closed
                sys.stdout.write("\n")
                sys.stdout.flush()

    def _render_new_prompt(self) -> str:
        """Render the current approval prompt the first time it is seen."""
        queue = self.state.approvals
        if queue.prompt_id == self._prompt_id:
            return ""
        self._prompt_id = queue.prompt_id
        if not queue.current:
            return ""
        self._prompt_number += 1
        answered_count, width = len(queue.given_replies), _get_terminal_width()
        panel = build_panel(queue.current, len(queue.parked), width, answered_count)
        text = render_ansi((*panel.header, *panel.body), color=False).replace("\r\n", "\n")
        options = format_answer_options(queue.current, self._prompt_number, answered_count)
        return text + "\n".join(wrap_words(options, width)) + "\n"

    def _exit(self) -> None:
        if self._ended and not self._ended.done():
            self._event_pump.finish()
            self._end_prompt_line()
            self._ended.set_result(self._exit_status or 0)

    def _fail(self, error: Exception) -> None:
        if self._ended and not self._ended.done():
            self._ended.set_exception(error)


def _get_terminal_width() -> int:
    return shutil.get_terminal_size((_DEFAULT_WIDTH, 24)).columns

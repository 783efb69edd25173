"""The REPL on a terminal that can only print (`TERM=dumb`): lines in, lines out, no escapes."""

import asyncio
import os
import shutil
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from messages.address import Address
from messages.approvals import QuestionRequest
from messages.base import Message
from shell.commands.command import run_command
from shell.console.screen_events import ScreenEventQueue
from shell.repl.base_repl import BaseRepl
from shell.repl.draft_input import COMMAND_PATTERN
from shell.repl.event_pump import EventPump, Printer
from shell.repl.key_actions import EXIT_CONFIRM_S, INTERRUPTED_STATUS
from shell.repl.line_repl_answers import (
    BROADER_KEYWORD,
    GRANT_VERBS,
    TypedAnswer,
    format_answer_options,
    is_valid_answer,
    parse_answer,
    parse_reply,
)
from shell.repl.signals import create_exit_handlers, install_handlers
from shell.sessions.session_context import SessionContext
from shell.text.list_number import parse_list_number
from shell.text.sanitize import visible
from shell.view import screen_state
from shell.view.frame_layout import build_panel
from shell.view.pager import Page
from shell.view.picker import Picker
from shell.view.screen_state import ScreenState, ScreenUpdate
from shell.view.styled_text import render_ansi, wrap_words
from shell.view.subagent_page import build_subagent_page

_READ_BYTES = 65_536
_WIDTH = 80


class LineRepl(BaseRepl):
    """The same session and commands as `Repl` has; questions are answered by typed lines."""

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
        self._first_prompt, self._when_drawn = first_prompt, on_first_draw
        paper = Printer(self._print, lambda: shutil.get_terminal_size((_WIDTH, 24)).columns, False)  # noqa: FBT003  (colour)
        self._updates = EventPump(screen_events, paper, post, self._given_back, lambda: None)
        self._width = paper.get_width
        self._ended: asyncio.Future[int] | None = None
        self._leaves_until_s = float("-inf")
        self._unread = b""
        self._asking = ""
        self._number = 0
        self._picker: Picker | None = None
        self._at_prompt = False

    @property
    def state(self) -> ScreenState:
        """What is known of the session."""
        return self._updates.state

    @property
    def now_s(self) -> float:
        """The loop's clock."""
        return self._updates.now_s

    def apply(self, update: ScreenUpdate) -> None:
        """Take a new state and carry out what comes with it."""
        self._updates.apply(update)

    def show_page(self, page: Page) -> None:
        """Print a page."""
        rows = page.render_rows(self._width())
        lines = ("".join(text for _, text in row).rstrip() for row in rows)
        self.print_notice("\n".join([page.title, *lines]))

    def view_subagent(self, agent: Address) -> None:
        """Print what an agent did so far."""
        self.show_page(build_subagent_page(self.state, agent, self.now_s))

    def show_picker(self, picker: Picker) -> None:
        """Print a list; a line with a number chooses from it."""
        self._picker = picker
        lines = [
            f"{number}  {choice.text}  {choice.description}".rstrip()
            for number, choice in enumerate(picker.items, 1)
        ]
        self.print_notice("\n".join([f"{picker.title}; type a number", *lines]))

    async def run_async(self) -> int:
        """See `Serving`."""
        loop = self._loop = asyncio.get_running_loop()
        self._ended = loop.create_future()
        loop.set_exception_handler(self._failed)
        loop.add_signal_handler(signal.SIGINT, self._interrupted)
        loop.add_reader(0, self._readable)
        self._updates.set_loop(loop)
        self._when_drawn()
        self._updates.start(loop)
        if self._first_prompt:
            self.apply(screen_state.submit_prompt(self.state, self._first_prompt, loop.time()))
        try:
            with install_handlers(loop, create_exit_handlers(self.exit)):
                if self._leaving is not None:
                    self._exit()
                return await self._ended
        finally:
            loop.remove_reader(0)
            self._updates.stop()

    def _readable(self) -> None:
        try:
            data = os.read(0, _READ_BYTES)
        except OSError:  # the terminal is gone
            data = b""
        *lines, self._unread = (self._unread + data).split(b"\n")
        self._at_prompt = self._at_prompt and not lines
        for line in lines:
            self._entered(line.decode("utf-8", "replace").rstrip("\r"))
        if not data and self._loop:
            self._loop.remove_reader(0)
            self.exit()

    def _entered(self, line: str) -> None:
        """Take a line: an answer, a choice, a command, or a message."""
        if answer := parse_answer(line):
            self._answer(answer)
        elif self._picker and line.strip().isdecimal():
            self._choose(parse_list_number(line.strip()))
        elif COMMAND_PATTERN.match(line):
            self.print_notice(run_command(line.strip(), self))
        elif line.startswith("!") and line[1:].strip():
            self._step_unsaid(
                screen_state.run_user_command(self.state, line[1:].strip(), self._updates.now_s)
            )
        elif line.strip():
            self._step_unsaid(screen_state.submit_prompt(self.state, line, self._updates.now_s))
        else:
            self._print("")

    def _step_unsaid(self, done: ScreenUpdate) -> None:
        """Take a step; what the person has just typed stands there by the terminal's own echo."""
        stepped, effects = done
        self.apply(
            (
                stepped,
                tuple(each for each in effects if not isinstance(each, screen_state.PrintPrompt)),
            )
        )

    def _answer(self, given: TypedAnswer) -> None:
        shown = self.state.approvals.current
        if shown is None or given.prompt_number != self._number:
            self.print_notice(f"Nothing that is asked now has the number {given.prompt_number}.")
        elif given.verb == "later":
            self.apply((screen_state.defer_approvals(self.state), ()))
        elif isinstance(shown, QuestionRequest) and given.verb == "reply":
            asked = shown.questions[len(self.state.approvals.given_replies)]
            reply = parse_reply(given.text, asked)
            self.apply(
                screen_state.reply_to_question(self.state, shown.id, reply)
            ) if reply else self._again()
        elif is_valid_answer(given, shown):
            self._decide(shown.id, given)
        else:
            self._again()

    def _decide(self, request_id: str, given: TypedAnswer) -> None:
        if given.verb != "later" and given.verb != "reply":  # noqa: PLR1714  (so that mypy narrows it)
            wider = given.verb in GRANT_VERBS and given.text == BROADER_KEYWORD
            words = "" if given.verb in GRANT_VERBS else given.text
            self.apply(
                screen_state.decide_approval(
                    self.state, request_id, given.verb, words, use_broader_grants=wider
                )
            )

    def _again(self) -> None:
        if shown := self.state.approvals.current:
            self.print_notice(
                format_answer_options(shown, self._number, len(self.state.approvals.given_replies))
            )

    def _choose(self, number: int) -> None:
        chosen, self._picker = self._picker, None
        if chosen and 0 < number <= len(chosen.items):
            chosen.on_pick(number - 1)

    def _interrupted(self) -> None:
        """Ctrl-C: stop what runs; else leave at the second press."""
        now_s = self._updates.now_s
        turn = self.state.turn
        if self.state.user_command or (turn and not turn.is_interrupting):
            self._updates.drop_pending_text()
            self.apply(screen_state.interrupt(self.state))
        elif now_s < self._leaves_until_s:
            self.exit(INTERRUPTED_STATUS)
        else:
            self._leaves_until_s = now_s + EXIT_CONFIRM_S
            self.print_notice("press Ctrl-C once more to leave")

    def _given_back(self, text: str) -> None:
        """Say what was queued and is not sent: there is no input line to put it into."""
        self._print(f"Not sent: {visible(text)}\n")

    def _print(self, above: str) -> None:
        """Print what lasts, what is asked, and a prompt when nothing runs."""
        text = above.replace("\r\n", "\n") + self._question()
        if text and self._at_prompt:
            text = "\n" + text
        idle = not self.state.turn and not self.state.user_command
        asks = idle and self.state.session is not None and (bool(text) or not self._at_prompt)
        self._at_prompt = asks or (self._at_prompt and not text)
        with suppress(OSError):  # a terminal that was closed
            sys.stdout.write(text + ("> " if asks else ""))
            sys.stdout.flush()

    def _end_line(self) -> None:
        """Go below the prompt."""
        if self._at_prompt:
            self._at_prompt = False
            with suppress(OSError):  # a terminal that was closed
                sys.stdout.write("\n")
                sys.stdout.flush()

    def _question(self) -> str:
        """Lay out what is asked, once."""
        requests = self.state.approvals
        if requests.prompt_id == self._asking:
            return ""
        self._asking = requests.prompt_id
        if not requests.current:
            return ""
        self._number += 1
        replied, count = len(requests.given_replies), len(requests.parked)
        shown = build_panel(requests.current, count, self._width(), replied)
        text = render_ansi((*shown.header, *shown.body), color=False).replace("\r\n", "\n")
        told = wrap_words(
            format_answer_options(requests.current, self._number, replied), self._width()
        )
        return text + "\n".join(told) + "\n"

    def _exit(self) -> None:
        if self._ended and not self._ended.done():
            self._updates.finish()
            self._end_line()
            self._ended.set_result(self._leaving or 0)

    def _failed(self, _loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        fault = context.get("exception") or RuntimeError(context["message"])
        if self._ended and not self._ended.done():
            self._ended.set_exception(fault)

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
from shell.commands.command import answered
from shell.inbox import ScreenEventQueue
from shell.numbered import numbered
from shell.repl.drafting import COMMAND
from shell.repl.hands import INTERRUPTED, SECOND_PRESS_S
from shell.repl.plain_answers import LASTING, WIDER, Typed, may_be_said, reply_in, typed, ways
from shell.repl.serving import Serving
from shell.repl.signals import endings, handled
from shell.repl.updates import Printer, Updates
from shell.view import state
from shell.view.ink import flowed, printed
from shell.view.pager import Page
from shell.view.picker import Picker
from shell.view.plan import panel_of
from shell.view.state import ScreenUpdate, State
from shell.view.subagent_page import subagent_page
from shell.visible import visible
from shell.workplace import Workplace

_READ_BYTES = 65_536
_WIDTH = 80


class Plain(Serving):
    """The same session and commands as `Repl` has; questions are answered by typed lines."""

    def __init__(
        self,
        post: Callable[[Message], None],
        inbox: ScreenEventQueue,
        place: Workplace,
        first_prompt: str | None = None,
        when_drawn: Callable[[], None] = lambda: None,
    ) -> None:
        """See `Repl`."""
        super().__init__(post, place)
        self._first_prompt, self._when_drawn = first_prompt, when_drawn
        paper = Printer(self._print, lambda: shutil.get_terminal_size((_WIDTH, 24)).columns, False)  # noqa: FBT003  (colour)
        self._updates = Updates(inbox, paper, post, self._given_back, lambda: None)
        self._width = paper.width
        self._ended: asyncio.Future[int] | None = None
        self._leaves_until_s = float("-inf")
        self._unread = b""
        self._asking = ""
        self._number = 0
        self._picker: Picker | None = None
        self._at_prompt = False

    @property
    def state(self) -> State:
        """What is known of the session."""
        return self._updates.state

    @property
    def now_s(self) -> float:
        """The loop's clock."""
        return self._updates.now_s

    def step(self, done: ScreenUpdate) -> None:
        """Take a new state and carry out what comes with it."""
        self._updates.step(done)

    def show(self, page: Page) -> None:
        """Print a page."""
        rows = page.rows(self._width())
        lines = ("".join(text for _, text in row).rstrip() for row in rows)
        self.remark("\n".join([page.title, *lines]))

    def watch(self, agent: Address) -> None:
        """Print what an agent did so far."""
        self.show(subagent_page(self.state, agent, self.now_s))

    def pick(self, picker: Picker) -> None:
        """Print a list; a line with a number chooses from it."""
        self._picker = picker
        lines = [
            f"{number}  {choice.text}  {choice.told}".rstrip()
            for number, choice in enumerate(picker.choices, 1)
        ]
        self.remark("\n".join([f"{picker.title}; type a number", *lines]))

    async def serve(self) -> int:
        """See `Serving`."""
        loop = self._loop = asyncio.get_running_loop()
        self._ended = loop.create_future()
        loop.set_exception_handler(self._failed)
        loop.add_signal_handler(signal.SIGINT, self._interrupted)
        loop.add_reader(0, self._readable)
        self._updates.keep_time(loop)
        self._when_drawn()
        self._updates.start(loop)
        if self._first_prompt:
            self.step(state.entered(self.state, self._first_prompt, loop.time()))
        try:
            with handled(loop, endings(self.leave)):
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
            self.leave()

    def _entered(self, line: str) -> None:
        """Take a line: an answer, a choice, a command, or a message."""
        if answer := typed(line):
            self._answer(answer)
        elif self._picker and line.strip().isdecimal():
            self._choose(numbered(line.strip()))
        elif COMMAND.match(line):
            self.remark(answered(line.strip(), self))
        elif line.startswith("!") and line[1:].strip():
            self._step_unsaid(state.ran_own(self.state, line[1:].strip(), self._updates.now_s))
        elif line.strip():
            self._step_unsaid(state.entered(self.state, line, self._updates.now_s))
        else:
            self._print("")

    def _step_unsaid(self, done: ScreenUpdate) -> None:
        """Take a step; what the person has just typed stands there by the terminal's own echo."""
        stepped, effects = done
        self.step(
            (stepped, tuple(each for each in effects if not isinstance(each, state.PrintPrompt)))
        )

    def _answer(self, given: Typed) -> None:
        shown = self.state.requests.shown
        if shown is None or given.number != self._number:
            self.remark(f"Nothing that is asked now has the number {given.number}.")
        elif given.verb == "later":
            self.step((state.put_off(self.state), ()))
        elif isinstance(shown, QuestionRequest) and given.verb == "reply":
            asked = shown.questions[len(self.state.requests.replied)]
            reply = reply_in(given.words, asked)
            self.step(state.replied(self.state, shown.id, reply)) if reply else self._again()
        elif may_be_said(given, shown):
            self._decide(shown.id, given)
        else:
            self._again()

    def _decide(self, request_id: str, given: Typed) -> None:
        if given.verb != "later" and given.verb != "reply":  # noqa: PLR1714  (so that mypy narrows it)
            wider = given.verb in LASTING and given.words == WIDER
            words = "" if given.verb in LASTING else given.words
            self.step(state.answered(self.state, request_id, given.verb, words, wider=wider))

    def _again(self) -> None:
        if shown := self.state.requests.shown:
            self.remark(ways(shown, self._number, len(self.state.requests.replied)))

    def _choose(self, number: int) -> None:
        chosen, self._picker = self._picker, None
        if chosen and 0 < number <= len(chosen.choices):
            chosen.picked(number - 1)

    def _interrupted(self) -> None:
        """Ctrl-C: stop what runs; else leave at the second press."""
        now_s = self._updates.now_s
        turn = self.state.turn
        if self.state.own or (turn and not turn.interrupting):
            self._updates.hurry()
            self.step(state.interrupted(self.state))
        elif now_s < self._leaves_until_s:
            self.leave(INTERRUPTED)
        else:
            self._leaves_until_s = now_s + SECOND_PRESS_S
            self.remark("press Ctrl-C once more to leave")

    def _given_back(self, text: str) -> None:
        """Say what was queued and is not sent: there is no input line to put it into."""
        self._print(f"Not sent: {visible(text)}\n")

    def _print(self, above: str) -> None:
        """Print what lasts, what is asked, and a prompt when nothing runs."""
        text = above.replace("\r\n", "\n") + self._question()
        if text and self._at_prompt:
            text = "\n" + text
        idle = not self.state.turn and not self.state.own
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
        requests = self.state.requests
        if requests.prompt_id == self._asking:
            return ""
        self._asking = requests.prompt_id
        if not requests.shown:
            return ""
        self._number += 1
        replied, count = len(requests.replied), len(requests.parked)
        shown = panel_of(requests.shown, count, self._width(), replied)
        text = printed((*shown.head, *shown.body), colour=False).replace("\r\n", "\n")
        told = flowed(ways(requests.shown, self._number, replied), self._width())
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

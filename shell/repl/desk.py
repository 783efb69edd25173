"""What lies before the person: the parts of the screen, and how they know of each other."""

from asyncio import AbstractEventLoop, TimerHandle
from collections.abc import Callable, Generator
from contextlib import contextmanager

from prompt_toolkit.buffer import Buffer
from prompt_toolkit.data_structures import Size
from prompt_toolkit.input import Input
from prompt_toolkit.key_binding import KeyPress
from prompt_toolkit.key_binding.key_processor import KeyProcessor

from shell.commands.table import COMMANDS
from shell.inbox import ScreenEventQueue
from shell.repl.answering import Answering
from shell.repl.application import application
from shell.repl.bell import ringing
from shell.repl.choosing import Choosing
from shell.repl.completing import Completing
from shell.repl.dialog import Dialog
from shell.repl.drafting import Drafting
from shell.repl.hands import KeyActions
from shell.repl.keys import bindings
from shell.repl.overseeing import Overseeing
from shell.repl.paging import Paging
from shell.repl.person import Person
from shell.repl.replying import Replying
from shell.repl.resizing import Resizing
from shell.repl.screen import Screen
from shell.repl.terminal import FrameOutput
from shell.repl.updates import Printer, Updates
from shell.repl.windows import View
from shell.view import state
from shell.view.live import FRAMES_PER_S
from shell.view.plan import FrameInput
from shell.view.state import ScreenUpdate, State

MENTIONED_S = 2.0


class ScreenController:
    """The parts of one screen; keys come through `hands`, what happens through `updates`."""

    def __init__(
        self,
        person: Person,
        inbox: ScreenEventQueue,
        keyboard: Input,
        output: FrameOutput,
        *,
        colour: bool,
    ) -> None:
        """Put the parts together; nothing is drawn before `start`."""
        self.person = person
        self._output = output
        self._loop: AbstractEventLoop | None = None
        self._height = 0
        self._spinning = False
        self.hint = self._mentioned = ""
        paper = Printer(
            self._draw,
            lambda: self.size.columns,
            colour,
            lambda: not (self.covered or self.resizing.settling),
        )
        self.updates = Updates(inbox, paper, person.post, self._refill, self._changed)
        self.view = View(self._scene, output.get_size)
        self.dialog = Dialog(self.refresh, self._busy, self._ring)
        self.overseeing = Overseeing(self)
        self.choosing, self.paging, self.resizing = Choosing(self), Paging(self), Resizing(self)
        self.completing = Completing(
            self.view.draft,
            [(command.name, command.help) for command in COMMANDS.values()],
            person.place.root,
            self.refresh,
        )
        self.drafting = Drafting(self)
        self.answering, self.replying = Answering(self), Replying(self)
        self.view.draft.on_text_changed += self._typed
        self.view.side.on_text_changed += self._narrowed
        self.app = application(
            self.view.layout, bindings(KeyActions(self)), keyboard, output, colour=colour
        )
        self.app.key_processor.before_key_press += self._pressed
        self.screen = Screen(self.app, output, self._drawn)

    def start(self, loop: AbstractEventLoop) -> None:
        """Go by this loop's clock; nothing is taken in before `updates` is started."""
        self._loop = loop
        self.updates.keep_time(loop)
        self.completing.start(loop)

    @property
    def state(self) -> State:
        """What is known of the session."""
        return self.updates.state

    @property
    def size(self) -> Size:
        """The window's."""
        return self._output.get_size()

    @property
    def now_s(self) -> float:
        """The loop's clock."""
        return self.updates.now_s

    def step(self, done: ScreenUpdate) -> None:
        """Take a new state and carry out what comes with it."""
        self.updates.step(done)

    def interrupt(self) -> None:
        """Stop the turn, and the text of it that has come but is not printed yet."""
        self.updates.hurry()
        self.step(state.interrupted(self.state))

    def press(self, keys: list[KeyPress]) -> None:
        """Take keys as if they were typed now."""
        processor, context = self.app.key_processor, self.app.context
        if keys and context is not None:
            processor.feed_multiple(keys)
            context.copy().run(processor.process_keys)

    @property
    def covered(self) -> bool:
        """Whether a page or the task view takes the whole screen; what is printed waits."""
        return self.paging.pager is not None or self.overseeing.is_open

    def settle(self) -> None:
        """Draw on the whole screen while something covers it, else below what is printed."""
        if self.covered:
            self.screen.cover()
        else:
            self.screen.uncover()
            self.updates.release()

    @contextmanager
    def away(self) -> Generator[None]:
        """Leave the terminal to somebody else; a question arms anew afterwards."""
        self.resizing.end()
        with self.screen.lent():
            yield
            self.dialog.forget(self.now_s)

    def found_again(self) -> None:
        """Draw anew: we were stopped, and somebody else had the terminal."""
        self.dialog.forget(self.now_s)
        self.screen.taken_back()

    def hint_for(self, text: str, seconds: float) -> None:
        """Show a line in place of the footer for a while."""
        self.hint = text
        self.refresh()
        self.later(seconds, lambda: self._unhint(text))

    def mention(self, text: str) -> None:
        """Show a line in place of the footer until the next key, or for a while."""
        self._mentioned = text
        self.hint_for(text, MENTIONED_S)

    def later(self, seconds: float, act: Callable[[], None]) -> TimerHandle | None:
        """Do something when the loop's clock has gone on; None: it does not run yet."""
        return self._loop.call_later(seconds, act) if self._loop else None

    def acknowledged(self) -> None:
        """The terminal answered."""
        if self._loop:
            self.dialog.acknowledged(self._loop)

    def refocus(self) -> None:
        """Let keys go to the topmost that is open, beside a question."""
        if self.paging.pager:
            self.view.focus_page()
        elif self.choosing.picker:
            self.view.focus_list()
        else:
            self.view.focus_draft()

    def refresh(self) -> None:
        """Draw again what has changed; from the top when there is less of it."""
        if self.view.plan().rows < self._height:
            self.screen.draw()
        else:
            self.app.invalidate()

    def _unhint(self, text: str) -> None:
        if text and self.hint == text:
            self.hint = ""
            self.refresh()

    def _spin(self) -> None:
        """Turn the spinner for as long as something runs."""
        self._spinning = bool(self.state.turn or self.state.own)
        if self._spinning and self._loop:
            self._renew()
            self.app.invalidate()
            self._loop.call_later(1 / FRAMES_PER_S, self._spin)

    def _changed(self) -> None:
        """There is a new state; it is drawn right after this."""
        self._follow()
        self._renew()
        if not self._spinning:
            self._spin()

    def _renew(self) -> None:
        """Let what is open and grows show how things stand now."""
        self.paging.follow()
        self.overseeing.follow()

    def _draw(self, above: str) -> None:
        if above:
            self.screen.draw(above)
        else:
            self.refresh()

    def _follow(self) -> None:
        """Let the dialog show what the state shows; a reason begun for another becomes draft."""
        reason = self.view.side.text if self.dialog.reasoning else ""
        if not self.dialog.follow(self.state, self.now_s):
            return
        self.replying.begin()
        if self._loop:
            self.dialog.watched(self._loop)
        self.view.rewind()
        self.refocus()
        if reason:
            self.view.draft.insert_text(reason)

    def _refill(self, text: str) -> None:
        self.drafting.put_back(text)

    def _busy(self) -> bool:
        """Whether the person is at something that no question may be armed over."""
        typed = self.view.draft.text or (self.choosing.picker and not self.choosing.whole)
        return bool(typed) or self._hides_questions or self.overseeing.asks

    @property
    def _hides_questions(self) -> bool:
        """Whether what is open leaves no room for a question; only the task view does."""
        return bool(self.choosing.picker or self.paging.pager) and not self.overseeing.is_open

    def _ring(self) -> None:
        self._output.write_raw(ringing())
        self._output.flush()

    def _typed(self, _draft: Buffer) -> None:
        self.dialog.drafted()
        self.completing.follow()

    def _narrowed(self, _side: Buffer) -> None:
        self.dialog.drafted()
        self.choosing.narrow()

    def _pressed(self, _keys: KeyProcessor) -> None:
        if self._loop:
            self.dialog.pressed(self._loop)
        self._unhint(self._mentioned)

    def _drawn(self) -> None:
        """Note what the frame showed, and let the terminal acknowledge what is new in it."""
        self._height = self.view.plan().rows
        arming = self.dialog.arming
        shown = self.view.shown(arming.id) if arming else None
        if shown and self.dialog.drawn(shown):
            self.screen.ask_for_acknowledgement()

    def _scene(self) -> FrameInput:
        arming = None if self._hides_questions else self.dialog.arming
        return FrameInput(
            self.state,
            arming,
            self.view.draft.text,
            self.dialog.reasoning,
            self.hint,
            self.now_s,
            None if arming else self.completing.menu,
            self.choosing.picker,
            self.paging.pager,
            self.replying.selection,
            self.view.scrolled,
        )

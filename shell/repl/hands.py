"""What the keys do: who has the focus decides, the parts do the rest."""

from enum import Enum, auto
from typing import TYPE_CHECKING

from shell.view import details, modes

if TYPE_CHECKING:
    from shell.repl.desk import ScreenController

SECOND_PRESS_S = 2.0
ONE_PRESS_S = 0.25
"""Another Esc within this time is the second of a quick pair, and counts as one with the first."""
SECOND_PRESS = "press Ctrl-C or Ctrl-D once more to leave"
INTERRUPTED = 130


class Focus(Enum):
    """Who takes the keys."""

    PAGE = auto()
    PICKER = auto()
    REASON = auto()
    """Of a no."""
    ARMED = auto()
    """The approval on the screen."""
    QUESTION = auto()
    """The question on the screen, armed: it owns all keys."""
    MENU = auto()
    DRAFT = auto()


class KeyActions:
    """The person's hands on one screen."""

    def __init__(self, desk: "ScreenController") -> None:
        self._desk = desk
        self.drafting, self.answering = desk.drafting, desk.answering
        self.choosing, self.completing = desk.choosing, desk.completing
        self.paging, self.replying = desk.paging, desk.replying
        self.overseeing = desk.overseeing
        self._leaves_until_s = self._escaped_until_s = float("-inf")

    @property
    def focus(self) -> Focus:
        """The topmost that is open; the one place that decides it."""
        desk = self._desk
        for holds, focus in (
            (desk.dialog.reasoning, Focus.REASON),
            (desk.dialog.may_refuse and desk.replying.asked, Focus.QUESTION),
            (desk.dialog.may_refuse, Focus.ARMED),
            (desk.paging.pager, Focus.PAGE),
            (desk.choosing.picker, Focus.PICKER),
            (desk.completing.menu and not desk.dialog.arming, Focus.MENU),
        ):
            if holds:
                return focus
        return Focus.DRAFT

    @property
    def dialog_open(self) -> bool:
        """An approval is on the screen, armed or not, and nothing stands before it."""
        focus = self.focus in {Focus.ARMED, Focus.QUESTION, Focus.DRAFT}
        return focus and self._desk.dialog.arming is not None

    def enter(self, *, last: bool) -> None:
        """Do what Enter means where the focus is; `last`: nothing else was read behind it."""
        self._escaped_until_s = float("-inf")  # an Esc behind it is none of a pair before it
        match self.focus:
            case Focus.PICKER:
                self.choosing.accept()
            case Focus.REASON:
                self.answering.give_reason()
            case Focus.MENU:
                if self.completing.accept():
                    self.drafting.enter()
            case Focus.ARMED if self.overseeing.is_open:
                return  # the draft is not on the screen
            case Focus.ARMED | Focus.DRAFT:
                self.drafting.enter()
            case Focus.QUESTION:
                self.replying.confirm(last=last)
            case Focus.PAGE:
                if not self.overseeing.write():
                    self.paging.move(1)

    def next_mode(self) -> None:
        """Work in the next mode, whatever is being asked or typed."""
        self._desk.step(modes.cycled(self._desk.state))

    def new_line(self) -> None:
        """Begin another line of the draft."""
        if self.focus in {Focus.ARMED, Focus.MENU, Focus.DRAFT}:
            self._desk.app.current_buffer.newline(copy_margin=False)

    def escape(self) -> None:
        """Leave the topmost; else stop the person's own command, else the turn."""
        if self._desk.now_s < self._escaped_until_s:
            return
        self._escaped_until_s = self._desk.now_s + ONE_PRESS_S
        if not self._closed():
            if self.dialog_open:
                self.answering.put_off()
            else:
                self._desk.interrupt()

    def ctrl_c(self) -> None:
        """Close what is open; else clear; else stop what runs; else ask for a second press."""
        state_now = self._desk.state
        running = state_now.own or (state_now.turn and not state_now.turn.interrupting)
        if self.focus is not Focus.MENU and self._closed():
            return
        if self.dialog_open:
            self.answering.put_off()
        elif self._desk.view.draft.text:
            self.drafting.clear()
        elif running:
            self._desk.interrupt()
        else:
            self._leave_on_second_press()

    def ctrl_d(self) -> None:
        """Delete a character; on an empty line do as Ctrl-C."""
        buffer = self._desk.app.current_buffer
        if buffer.text:
            buffer.delete()
        else:
            self.ctrl_c()

    def suspend(self) -> None:
        """Stop the program until `fg`."""
        self._desk.person.suspend()

    def to_approval(self) -> None:
        """Leave what stands before the approval, bring it back, answer over the draft."""
        while self.focus in {Focus.PAGE, Focus.PICKER} and not self.overseeing.is_open:
            self._closed()
        self.answering.summon()

    def show_details(self) -> None:
        """Show all of what was shown shortened."""
        page = details.page_of(self._desk.state.details)
        if page:
            self.paging.open(page, at_end=True)
        else:
            self._desk.mention("there are no details yet")

    def paste(self, text: str) -> None:
        """Insert pasted text; a paste never answers, not even with what comes behind it."""
        text = text.replace("\r\n", "\n").replace("\r", "\n")
        match self.focus:
            case Focus.PICKER | Focus.REASON:
                self._desk.view.side.insert_text(" ".join(text.split("\n")))
            case Focus.ARMED | Focus.QUESTION | Focus.MENU | Focus.DRAFT:
                self._desk.dialog.drafted()
                self.drafting.paste(text)
            case Focus.PAGE:
                return

    def acknowledge(self) -> None:
        """The terminal has shown what was drawn."""
        self._desk.acknowledged()

    def _closed(self) -> bool:
        """Close the topmost of what is open beside the approval; whether there was any."""
        if self.overseeing.asks:
            self.overseeing.spare()
            return True
        match self.focus:
            case Focus.PAGE:
                self.paging.close()
            case Focus.PICKER:
                self.choosing.close()
            case Focus.REASON:
                self.answering.back()
            case Focus.MENU:
                self.completing.close()
            case Focus.ARMED | Focus.QUESTION | Focus.DRAFT:
                return False
        return True

    def _leave_on_second_press(self) -> None:
        desk = self._desk
        if desk.now_s < self._leaves_until_s:
            desk.person.leave(INTERRUPTED)
            return
        self._leaves_until_s = desk.now_s + SECOND_PRESS_S
        desk.hint_for(SECOND_PRESS, SECOND_PRESS_S)

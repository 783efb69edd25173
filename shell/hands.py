"""What the keys do: what is topmost decides, the state does the rest."""

from typing import TYPE_CHECKING

from shell import state
from shell.approval import KEYS

if TYPE_CHECKING:
    from messages.approvals import Answer
    from shell.repl import Repl

SECOND_PRESS_S = 2.0
SECOND_PRESS = "press Ctrl-C or Ctrl-D once more to leave"
INTERRUPTED = 130


class Hands:
    """The person's hands on one screen."""

    def __init__(self, repl: "Repl") -> None:
        self._repl = repl
        self._leaves_until_s = float("-inf")

    @property
    def dialog_open(self) -> bool:
        """An approval is on the screen."""
        return self._repl.dialog.arming is not None

    @property
    def dialog_armed(self) -> bool:
        """The approval takes keys."""
        return self._repl.dialog.may_refuse

    @property
    def reasoning(self) -> bool:
        """The reason of a no is being written."""
        return self._repl.dialog.reasoning

    @property
    def can_take_back(self) -> bool:
        """Up takes the last queued message back: nothing is typed, and no approval scrolls."""
        free = not self._repl.view.draft.text and not self.dialog_armed
        return free and bool(self._repl.state.queue)

    def enter(self) -> None:
        """Send, queue, run a command, or give the reason."""
        if self.reasoning:
            self._decide("no", self._repl.view.reason.text)
            return
        text = self._repl.view.draft.text
        if not text.strip():
            return
        self._repl.view.draft.reset(append_to_history=True)
        if text.startswith("/"):
            self._repl.run_command(text.strip())
        else:
            self._repl.step(state.entered(self._repl.state, text, self._repl.now_s))

    def new_line(self) -> None:
        """Begin another line of the draft."""
        self._repl.app.current_buffer.newline(copy_margin=False)

    def escape(self) -> None:
        """Leave the topmost of: reason, approval; else interrupt the turn."""
        if self.reasoning:
            self._back_to_dialog()
        elif self.dialog_open:
            self._put_off()
        else:
            self._repl.interrupt()

    def ctrl_c(self) -> None:
        """Close the approval; else clear; else interrupt; else ask for a second press."""
        if self.dialog_open:
            self._put_off()
        elif self._repl.view.draft.text:
            self._repl.view.draft.reset()
        elif self._repl.state.turn and not self._repl.state.turn.interrupting:
            self._repl.interrupt()
        else:
            self._leave_on_second_press()

    def ctrl_d(self) -> None:
        """Delete a character; on an empty line do as Ctrl-C."""
        buffer = self._repl.app.current_buffer
        if buffer.text:
            buffer.delete()
        else:
            self.ctrl_c()

    def suspend(self) -> None:
        """Stop the program until `fg`."""
        self._repl.app.suspend_to_background()

    def take_back(self) -> None:
        """Put the last queued message into the input."""
        self._repl.step(state.taken_back(self._repl.state))

    def to_approval(self) -> None:
        """Bring back what was put off, and answer over the draft."""
        if not self.dialog_open:
            self._repl.step((state.recalled(self._repl.state), ()))
        self._repl.dialog.summoned()
        self._repl.refresh()

    def refuse_with_reason(self) -> None:
        """Ask for the reason of a no."""
        shown = self._repl.state.requests.shown
        if shown and "no" in shown.answers:
            self._repl.dialog.reasoning = True
            self._repl.view.focus_reason()
            self._repl.refresh()

    def answer(self, text: str, *, last: bool) -> None:
        """Take a key while the approval is armed: an answer, or else the draft begins.

        `last`: nothing else was read behind it.
        """
        choice = KEYS.get(text)
        shown = self._repl.state.requests.shown
        alone = last and self._repl.dialog.key_is_alone
        if not shown or not alone or choice is None:
            self._write(text)
        elif choice in shown.answers and (choice == "no" or self._repl.dialog.may_allow):
            self._decide(choice)

    def paste(self, text: str) -> None:
        """Insert pasted text; a paste never answers, not even with what comes behind it."""
        self._repl.dialog.drafted()
        self._write(text.replace("\r\n", "\n").replace("\r", "\n"))

    def acknowledge(self) -> None:
        """The terminal has shown what was drawn."""
        self._repl.acknowledged()

    def scroll(self, rows: int) -> None:
        """Move the command or diff."""
        self._repl.view.scroll(rows)

    def page(self, pages: int) -> None:
        """Move it by a screen."""
        self._repl.view.page(pages)

    def _write(self, text: str) -> None:
        if text.isprintable() or len(text) > 1:
            self._repl.app.current_buffer.insert_text(text)

    def _decide(self, choice: "Answer", feedback: str = "") -> None:
        if shown := self._repl.state.requests.shown:
            done = state.answered(self._repl.state, shown.id, choice, feedback)
            self._repl.view.reason.reset()
            self._repl.step(done)

    def _put_off(self) -> None:
        self._repl.step((state.put_off(self._repl.state), ()))

    def _back_to_dialog(self) -> None:
        self._repl.dialog.reasoning = False
        self._repl.dialog.drafted()
        self._repl.view.focus_draft()
        self._repl.refresh()

    def _leave_on_second_press(self) -> None:
        repl = self._repl
        if repl.now_s < self._leaves_until_s:
            repl.leave(INTERRUPTED)
            return
        self._leaves_until_s = repl.now_s + SECOND_PRESS_S
        repl.hint_for(SECOND_PRESS, SECOND_PRESS_S)

"""Connects the approval prompt to what the windows show and what the terminal acknowledges."""

from shell.repl.notify import NOTIFY_AFTER_S
from shell.repl.prompt_arming import PromptArming
from shell.repl.question_input import QuestionInput
from shell.repl.screen import Screen
from shell.repl.screen_loop import ScreenLoop
from shell.repl.screen_windows import ScreenWindows
from shell.view.screen_state import ScreenState


class ApprovalDisplay:
    """Shows the current prompt, and passes frames, acknowledgments and keys on to its arming."""

    def __init__(
        self,
        approval_prompt: PromptArming,
        question_input: QuestionInput,
        windows: ScreenWindows,
        screen: Screen,
        loop: ScreenLoop,
    ) -> None:
        self._prompt, self._question_input = approval_prompt, question_input
        self._windows, self._screen, self._loop = windows, screen, loop
        self._known_ids: frozenset[str] = frozenset()
        self._hidden_ids: frozenset[str] = frozenset()
        """Requests that the open page does not show."""

    def update(self, state: ScreenState, now_s: float) -> None:
        """Show the current prompt; text typed for an earlier one becomes part of the draft."""
        self._watch_hidden_requests(state)
        text = self._windows.side_buffer.text if self._prompt.is_entering_text else ""
        if not self._prompt.update(state, now_s):
            return
        self._question_input.reset()
        if self._loop.running:
            self._prompt.schedule_notification(self._loop.running)
        self._windows.scroll_to_top()
        self._windows.restore_focus()
        if text:
            self._windows.draft_buffer.insert_text(text)
        if state.approvals.given_replies and not self._windows.draft_buffer.text:
            self._prompt.on_ready()  # the user goes on answering

    def _watch_hidden_requests(self, state: ScreenState) -> None:
        """Notify the user of a request that arrives while another agent's page is open."""
        parked = frozenset(request.id for request in state.approvals.parked)
        self._hidden_ids = parked - {request.id for request in state.approvals.shown}
        arrived = self._hidden_ids - self._known_ids
        self._known_ids = parked
        if arrived and self._loop.running:
            self._loop.running.call_later(NOTIFY_AFTER_S, self._notify_if_hidden, arrived)

    def _notify_if_hidden(self, request_ids: frozenset[str]) -> None:
        if request_ids & self._hidden_ids:
            self._prompt.notify()

    def record_frame(self) -> None:
        """Record what the frame showed, and request an acknowledgment if that is new."""
        arming = self._prompt.arming
        drawn = self._windows.get_drawn_request(arming.prompt_id) if arming else None
        if drawn and self._prompt.record_frame(drawn):
            self._screen.request_acknowledgment()

    def on_acknowledged(self) -> None:
        """Handle the terminal's acknowledgment of a frame."""
        if self._loop.running:
            self._prompt.on_acknowledged(self._loop.running)

    def on_key_press(self) -> None:
        """Handle any key."""
        if self._loop.running:
            self._prompt.on_key_press(self._loop.running)

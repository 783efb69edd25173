"""The task view: the agents at work to choose from, the page of one, and how one is stopped."""

from typing import TYPE_CHECKING

from messages.address import Address
from shell.console.ui_commands import ViewSubagent
from shell.view.picker import Picker, get_selected_index, with_refreshed_items, with_selected_agent
from shell.view.screen_state import RestoreDraft
from shell.view.subagent_list import Subagent
from shell.view.subagent_page import build_subagent_page
from shell.view.task_picker import (
    NO_AGENTS_RUNNING,
    build_task_picker,
    format_stop_question,
    stop_subagent,
)

if TYPE_CHECKING:
    from shell.repl.screen_controller import ScreenController

STOP_CONFIRM_S = 5.0
"""So long the question whether to stop one stands in the place of the footer."""


class TaskView:
    """What the person does about the agents below."""

    def __init__(self, desk: "ScreenController") -> None:
        self._desk = desk

    @property
    def is_open(self) -> bool:
        """Whether the list or a page of the task view is."""
        picker, pager = self._desk.list_input.picker, self._desk.page_view.pager
        return bool(pager and pager.page.agent) or bool(picker and picker.is_full_screen)

    @property
    def selected_agent(self) -> Address | None:
        """Whose page is open, or whose line is chosen while no letters are typed."""
        if pager := self._desk.page_view.pager:
            return pager.page.agent
        picker = self._desk.list_input.picker
        chosen = (
            get_selected_index(picker) if picker and self._desk.list_input.is_filter_empty else None
        )
        return picker.items[chosen].agent if picker and chosen is not None else None

    @property
    def is_confirming_stop(self) -> bool:
        """Whether the next press stops the agent: the question stands on the screen."""
        row = self._row
        return (
            row is not None
            and row.phase != "ended"
            and self._desk.hint == format_stop_question(row)
        )

    def open(self, selected: Address | None = None) -> None:
        """List the agents at work."""
        if self._desk.state.subagents.running:
            self._desk.list_input.open(with_selected_agent(self._list(), selected))
        else:
            self._desk.show_message(NO_AGENTS_RUNNING)

    def update(self) -> None:
        """Keep the list to those that are at work now."""
        picker = self._desk.list_input.picker
        if picker and picker.is_full_screen:
            self._desk.list_input.picker = with_refreshed_items(picker, self._list())

    def view_subagent(self, agent: Address) -> None:
        """Cover the screen with what an agent does, and let it stream."""
        desk = self._desk
        desk.host.post(ViewSubagent(agent=agent))
        desk.page_view.open_live(
            lambda: build_subagent_page(desk.state, agent, desk.now_s),
            lambda: desk.host.post(ViewSubagent(agent=None)),
        )

    def go_back(self) -> None:
        """Leave the page; from that of an agent to the list."""
        agent = self.selected_agent
        self.cancel_stop()
        self._desk.page_view.clear_page()
        if agent:
            self.open(agent)
        self._desk.update_screen_mode()

    def start_message(self) -> bool:
        """Leave the page to write to an agent that waits for more; whether this is one."""
        row = self._row
        if row is None or not row.is_awaiting_prompt:
            return False
        self._desk.page_view.close()
        self._desk.apply((self._desk.state, (RestoreDraft(f"/tasks say {row.address.name} "),)))
        return True

    def stop_agent(self) -> None:
        """Stop the agent, at the second press; the first one asks."""
        row = self._row
        if row is None:
            return
        if self.is_confirming_stop:
            self.cancel_stop()
            self._desk.apply(stop_subagent(self._desk.state, row, self._desk.now_s))
        else:
            self._desk.show_hint(format_stop_question(row), STOP_CONFIRM_S)

    def cancel_stop(self) -> None:
        """Stop nobody after all."""
        if self.is_confirming_stop:
            self._desk.hint = ""
            self._desk.refresh()

    @property
    def _row(self) -> Subagent | None:
        agent = self.selected_agent
        return self._desk.state.subagents.subagents.get(agent) if agent else None

    def _list(self) -> Picker:
        return build_task_picker(self._desk.state, self._desk.now_s, self.view_subagent)

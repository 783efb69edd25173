"""The task view: the list of running agents, the page of one, and stopping it."""

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
"""How long the question whether to stop an agent replaces the footer."""


class TaskView:
    """The user's actions on subagents."""

    def __init__(self, controller: "ScreenController") -> None:
        self._controller = controller

    @property
    def is_open(self) -> bool:
        """Whether the list or a page of the task view is open."""
        picker, pager = self._controller.list_input.picker, self._controller.page_view.pager
        return bool(pager and pager.page.agent) or bool(picker and picker.is_full_screen)

    @property
    def selected_agent(self) -> Address | None:
        """The agent whose page is open, or which is selected while no filter is typed."""
        if pager := self._controller.page_view.pager:
            return pager.page.agent
        list_input = self._controller.list_input
        if not list_input.picker or not list_input.is_filter_empty:
            return None
        index = get_selected_index(list_input.picker)
        return list_input.picker.items[index].agent if index is not None else None

    @property
    def is_confirming_stop(self) -> bool:
        """Whether the question is on screen and the next press stops the agent."""
        subagent = self._selected_subagent
        return (
            subagent is not None
            and subagent.phase != "ended"
            and self._controller.hint == format_stop_question(subagent)
        )

    def open(self, selected: Address | None = None) -> None:
        """List the running agents."""
        if self._controller.state.subagents.running:
            self._controller.list_input.open(with_selected_agent(self._build_picker(), selected))
        else:
            self._controller.show_message(NO_AGENTS_RUNNING)

    def update(self) -> None:
        """Update the list to the agents that run now."""
        list_input = self._controller.list_input
        if list_input.picker and list_input.picker.is_full_screen:
            list_input.picker = with_refreshed_items(list_input.picker, self._build_picker())

    def view_subagent(self, agent: Address) -> None:
        """Cover the screen with a subagent's page and subscribe to its stream."""
        controller = self._controller
        controller.host.post(ViewSubagent(agent=agent))
        controller.page_view.open_live(
            lambda: build_subagent_page(controller.state, agent, controller.now_s),
            lambda: controller.host.post(ViewSubagent(agent=None)),
        )

    def go_back(self) -> None:
        """Close the page; from a subagent's page go back to the list."""
        agent = self.selected_agent
        self.cancel_stop()
        self._controller.page_view.clear_page()
        if agent:
            self.open(agent)
        self._controller.update_screen_mode()

    def start_message(self) -> bool:
        """Close the page to write to an idle interactive agent; False: it is not one."""
        subagent = self._selected_subagent
        if subagent is None or not subagent.is_awaiting_prompt:
            return False
        controller = self._controller
        controller.page_view.close()
        draft = RestoreDraft(f"/tasks say {subagent.address.name} ")
        controller.apply((controller.state, (draft,)))
        return True

    def stop_agent(self) -> None:
        """Ask whether to stop the agent; stop it at the second press."""
        subagent = self._selected_subagent
        if subagent is None:
            return
        controller = self._controller
        if self.is_confirming_stop:
            self.cancel_stop()
            controller.apply(stop_subagent(controller.state, subagent, controller.now_s))
        else:
            controller.show_hint(format_stop_question(subagent), STOP_CONFIRM_S)

    def cancel_stop(self) -> None:
        """Withdraw the question whether to stop the agent."""
        if self.is_confirming_stop:
            self._controller.hint = ""
            self._controller.refresh()

    @property
    def _selected_subagent(self) -> Subagent | None:
        agent = self.selected_agent
        return self._controller.state.subagents.subagents.get(agent) if agent else None

    def _build_picker(self) -> Picker:
        return build_task_picker(self._controller.state, self._controller.now_s, self.view_subagent)

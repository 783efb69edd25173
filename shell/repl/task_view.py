"""The task view: the list of running agents, the page of one, and stopping it."""

from collections.abc import Callable
from functools import partial

from messages.address import Address
from messages.base import Message
from shell.console.ui_commands import ViewSubagent
from shell.repl.footer_hint import FooterHint
from shell.repl.list_input import ListInput
from shell.repl.page_view import PageView
from shell.repl.screen_state_port import StateOwner
from shell.view.picker import Picker, get_selected_index, with_refreshed_items, with_selected_agent
from shell.view.screen_state import RestoreDraft
from shell.view.subagent_page import build_subagent_page
from shell.view.subagent_states import Subagent
from shell.view.task_picker import (
    NO_AGENTS,
    build_task_picker,
    continue_subagent,
    format_stop_question,
    stop_subagent,
)

STOP_CONFIRM_S = 5.0
"""How long the question whether to stop an agent replaces the footer."""


class TaskView:
    """The user's actions on subagents."""

    def __init__(
        self,
        owner: StateOwner,
        list_input: ListInput,
        page_view: PageView,
        footer_hint: FooterHint,
        post: Callable[[Message], None],
    ) -> None:
        """`post` sends commands to the console."""
        self._owner, self._footer_hint, self._post = owner, footer_hint, post
        self._list_input, self._page_view = list_input, page_view

    @property
    def is_open(self) -> bool:
        """Whether the list or a page of the task view is open."""
        picker, pager = self._list_input.picker, self._page_view.pager
        return bool(pager and pager.page.agent) or bool(picker and picker.is_full_screen)

    @property
    def is_list_open(self) -> bool:
        """Whether the list of agents is open."""
        return self.is_open and self._page_view.pager is None

    @property
    def agent_of_page(self) -> Address | None:
        """The agent whose page is open."""
        return self._page_view.pager.page.agent if self._page_view.pager else None

    @property
    def selected_agent(self) -> Address | None:
        """The agent whose page is open, or which is selected while no filter is typed."""
        if self._page_view.pager:
            return self.agent_of_page
        picker = self._list_input.picker
        if not picker or not self._list_input.is_filter_empty:
            return None
        index = get_selected_index(picker)
        return picker.items[index].agent if index is not None else None

    @property
    def is_confirming_stop(self) -> bool:
        """Whether the question is on screen and the next press stops the agent."""
        subagent = self._selected_subagent
        return (
            subagent is not None
            and subagent.phase != "ended"
            and self._footer_hint.text == format_stop_question(subagent)
        )

    def open(self, selected: Address | None = None) -> None:
        """List the agents."""
        if self._owner.state.subagents.listed:
            self._list_input.open(with_selected_agent(self._build_picker(), selected))
        else:
            self._footer_hint.show_message(NO_AGENTS)

    def update(self) -> None:
        """Update the list to the agents that run now."""
        list_input = self._list_input
        if list_input.picker and list_input.picker.is_full_screen:
            list_input.picker = with_refreshed_items(list_input.picker, self._build_picker())

    def view_subagent(self, agent: Address) -> None:
        """Cover the screen with a subagent's page and subscribe to its stream."""
        self._post(ViewSubagent(agent=agent))
        self._page_view.open_live(
            lambda: build_subagent_page(self._owner.state, agent, self._owner.now_s),
            lambda: self._post(ViewSubagent(agent=None)),
        )

    def open_selected(self) -> None:
        """Open the page of the agent that is selected in the list."""
        if self.is_list_open:
            self._list_input.accept()

    def go_back(self) -> None:
        """From a subagent's page go back to the list; else close the page or the list."""
        agent = self.agent_of_page
        self.cancel_stop()
        if agent:
            self._page_view.replace(partial(self.open, agent))
        elif self._page_view.pager:
            self._page_view.close()
        else:
            self._list_input.close()

    def leave_page_without_requests(self) -> None:
        """Close the page of an agent that does not wait for the user."""
        agent = self.agent_of_page
        if agent and not self._owner.state.approvals.of_agent(agent):
            self._page_view.close()

    def start_message(self) -> bool:
        """Continue a paused agent, or close the page to write to an idle interactive one.

        False: it is neither.
        """
        subagent = self._selected_subagent
        if subagent is not None and subagent.phase == "paused":
            self._owner.apply(continue_subagent(self._owner.state, subagent))
            return True
        if subagent is None or not subagent.is_awaiting_prompt:
            return False
        self._page_view.close()
        draft = RestoreDraft(f"/tasks say {subagent.address.name} ")
        self._owner.apply((self._owner.state, (draft,)))
        return True

    def stop_agent(self) -> None:
        """Ask whether to stop the agent; stop it at the second press."""
        subagent = self._selected_subagent
        if subagent is None:
            return
        if self.is_confirming_stop:
            self.cancel_stop()
            self._owner.apply(stop_subagent(self._owner.state, subagent, self._owner.now_s))
        else:
            self._footer_hint.show(format_stop_question(subagent), STOP_CONFIRM_S)

    def cancel_stop(self) -> None:
        """Withdraw the question whether to stop the agent."""
        if self.is_confirming_stop:
            self._footer_hint.clear()

    @property
    def _selected_subagent(self) -> Subagent | None:
        agent = self.selected_agent
        return self._owner.state.subagents.subagents.get(agent) if agent else None

    def _build_picker(self) -> Picker:
        return build_task_picker(self._owner.state, self._owner.now_s, self.view_subagent)

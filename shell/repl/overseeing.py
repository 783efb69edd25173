"""The task view: the agents at work to choose from, the page of one, and how one is stopped."""

from typing import TYPE_CHECKING

from messages.address import Address
from shell.intents import ViewSubagent
from shell.view.below import Subagent
from shell.view.picker import Picker, choice, renewed, with_chosen
from shell.view.state import RestoreDraft
from shell.view.subagent_page import subagent_page
from shell.view.task_list import NOBODY, listed, question, stopped

if TYPE_CHECKING:
    from shell.repl.desk import ScreenController

ASKED_S = 5.0
"""So long the question whether to stop one stands in the place of the footer."""


class Overseeing:
    """What the person does about the agents below."""

    def __init__(self, desk: "ScreenController") -> None:
        self._desk = desk

    @property
    def is_open(self) -> bool:
        """Whether the list or a page of the task view is."""
        picker, pager = self._desk.choosing.picker, self._desk.paging.pager
        return bool(pager and pager.page.agent) or bool(picker and picker.covers)

    @property
    def agent(self) -> Address | None:
        """Whose page is open, or whose line is chosen while no letters are typed."""
        if pager := self._desk.paging.pager:
            return pager.page.agent
        picker = self._desk.choosing.picker
        chosen = choice(picker) if picker and self._desk.choosing.whole else None
        return picker.choices[chosen].agent if picker and chosen is not None else None

    @property
    def asks(self) -> bool:
        """Whether the next press stops the agent: the question stands on the screen."""
        row = self._row
        return row is not None and row.doing != "ended" and self._desk.hint == question(row)

    def open(self, chosen: Address | None = None) -> None:
        """List the agents at work."""
        if self._desk.state.below.running:
            self._desk.choosing.open(with_chosen(self._list(), chosen))
        else:
            self._desk.mention(NOBODY)

    def follow(self) -> None:
        """Keep the list to those that are at work now."""
        picker = self._desk.choosing.picker
        if picker and picker.covers:
            self._desk.choosing.picker = renewed(picker, self._list())

    def read(self, agent: Address) -> None:
        """Cover the screen with what an agent does, and let it stream."""
        desk = self._desk
        desk.person.post(ViewSubagent(agent=agent))
        desk.paging.open_live(
            lambda: subagent_page(desk.state, agent, desk.now_s),
            lambda: desk.person.post(ViewSubagent(agent=None)),
        )

    def back(self) -> None:
        """Leave the page; from that of an agent to the list."""
        agent = self.agent
        self.spare()
        self._desk.paging.leave()
        if agent:
            self.open(agent)
        self._desk.settle()

    def write(self) -> bool:
        """Leave the page to write to an agent that waits for more; whether this is one."""
        row = self._row
        if row is None or not row.waits_for_more:
            return False
        self._desk.paging.close()
        self._desk.step((self._desk.state, (RestoreDraft(f"/tasks say {row.address.name} "),)))
        return True

    def stop(self) -> None:
        """Stop the agent, at the second press; the first one asks."""
        row = self._row
        if row is None:
            return
        if self.asks:
            self.spare()
            self._desk.step(stopped(self._desk.state, row, self._desk.now_s))
        else:
            self._desk.hint_for(question(row), ASKED_S)

    def spare(self) -> None:
        """Stop nobody after all."""
        if self.asks:
            self._desk.hint = ""
            self._desk.refresh()

    @property
    def _row(self) -> Subagent | None:
        agent = self.agent
        return self._desk.state.below.rows.get(agent) if agent else None

    def _list(self) -> Picker:
        return listed(self._desk.state, self._desk.now_s, self.read)

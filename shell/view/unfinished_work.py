"""What the user leaves behind in a session: work in progress, and messages that were not sent."""

from actors.agents.kinds.review import REVIEW
from shell.text.sanitize import sanitize_line
from shell.view.number_format import format_count
from shell.view.screen_state import ScreenState
from shell.view.styled_text import truncate

MAX_NAMED_AGENTS = 5
MAX_MESSAGE_COLUMNS = 120


def format_unfinished_work(state: ScreenState, session_id: str) -> str:
    """Return lines that say what stays in the session, and what was not sent; often empty."""
    unsent = [
        f"Not sent: {truncate(sanitize_line(message.text), MAX_MESSAGE_COLUMNS)}"
        for message in state.queued
    ]
    reviews = len(state.review_starts)
    stopped = [f"Stopped: {format_count(reviews, 'unfinished review')}."] if reviews else []
    return "\n".join([*_format_kept(_list_kept_work(state), session_id), *stopped, *unsent])


def _format_kept(parts: list[str], session_id: str) -> list[str]:
    if not parts:
        return []
    *first, last = parts
    subject = f"{', '.join(first)} and {last}" if first else last
    return [f"Paused in session {session_id} until you resume it: {subject}."]


def _list_kept_work(state: ScreenState) -> list[str]:
    parts = ["the running turn"] if state.turn else []
    if agents := [agent for agent in state.subagents.running if agent.agent != REVIEW.name]:
        names = [agent.address.name for agent in agents[:MAX_NAMED_AGENTS]]
        more = ["…"] if len(agents) > MAX_NAMED_AGENTS else []
        parts.append(f"{format_count(len(agents), 'subagent')} ({', '.join(names + more)})")
    if requests := state.approvals.parked:
        parts.append(format_count(len(requests), "approval request"))
    return parts

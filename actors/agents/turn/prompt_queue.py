"""The prompts and tasks that an agent has taken and not started."""

from dataclasses import dataclass

from actors.agents.turn.with_changes import with_changes


@dataclass(frozen=True, slots=True)
class QueuedPrompt:
    """A prompt of the user, or a task of the parent."""

    turn: int
    text: str
    task_number: int = 0
    """As in `AssignTask`."""
    mentions: tuple[str, ...] = ()
    """As in `StartTurn`."""


@dataclass(frozen=True)
class PromptQueue:
    """Prompts in the order in which they start."""

    queued: tuple[QueuedPrompt, ...] = ()
    cancelled_turns: frozenset[int] = frozenset()
    """Turns cancelled before they started; their prompts may still arrive."""
    one_shot: bool = False
    """The agent ends with its first turn."""
    last_task_number: int = 0
    """Number of the last task taken or dropped."""
    own_turns: frozenset[int] = frozenset()
    """Turns that the agent started itself; the user's next prompt may have the same number."""

    def has_prompt(self, turn: int) -> bool:
        """Return whether the prompt of a turn is queued."""
        return any(prompt.turn == turn for prompt in self.queued)

    def get_next_turn_number(self, current: int) -> int:
        """Return the first turn number that no prompt has used; `current` is the last started."""
        return 1 + max(current, *(prompt.turn for prompt in self.queued), 0)

    def with_prompt(self, prompt: QueuedPrompt) -> "PromptQueue":
        """Return the queue with one more prompt."""
        return with_changes(
            self,
            queued=(*self.queued, prompt),
            last_task_number=prompt.task_number or self.last_task_number,
        )

    def has_not_started(self, task_number: int) -> bool:
        """Return whether a task is queued or has not arrived yet."""
        is_queued = any(prompt.task_number == task_number for prompt in self.queued)
        return is_queued or task_number > self.last_task_number

    def without_task(self, task_number: int) -> "PromptQueue":
        """Return the queue after a task was dropped, which may still arrive."""
        queued = tuple(prompt for prompt in self.queued if prompt.task_number != task_number)
        last_task_number = max(self.last_task_number, task_number)
        return with_changes(self, queued=queued, last_task_number=last_task_number)

    def without_first(self) -> "PromptQueue":
        """Return the queue after its first prompt starts; earlier cancels no longer matter."""
        first = self.queued[0].turn
        cancelled_turns = frozenset(turn for turn in self.cancelled_turns if turn > first)
        return with_changes(self, queued=self.queued[1:], cancelled_turns=cancelled_turns)

    def with_own_turn(self, turn: int) -> "PromptQueue":
        """Return the queue after the agent started a turn without a prompt."""
        return with_changes(self, own_turns=self.own_turns | {turn})

    def with_cancelled(self, turn: int) -> "PromptQueue":
        """Return the queue after a turn was cancelled that has not started."""
        return with_changes(self, cancelled_turns=self.cancelled_turns | {turn})

    def without_prompts(self) -> "PromptQueue":
        """Return the queue after all prompts were dropped."""
        return with_changes(self, queued=())

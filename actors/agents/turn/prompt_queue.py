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
    starts_turn: bool = False
    """As in `StartTurn`."""

    @property
    def may_steer(self) -> bool:
        """It may be delivered to the running turn, or go back to the user."""
        return not self.task_number and not self.starts_turn


@dataclass(frozen=True)
class PromptQueue:
    """Prompts in the order in which they start."""

    queued: tuple[QueuedPrompt, ...] = ()
    last_number: int = 0
    """Turn number of the last prompt that arrived, whatever became of it."""
    cancelled_turns: frozenset[int] = frozenset()
    """Turns cancelled before they started; their prompts may still arrive."""
    one_shot: bool = False
    """The agent ends with its first turn."""
    last_task_number: int = 0
    """Number of the last task taken or dropped."""
    own_turns: frozenset[int] = frozenset()
    """Turns that the agent started itself; the user's next prompt may have the same number."""

    @property
    def next_number(self) -> int:
        """The first turn number that no prompt has used."""
        return self.last_number + 1

    def list_user_turns(self) -> tuple[int, ...]:
        """Return the turn numbers of the user's queued prompts."""
        return tuple(prompt.turn for prompt in self.queued if prompt.may_steer)

    def with_prompt(self, prompt: QueuedPrompt) -> "PromptQueue":
        """Return the queue with one more prompt."""
        return with_changes(
            self,
            queued=(*self.queued, prompt),
            last_number=prompt.turn,
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
        return with_changes(self, last_number=turn, own_turns=self.own_turns | {turn})

    def with_cancelled(self, turn: int) -> "PromptQueue":
        """Return the queue after a turn was cancelled that has not started."""
        return with_changes(self, cancelled_turns=self.cancelled_turns | {turn})

    def without_user_prompts(self, turns: tuple[int, ...]) -> "PromptQueue":
        """Return the queue after the user took prompts back; none of them is taken again."""
        queued = tuple(
            prompt for prompt in self.queued if not prompt.may_steer or prompt.turn not in turns
        )
        return with_changes(self, queued=queued, last_number=max(self.last_number, *turns))

    def take_deliverable(self) -> "tuple[PromptQueue, list[QueuedPrompt]]":
        """Return the queue without the prompts that the running turn can take, and these.

        Files that a prompt mentions are read before a turn starts, so it and all after it wait.
        """
        queue, taken = self.take_user_prompts()
        count = next((i for i, prompt in enumerate(taken) if prompt.mentions), len(taken))
        queued = tuple(prompt for prompt in self.queued if prompt not in taken[:count])
        return with_changes(queue, queued=queued), taken[:count]

    def take_user_prompts(self) -> "tuple[PromptQueue, list[QueuedPrompt]]":
        """Return the queue without the user's prompts, and these; cancelled ones stay."""
        taken = [
            prompt
            for prompt in self.queued
            if prompt.may_steer and prompt.turn not in self.cancelled_turns
        ]
        queued = tuple(prompt for prompt in self.queued if prompt not in taken)
        return with_changes(self, queued=queued), taken

    def without_prompts(self) -> "PromptQueue":
        """Return the queue after all prompts were dropped."""
        return with_changes(self, queued=())

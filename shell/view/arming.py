"""The rules for when a key may answer a prompt. Pure, and the only place that decides it.

The user must have had the chance to see what they allow. A prompt therefore arms only after the
terminal has acknowledged a frame that shows it, no key was pressed for a while, and no draft is
being typed; only Ctrl-Y arms it over a draft. Allowing needs more: the last line of the command
was in an acknowledged frame together with every answer. An answer is one isolated key: a burst of
keys was pasted, or meant for something else.
"""

from dataclasses import dataclass, replace

QUIET_PERIOD_S = 0.4
"""Time without a key before a prompt accepts keys."""
MIN_KEY_GAP_S = 0.05
"""Keys closer together than this are an unbracketed paste or an accident."""


@dataclass(frozen=True, slots=True)
class DrawnRequest:
    """What one frame actually showed of a request."""

    prompt_id: str
    is_complete: bool
    """Requester, location, reason and every answer were drawn; else the window is too small."""
    shows_end: bool
    """The last line of the command or diff was drawn."""
    hidden_keys: str = ""
    """Keys of answers that were left out because the window is too small for them."""


@dataclass(frozen=True, slots=True)
class Arming:
    """The arming state of the prompt on screen; times are the loop's, in seconds."""

    prompt_id: str
    last_key_s: float
    previous_key_s: float = float("-inf")
    """Time of the key before the last one."""
    last_drawn: DrawnRequest | None = None
    """The newest frame, acknowledged or not."""
    unacknowledged: tuple[DrawnRequest, ...] = ()
    """Frames that the terminal has not acknowledged yet, oldest first."""
    acknowledged_s: float | None = None
    has_shown_end: bool = False
    is_focused: bool = False
    """The user pressed Ctrl-Y before the prompt was ready; a draft does not delay it."""
    is_armed: bool = False


def record_frame(arming: Arming, drawn_request: DrawnRequest) -> tuple[Arming, bool]:
    """Record a frame; also return whether to request an acknowledgment from the terminal."""
    if drawn_request == arming.last_drawn:
        return arming, False
    return replace(
        arming, last_drawn=drawn_request, unacknowledged=(*arming.unacknowledged, drawn_request)
    ), True


def record_acknowledgment(arming: Arming, now_s: float) -> Arming:
    """Record an acknowledgment; they arrive in the order of the frames."""
    if not arming.unacknowledged:
        return arming
    drawn, *rest = arming.unacknowledged
    arming = replace(arming, unacknowledged=tuple(rest))
    if drawn.prompt_id != arming.prompt_id:
        return arming
    return replace(
        arming,
        acknowledged_s=now_s if arming.acknowledged_s is None else arming.acknowledged_s,
        has_shown_end=arming.has_shown_end or (drawn.is_complete and drawn.shows_end),
    )


def record_key(arming: Arming, now_s: float) -> Arming:
    """Record a key press of any kind, which restarts the quiet period."""
    return replace(arming, last_key_s=now_s, previous_key_s=arming.last_key_s)


def undo_key(arming: Arming) -> Arming:
    """Forget the last key: it says nothing about the user, or about the next key."""
    return replace(arming, last_key_s=arming.previous_key_s)


def is_isolated_key(arming: Arming) -> bool:
    """Return whether no other key came right before the last one, so it can be an answer."""
    return arming.last_key_s - arming.previous_key_s >= MIN_KEY_GAP_S


def disarm(arming: Arming) -> Arming:
    """Disarm after a key went into the draft: the user is writing, not answering."""
    return replace(arming, is_armed=False, is_focused=False)


def arm_if_ready(arming: Arming, now_s: float, *, has_draft: bool) -> Arming:
    """Arm if all conditions hold; called by a timer set for `get_ready_time_s`.

    The time of the answering key would not do: keys pressed while the screen was busy are read
    before its timers run, so they are treated as typing.
    """
    ready_s = get_ready_time_s(arming)
    is_delayed_by_draft = has_draft and not arming.is_focused
    if is_delayed_by_draft or ready_s is None or now_s < ready_s:
        return arming
    return replace(arming, is_armed=True)


def focus(arming: Arming) -> Arming:
    """Handle Ctrl-Y: the user wants to answer now, regardless of the draft."""
    return replace(arming, is_focused=True, is_armed=arming.acknowledged_s is not None)


def get_ready_time_s(arming: Arming) -> float | None:
    """Return when the quiet period ends, or None while no frame is acknowledged."""
    if arming.acknowledged_s is None:
        return None
    return max(arming.acknowledged_s, arming.last_key_s) + QUIET_PERIOD_S


def can_reject(arming: Arming) -> bool:
    """Return whether `n` and Tab work."""
    return arming.is_armed


def can_allow(arming: Arming) -> bool:
    """Return whether the allowing keys work; not while the window is too small for the answers."""
    is_complete = arming.last_drawn is not None and arming.last_drawn.is_complete
    return arming.is_armed and arming.has_shown_end and is_complete


def start_arming(prompt_id: str, now_s: float) -> Arming:
    """Start with a prompt that no frame has shown yet."""
    return Arming(prompt_id=prompt_id, last_key_s=now_s)


def start_next_arming(arming: Arming | None, prompt_id: str, now_s: float) -> Arming:
    """Start over for the next prompt; outstanding acknowledgments still match their frames."""
    return replace(
        start_arming(prompt_id, now_s), unacknowledged=arming.unacknowledged if arming else ()
    )

"""When may a key answer an approval? Pure, and the only place that decides it.

A person must have had the chance to see what they allow. So a prompt arms only after the terminal
has acknowledged a frame that shows it, after no key came for a while, and while no draft is being
typed; a draft is armed over only by the person's own Ctrl-Y. To allow takes more: the last line
of the command was in an acknowledged frame together with every answer. And an answer is one key
by itself: what comes in a burst was pasted, or meant for somebody else.
"""

from dataclasses import dataclass, replace

QUIET_PERIOD_S = 0.4
"""So long must nobody type before a prompt takes keys."""
MIN_KEY_GAP_S = 0.05
"""Keys that come closer together than this are a paste without its marks, or a cat's paw."""


@dataclass(frozen=True, slots=True)
class DrawnRequest:
    """What one frame showed of a request, as it was really drawn."""

    prompt_id: str
    is_complete: bool
    """Who asks, where, why and every answer; else only that the window is too low for them."""
    shows_end: bool
    """The last line of the command or diff."""


@dataclass(frozen=True, slots=True)
class Arming:
    """How far the request on screen has come; times are the loop's, in seconds."""

    prompt_id: str
    last_key_s: float
    previous_key_s: float = float("-inf")
    """When the key before the last one came."""
    last_drawn: DrawnRequest | None = None
    """The newest frame, acknowledged or not."""
    unacknowledged: tuple[DrawnRequest, ...] = ()
    """Frames that the terminal has not acknowledged yet, oldest first."""
    acknowledged_s: float | None = None
    has_shown_end: bool = False
    is_focused: bool = False
    """The person asked to answer before it could be: the draft does not hold it up."""
    is_armed: bool = False


def record_frame(arming: Arming, drawn_request: DrawnRequest) -> tuple[Arming, bool]:
    """Note a frame; the second part says whether the terminal must be asked to acknowledge it."""
    if drawn_request == arming.last_drawn:
        return arming, False
    return replace(
        arming, last_drawn=drawn_request, unacknowledged=(*arming.unacknowledged, drawn_request)
    ), True


def record_acknowledgment(arming: Arming, now_s: float) -> Arming:
    """Note the terminal's answer; answers come in the order of the frames."""
    if not arming.unacknowledged:
        return arming
    shown, *rest = arming.unacknowledged
    arming = replace(arming, unacknowledged=tuple(rest))
    if shown.prompt_id != arming.prompt_id:
        return arming
    return replace(
        arming,
        acknowledged_s=now_s if arming.acknowledged_s is None else arming.acknowledged_s,
        has_shown_end=arming.has_shown_end or (shown.is_complete and shown.shows_end),
    )


def record_key(arming: Arming, now_s: float) -> Arming:
    """Note a key of any kind: the quiet time begins anew."""
    return replace(arming, last_key_s=now_s, previous_key_s=arming.last_key_s)


def undo_key(arming: Arming) -> Arming:
    """Take the last key back: it was the terminal that sent it."""
    return replace(arming, last_key_s=arming.previous_key_s)


def is_isolated_key(arming: Arming) -> bool:
    """Whether the last key came behind no other, so that it can be meant as an answer."""
    return arming.last_key_s - arming.previous_key_s >= MIN_KEY_GAP_S


def disarm(arming: Arming) -> Arming:
    """Note that a key went into the draft: the person is writing, not answering."""
    return replace(arming, is_armed=False, is_focused=False)


def arm_if_ready(arming: Arming, now_s: float, *, has_draft: bool) -> Arming:
    """Arm if everything holds; called by a timer, for which `ready_s` says when.

    A timer, and not the time of the answering key: keys that were pressed while the screen was
    busy are read before its timers run, and so count as typing.
    """
    ready = get_ready_time_s(arming)
    held_up = has_draft and not arming.is_focused
    if held_up or ready is None or now_s < ready:
        return arming
    return replace(arming, is_armed=True)


def focus(arming: Arming) -> Arming:
    """Ctrl-Y: the person wants to answer now, whatever the draft holds."""
    return replace(arming, is_focused=True, is_armed=arming.acknowledged_s is not None)


def get_ready_time_s(arming: Arming) -> float | None:
    """When the quiet time ends; None while no frame is acknowledged."""
    if arming.acknowledged_s is None:
        return None
    return max(arming.acknowledged_s, arming.last_key_s) + QUIET_PERIOD_S


def can_reject(arming: Arming) -> bool:
    """Whether `n` and Tab work."""
    return arming.is_armed


def can_allow(arming: Arming) -> bool:
    """Whether `y` and `a` work: not while the window is too low to show what they mean."""
    whole = arming.last_drawn is not None and arming.last_drawn.is_complete
    return arming.is_armed and arming.has_shown_end and whole


def start_arming(request_id: str, now_s: float) -> Arming:
    """Begin with a request of which nothing is known to be shown."""
    return Arming(prompt_id=request_id, last_key_s=now_s)


def start_next_arming(arming: Arming | None, request_id: str, now_s: float) -> Arming:
    """Begin anew for the next request; answers still on their way keep their places."""
    return replace(
        start_arming(request_id, now_s), unacknowledged=arming.unacknowledged if arming else ()
    )

"""When may a key answer an approval? Pure, and the only place that decides it.

A person must have had the chance to see what they allow. So a prompt arms only after the terminal
has acknowledged a frame that shows it, after no key came for a while, and while no draft is being
typed; a draft is armed over only by the person's own Ctrl-Y. To allow takes more: the last line
of the command was in an acknowledged frame together with every answer. And an answer is one key
by itself: what comes in a burst was pasted, or meant for somebody else.
"""

from dataclasses import dataclass, replace

QUIET_S = 0.4
"""So long must nobody type before a prompt takes keys."""
ALONE_S = 0.05
"""Keys that come closer together than this are a paste without its marks, or a cat's paw."""


@dataclass(frozen=True, slots=True)
class Shown:
    """What one frame showed of a request, as it was really drawn."""

    id: str
    whole: bool
    """Who asks, where, why and every answer; else only that the window is too low for them."""
    end: bool
    """The last line of the command or diff."""


@dataclass(frozen=True, slots=True)
class Arming:
    """How far the request on screen has come; times are the loop's, in seconds."""

    id: str
    last_key_s: float
    key_before_s: float = float("-inf")
    """When the key before the last one came."""
    drawn: Shown | None = None
    """The newest frame, acknowledged or not."""
    sent: tuple[Shown, ...] = ()
    """Frames that the terminal has not acknowledged yet, oldest first."""
    acknowledged_s: float | None = None
    end_seen: bool = False
    summoned: bool = False
    """The person asked to answer before it could be: the draft does not hold it up."""
    armed: bool = False


def drawn(arming: Arming, shown: Shown) -> tuple[Arming, bool]:
    """Note a frame; the second part says whether the terminal must be asked to acknowledge it."""
    if shown == arming.drawn:
        return arming, False
    return replace(arming, drawn=shown, sent=(*arming.sent, shown)), True


def acknowledged(arming: Arming, now_s: float) -> Arming:
    """Note the terminal's answer; answers come in the order of the frames."""
    if not arming.sent:
        return arming
    shown, *rest = arming.sent
    arming = replace(arming, sent=tuple(rest))
    if shown.id != arming.id:
        return arming
    return replace(
        arming,
        acknowledged_s=now_s if arming.acknowledged_s is None else arming.acknowledged_s,
        end_seen=arming.end_seen or (shown.whole and shown.end),
    )


def pressed(arming: Arming, now_s: float) -> Arming:
    """Note a key of any kind: the quiet time begins anew."""
    return replace(arming, last_key_s=now_s, key_before_s=arming.last_key_s)


def unpressed(arming: Arming) -> Arming:
    """Take the last key back: it was the terminal that sent it."""
    return replace(arming, last_key_s=arming.key_before_s)


def is_alone(arming: Arming) -> bool:
    """Whether the last key came behind no other, so that it can be meant as an answer."""
    return arming.last_key_s - arming.key_before_s >= ALONE_S


def drafted(arming: Arming) -> Arming:
    """Note that a key went into the draft: the person is writing, not answering."""
    return replace(arming, armed=False, summoned=False)


def tick(arming: Arming, now_s: float, *, draft: bool) -> Arming:
    """Arm if everything holds; called by a timer, for which `ready_s` says when.

    A timer, and not the time of the answering key: keys that were pressed while the screen was
    busy are read before its timers run, and so count as typing.
    """
    ready = ready_s(arming)
    held_up = draft and not arming.summoned
    if held_up or ready is None or now_s < ready:
        return arming
    return replace(arming, armed=True)


def summoned(arming: Arming) -> Arming:
    """Ctrl-Y: the person wants to answer now, whatever the draft holds."""
    return replace(arming, summoned=True, armed=arming.acknowledged_s is not None)


def ready_s(arming: Arming) -> float | None:
    """When the quiet time ends; None while no frame is acknowledged."""
    if arming.acknowledged_s is None:
        return None
    return max(arming.acknowledged_s, arming.last_key_s) + QUIET_S


def may_refuse(arming: Arming) -> bool:
    """Whether `n` and Tab work."""
    return arming.armed


def may_allow(arming: Arming) -> bool:
    """Whether `y` and `a` work: not while the window is too low to show what they mean."""
    whole = arming.drawn is not None and arming.drawn.whole
    return arming.armed and arming.end_seen and whole


def begun(request_id: str, now_s: float) -> Arming:
    """Begin with a request of which nothing is known to be shown."""
    return Arming(id=request_id, last_key_s=now_s)


def inherited(arming: Arming | None, request_id: str, now_s: float) -> Arming:
    """Begin anew for the next request; answers still on their way keep their places."""
    return replace(begun(request_id, now_s), sent=arming.sent if arming else ())

"""How a prompt gets its environment and attachments before its turn is recorded."""

from dataclasses import replace

import pytest

from actors.agents.turn.effects import (
    EvaluateAttachment,
    PrepareContext,
    PublishEvent,
    ReadAttachments,
    SendModelRequest,
    WriteRecord,
)
from actors.agents.turn.pending_context import ContextState
from actors.agents.turn.self_messages import AttachmentsRead, ContextPrepared
from actors.prompt_context.attachments import PlannedAttachment
from actors.prompt_context.environment_text import Environment, KnownEnvironment
from messages.compaction import Compacted
from messages.policy import Action
from messages.turns import Attachment, CancelTurn, StartTurn, TurnInterrupted, TurnStarted
from tests.actors.agents.turn.message_builders import make_decision, make_plan, make_state
from tests.actors.agents.turn.turn_driver import TurnDriver, list_types

pytestmark = pytest.mark.quick

KNOWN = KnownEnvironment(date="2026-01-01", branch="main", model="m")
ENVIRONMENT = Environment(text="Today's date: 2026-01-01", known=KNOWN)
BLOCK = "<env>\nToday's date: 2026-01-01\n</env>"


def plan(mention: str, tool: str = "read") -> PlannedAttachment:
    return PlannedAttachment(mention=mention, tool=tool, arguments={}, plan=make_plan(mention))


def make_attachment(mention: str) -> Attachment:
    return Attachment(mention=mention, summary="1 line", text=f"content of {mention}")


@pytest.fixture
def preparing() -> TurnDriver:
    """A primary agent that reads its environment."""
    return TurnDriver(replace(make_state(), context=ContextState("all", is_read=True)))


def decide(driver: TurnDriver, mention: str, action: Action) -> None:
    ids = [effect.id for effect in driver.get_effects(EvaluateAttachment)]
    decision_id = next(name for name in reversed(ids) if name.startswith(f"@{mention}/"))
    driver.send(make_decision(decision_id, action))


def find_started(driver: TurnDriver) -> TurnStarted:
    (started,) = [record for record in driver.records if isinstance(record, TurnStarted)]
    return started


def test_the_first_prompt_waits_for_the_environment(preparing: TurnDriver) -> None:
    effects = preparing.send(StartTurn(turn=1, text="hi", mentions=("a",)))
    assert effects == (PrepareContext(1, "all", None, "m", ("a",)),)

    effects = preparing.send(ContextPrepared(turn=1, environment=ENVIRONMENT))

    assert list_types(effects)[:2] == [WriteRecord, PublishEvent]
    assert SendModelRequest(1) in effects
    assert find_started(preparing) == TurnStarted(turn=1, prompt="hi", environment=BLOCK)


def test_later_prompts_describe_what_has_changed(preparing: TurnDriver) -> None:
    preparing.send(StartTurn(turn=1, text="hi"))
    preparing.send(ContextPrepared(turn=1, environment=ENVIRONMENT))
    preparing.reply()

    effects = preparing.send(StartTurn(turn=2, text="more"))

    assert effects == (PrepareContext(2, "changes", KNOWN, "m", ()),)
    preparing.send(ContextPrepared(turn=2, environment=Environment(text="", known=KNOWN)))
    assert preparing.records[-1] == TurnStarted(turn=2, prompt="more")


def test_the_environment_is_described_again_after_a_compaction(preparing: TurnDriver) -> None:
    preparing.send(StartTurn(turn=1, text="hi"))
    preparing.send(ContextPrepared(turn=1, environment=ENVIRONMENT))
    compacted = Compacted(
        number=1,
        trigger="user",
        method="local",
        message_count=1,
        ledger="",
        tokens_before=2,
        tokens_after=1,
    )
    ready = replace(preparing.state.compaction, ready=compacted)
    preparing.state = replace(preparing.state, compaction=ready)
    preparing.reply()
    preparing.send(StartTurn(turn=2, text="more"))
    assert preparing.get_effects(PrepareContext)[-1].scope == "all"


def test_a_subagents_later_prompts_are_sent_at_once() -> None:
    context = ContextState("host", is_read=True, known=KNOWN)
    driver = TurnDriver(replace(make_state(), context=context))
    driver.send(StartTurn(turn=1, text="more"))
    assert find_started(driver) == TurnStarted(turn=1, prompt="more")


def test_only_allowed_files_are_attached_in_order(preparing: TurnDriver) -> None:
    missing = Attachment(mention="missing.py", problem="no such file", text="no")
    preparing.send(StartTurn(turn=1, text="hi", mentions=("a", "b", "c", "d")))
    preparing.send(
        ContextPrepared(
            turn=1,
            environment=ENVIRONMENT,
            listing=plan("", "ls"),
            attachments=(plan("a"), missing, plan("b"), plan("c"), plan("d")),
        )
    )
    decide(preparing, "d", "allow")
    decide(preparing, "", "allow")
    decide(preparing, "b", "deny")
    decide(preparing, "c", "ask")
    assert not preparing.get_effects(ReadAttachments)
    decide(preparing, "a", "allow")

    (reading,) = preparing.get_effects(ReadAttachments)
    assert [planned.mention for planned in reading.planned] == ["", "a", "d"]
    listing = Attachment(mention="", text="src/")
    results = (listing, make_attachment("a"), make_attachment("d"))
    preparing.send(AttachmentsRead(turn=1, attachments=results))

    started = find_started(preparing)
    assert started.environment.endswith(
        "\nTop-level listing of the working directory:\nsrc/\n</env>"
    )
    names = [(item.mention, bool(item.problem)) for item in started.attachments]
    assert names == [("a", False), ("missing.py", True), ("b", True), ("c", True), ("d", False)]
    denied, needs_approval = started.attachments[2:4]
    assert "may not be read" in denied.problem
    assert "needs approval" in needs_approval.problem
    assert "Use read to ask for it." in needs_approval.text


def test_a_denied_listing_is_left_out_of_the_environment(preparing: TurnDriver) -> None:
    preparing.send(StartTurn(turn=1, text="hi"))
    preparing.send(ContextPrepared(turn=1, environment=ENVIRONMENT, listing=plan("", "ls")))
    decide(preparing, "", "deny")
    assert not preparing.get_effects(ReadAttachments)
    assert "working directory:\n(it may not be read" in find_started(preparing).environment


def test_an_interrupted_preparation_records_the_prompt(preparing: TurnDriver) -> None:
    preparing.send(StartTurn(turn=1, text="hi", mentions=("a",)))
    preparing.send(CancelTurn(turn=1))

    assert preparing.records == [TurnStarted(turn=1, prompt="hi"), TurnInterrupted(turn=1)]
    assert preparing.send(ContextPrepared(turn=1, environment=ENVIRONMENT)) == ()
    effects = preparing.send(StartTurn(turn=2, text="again"))
    assert effects == (PrepareContext(2, "all", None, "m", ()),), "the model knows nothing yet"
    assert preparing.send(ContextPrepared(turn=1, environment=ENVIRONMENT)) == ()


def test_unanswered_evaluations_of_attachments_are_awaited(preparing: TurnDriver) -> None:
    preparing.send(StartTurn(turn=1, text="hi", mentions=("a", "b")))
    preparing.send(ContextPrepared(turn=1, attachments=(plan("a"), plan("b"))))
    ids = {effect.id for effect in preparing.get_effects(EvaluateAttachment)}
    assert preparing.state.awaited_ids == ids
    decide(preparing, "a", "allow")
    assert len(preparing.state.awaited_ids) == 1

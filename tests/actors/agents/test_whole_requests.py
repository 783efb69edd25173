"""Requests as whole values: what a request repeats of the one before, byte for byte.

The server reads a request from its cache up to the first block that differs, and it accepts
thinking only if everything before it is the same.
"""

from itertools import pairwise
from typing import Any

import pytest
from pydantic_core import to_json

from actors.agents.turn.agent_switch import SWITCH_TO_BUILD_TEXT, SWITCH_TO_PLAN_TEXT
from actors.agents.turn.conversation_history import INTERRUPTED_NOTE
from messages.journal import RequestPrefix
from messages.turns import AgentSwitched
from tests.actors.agents.changing_session import CALLS, MODELS, ChangingSession
from tests.signing_server import Json, list_thinking


def make_text(text: str) -> Json:
    return {"type": "text", "text": text}


def get_conversation(body: Json) -> tuple[bytes, list[bytes]]:
    """Return the bytes of tools and system prompt, and of each block of the messages."""
    blocks = [
        to_json([message["role"], block])
        for message in body["messages"]
        for block in message["content"]
    ]
    return to_json([body["model"], body["tools"], body["system"]]), blocks


def get_settings(body: Json) -> Json:
    """Return everything but the messages."""
    return {name: value for name, value in body.items() if name != "messages"}


def assert_extends(later: Json, earlier: Json) -> None:
    """Check that a request begins with the whole of an earlier one and differs in nothing else."""
    prefix, blocks = get_conversation(earlier)
    later_prefix, later_blocks = get_conversation(later)
    assert (later_prefix, later_blocks[: len(blocks)]) == (prefix, blocks)
    assert len(later_blocks) > len(blocks)
    assert get_settings(later) == get_settings(earlier)


def assert_each_extends_the_one_before(bodies: list[Json]) -> None:
    for earlier, later in pairwise(bodies):
        assert_extends(later, earlier)


def is_from_primary(body: Json) -> bool:
    return any(tool["name"] == "plan_exit" for tool in body["tools"])


def split_by_agent(session: ChangingSession) -> tuple[list[Json], list[Json]]:
    """Return the accepted requests of the primary agent, and those of its subagents."""
    bodies = session.server.accepted
    primary = [body for body in bodies if is_from_primary(body)]
    return primary, [body for body in bodies if not is_from_primary(body)]


def find_switch_texts(session: ChangingSession) -> list[str]:
    return [record.text for record in session.records() if isinstance(record, AgentSwitched)]


def test_the_first_request_is_exactly_what_was_recorded(session: ChangingSession) -> None:
    session.send_prompt()
    (body,) = session.server.accepted
    (prefix,) = [record for record in session.records() if isinstance(record, RequestPrefix)]
    marker = {"type": "ephemeral", "ttl": "1h"}
    assert body == {
        "model": MODELS[0],
        "max_tokens": 64_000,
        "stream": True,
        "thinking": {"type": "adaptive", "display": "summarized"},
        "cache_control": {"type": "ephemeral"},
        "system": [{"type": "text", "text": prefix.system, "cache_control": marker}],
        "tools": list(prefix.tools),
        "messages": [{"role": "user", "content": [make_text("talk")]}],
    }


def test_a_request_after_tools_adds_reply_and_results(session: ChangingSession) -> None:
    session.call_tool()
    first, second = session.server.accepted
    reply: list[Any] = second["messages"][1]["content"]
    thinking, text, call = reply
    assert second == {
        **first,
        "messages": [
            *first["messages"],
            {"role": "assistant", "content": reply},
            {
                "role": "user",
                "content": [
                    {
                        "type": "tool_result",
                        "tool_use_id": call["id"],
                        "content": second["messages"][2]["content"][0]["content"],
                        "is_error": False,
                    }
                ],
            },
        ],
    }
    assert (thinking["thinking"], text["text"]) == ("on look", "Let me see.")
    assert (call["name"], call["input"]) == (CALLS["look"].name, CALLS["look"].input)
    assert_extends(second, first)


def test_planning_and_back_only_adds_messages(session: ChangingSession) -> None:
    for step in (session.call_tool, session.switch_plan_mode, session.call_tool):
        step()
    session.switch_plan_mode()
    session.switch_plan_mode_in_loop()
    session.send_prompt()
    bodies = session.server.accepted
    assert_each_extends_the_one_before(bodies)
    assert session.server.mismatches == []
    to_plan, to_build, again = find_switch_texts(session)
    file = to_plan.partition("The plan file, ")[2].partition(", which")[0]
    assert to_plan == again
    assert to_plan == SWITCH_TO_PLAN_TEXT.format(
        agent="plan", file=file, status="does not exist yet"
    )
    missing = f"No plan was written: {file} does not exist."
    assert to_build == SWITCH_TO_BUILD_TEXT.format(agent="build", plan=missing)
    assert bodies[2]["messages"][-1] == {
        "role": "user",
        "content": [make_text(to_plan), make_text("look")],
    }
    results = bodies[-2]["messages"][-1]["content"]
    assert [block["type"] for block in results] == ["tool_result", "text"], "during a turn"
    assert results[1] == make_text(again)
    assert len(list_thinking(bodies[-1]["messages"])) == len(bodies) - 1, "all of it is kept"


@pytest.mark.parametrize("options", [{"agent": "plan"}, {"mode": "plan"}], ids=str)
def test_a_session_that_starts_with_planning_shares_the_prefix(
    session: ChangingSession, options: dict[str, str]
) -> None:
    session.options |= options
    session.send_prompt()
    session.switch_plan_mode()
    session.send_prompt()
    first, second = session.server.accepted
    assert_extends(second, first)
    to_plan, to_build = find_switch_texts(session)
    assert first["messages"] == [
        {"role": "user", "content": [make_text(to_plan), make_text("talk")]}
    ]
    assert second["messages"][-1]["content"] == [make_text(to_build), make_text("talk")]


def test_a_subagent_has_a_prefix_of_its_own(session: ChangingSession) -> None:
    session.delegate()
    session.delegate()
    primary, children = split_by_agent(session)
    assert_each_extends_the_one_before(primary)
    first, second, third, fourth = children
    assert_extends(second, first)
    assert_extends(fourth, third)
    assert get_settings(third) == get_settings(first), "both are read from the same cache"
    assert get_conversation(third)[1][0] == to_json(["user", make_text("look")])
    offered = {tool["name"] for tool in primary[0]["tools"]}
    assert {tool["name"] for tool in first["tools"]} < offered
    assert session.server.mismatches == []


def test_a_resumed_session_continues_the_same_request(session: ChangingSession) -> None:
    session.call_tool()
    session.resume()
    session.send_prompt()
    session.stop_in_loop()
    session.resume()
    session.send_prompt()
    assert_each_extends_the_one_before(session.server.accepted[:-3])
    *_, stalled, repeated, last = session.server.accepted
    assert repeated == stalled, "the interrupted request is sent again as it was"
    assert_extends(last, repeated)
    assert session.server.mismatches == []
    assert INTERRUPTED_NOTE not in str(last)


def test_a_long_session_is_one_growing_request(session: ChangingSession) -> None:
    steps = (
        session.call_tool,
        session.switch_plan_mode,
        session.send_prompt,
        session.delegate,
        session.switch_plan_mode,
        session.call_tool,
        session.resume,
        session.switch_plan_mode_in_loop,
        session.switch_plan_mode,
    )
    for step in steps * 3:
        step()
    session.send_prompt()
    primary, children = split_by_agent(session)
    assert_each_extends_the_one_before(primary)
    assert len({to_json(get_settings(body)) for body in children}) == 1
    assert session.server.mismatches == []
    assert len(list_thinking(primary[-1]["messages"])) == len(primary) - 1


def test_a_compacted_session_keeps_prompt_and_tools(session: ChangingSession) -> None:
    session.call_tool()
    session.switch_plan_mode()
    session.send_prompt()
    session.send_prompt()
    count = len(session.server.accepted)
    session.compact()
    for step in (session.send_prompt, session.call_tool, session.resume, session.send_prompt):
        step()
    before, summary, *after = session.server.accepted[count - 1 :]
    assert_extends(summary, before)
    assert_each_extends_the_one_before(after)
    assert get_settings(after[0]) == get_settings(before)
    assert len(list_thinking(after[-1]["messages"])) == len(after) - 1, "only later thinking fits"
    (to_plan,) = find_switch_texts(session)
    replacement = "".join(block["text"] for block in after[0]["messages"][0]["content"])
    assert to_plan in replacement, "plan mode goes on"
    assert session.server.mismatches == []

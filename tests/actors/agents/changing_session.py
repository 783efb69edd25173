"""A session with the real SDK and a server that accepts only thinking that fits.

The server accepts thinking only after the same model, system prompt, tools and messages, and like
a gateway it does not offer to drop thinking that does not fit.
"""

import threading
from pathlib import Path
from typing import Any

from actors.agents.compaction.summary_request import INSTRUCTION
from actors.agents.definition.system_prompts import Instructions
from actors.agents.turn.compaction_state import CompactionSettings
from actors.models.anthropic_client import AnthropicClient
from actors.models.scripted_reply import ReplyPlan, ScriptedCall
from actors.paths.workspace import Workspace
from messages.address import PRIMARY
from messages.compaction import Compacted, CompactionFailed, StartCompaction
from messages.journal import Record
from messages.turns import AgentSwitched, ModelChanged, SetModel, SwitchAgent, TurnStarted
from tests.actors.agents.scripted_agents import RunningSession, play, wait_for_completion
from tests.probe import PROBE_TIMEOUT_S
from tests.scripted_server import ScriptedResponse, truncate_response
from tests.signing_server import Json, SigningServer, list_thinking, respond_signed

MODELS = ("claude-sonnet-5-5", "claude-opus-5-5")
TASK = {"description": "look", "prompt": "look", "subagent_type": "general"}
CALLS = {"look": ScriptedCall("ls", {"path": "."}), "delegate": ScriptedCall("task", TASK)}
"""The call that answers each prompt; other prompts are answered with text."""


def get_open_prompt(body: Json) -> str:
    """Return the prompt that the request is to answer; empty: it continues a tool loop."""
    blocks = body["messages"][-1]["content"]
    texts = [block["text"] for block in blocks if block["type"] == "text"]
    return "" if not texts or texts[-1].startswith("[") else texts[-1]


def asks_for_summary(body: Json) -> bool:
    """Return whether the request is for the summary of a compaction."""
    last = body["messages"][-1]["content"][-1]
    return bool(last.get("text", "").startswith(INSTRUCTION.partition("\n")[0]))


class ChangingSession:
    """A session that is stopped, changed and resumed; its model thinks before each reply."""

    def __init__(self, folder: Path) -> None:
        """Use a folder for the session; it starts with the first step."""
        self.server = SigningServer(choose=self._choose, compacts=True)
        self.loops_without_thinking: list[Json] = []
        """Requests that continue a tool loop without the thinking that led to the calls."""
        self.calls_after_results: list[ScriptedCall] = []
        """Calls that the model makes after the results of others."""
        self._folder = folder
        (folder / "work").mkdir()
        self.options: dict[str, Any] = {"model_name": MODELS[0]}
        """The options of the session's next start."""
        self._running: RunningSession | None = None
        self._models = list(MODELS)
        self._changes = 0
        self._is_turn_open = False
        self._must_stall = False
        self._is_stalled = threading.Event()
        self._switches_in_loop = False
        self._has_switched = threading.Event()

    def _choose(self, body: Json) -> ReplyPlan | ScriptedResponse:
        """Answer a prompt; the answer to results can be delayed."""
        if asks_for_summary(body):
            return ReplyPlan("A summary.", thinking="on what matters")
        prompt = get_open_prompt(body)
        if not prompt and not list_thinking(body["messages"][-2:]):
            self.loops_without_thinking.append(body)
        if prompt in CALLS:
            return ReplyPlan("Let me see.", (CALLS[prompt],), thinking=f"on {prompt}")
        if self.calls_after_results and not prompt and not self._must_stall:
            return ReplyPlan("", (self.calls_after_results.pop(),), thinking="again")
        if self._switches_in_loop and not prompt:
            self._switches_in_loop = False
            self._is_stalled.set()
            assert self._has_switched.wait(PROBE_TIMEOUT_S)
            return ReplyPlan("And again.", (CALLS["look"],), thinking="after a look")
        reply = ReplyPlan("Done.", thinking=f"on {prompt or 'the results'}")
        if not self._must_stall:
            return reply
        self._must_stall = False
        self._is_stalled.set()
        return truncate_response(respond_signed(reply, body), 40, "silence")

    # Steps

    def send_prompt(self) -> None:
        self._run_turn("talk")

    def call_tool(self) -> None:
        self._run_turn("look")

    def delegate(self) -> None:
        self._run_turn("delegate")

    def switch_plan_mode(self) -> None:
        """Switch to plan and back: both have the same prompt and tools."""
        self._switch("plan")

    def switch_agent(self) -> None:
        """Switch to an agent with another prompt and other tools, and back."""
        self._switch("explore")

    def switch_plan_mode_in_loop(self) -> None:
        self._switch_in_loop("plan")

    def switch_agent_in_loop(self) -> None:
        self._switch_in_loop("explore")

    def _switch_in_loop(self, agent: str) -> None:
        """Switch the agent while the model replies to results, and it calls another tool."""
        assert self.running, "an unfinished turn ends first"
        self._switches_in_loop = True
        self._is_stalled.clear()
        self._has_switched.clear()
        self._start_turn("look")
        assert self._is_stalled.wait(PROBE_TIMEOUT_S)
        self._switch(agent)
        self._has_switched.set()
        wait_for_completion(self.running)

    def compact(self) -> Compacted | CompactionFailed:
        """Compact the conversation; fails if there is too little of it."""
        self.running.user.tell(PRIMARY, StartCompaction())
        while True:
            outcome = self.running.user.next()
            if isinstance(outcome, Compacted | CompactionFailed):
                return outcome

    def change_model(self) -> None:
        self._models.reverse()
        self.running.user.tell(PRIMARY, SetModel(model=self._models[0]))
        self.running.user.wait_for(ModelChanged)

    def change_remote(self) -> None:
        """Let the provider compact the conversation from now on, or no longer."""
        is_remote = self.options.get("compaction", CompactionSettings()).remote
        self._resume_with(compaction=CompactionSettings(remote=not is_remote))

    def stop_in_loop(self) -> None:
        assert self.running, "an unfinished turn ends first"
        self._must_stall = True
        self._is_stalled.clear()
        self._start_turn("look")
        assert self._is_stalled.wait(PROBE_TIMEOUT_S)
        self._is_turn_open = True
        self.stop()

    def resume(self) -> None:
        self.stop()
        assert self.running

    def edit_instructions(self) -> None:
        self._changes += 1
        text = f"Version {self._changes}."
        file = Instructions(path="AGENTS.md", text=text, file_bytes=len(text))
        self._resume_with(instructions=(file,))

    def undo_edit(self) -> None:
        self._resume_with(instructions=())

    def add_folder(self) -> None:
        root = self._folder / "work"
        has_folder = "workspace" in self.options and self.options["workspace"].added_folders
        self._resume_with(workspace=Workspace(root, root, () if has_folder else (Path("/usr"),)))

    def change_limits(self) -> None:
        self._resume_with(max_depth=0 if self.options.get("max_depth", 3) else 3)

    def fork(self) -> None:
        self.stop()
        self._is_turn_open = False  # a fork leaves out the unfinished turn
        self._start(fork=True)

    def fork_around_damage(self) -> None:
        """Fork a session whose second turn has a damaged record."""
        self.stop()
        lines = self.path.read_bytes().splitlines(keepends=True)
        starts = [number for number, line in enumerate(lines) if b'"turn_started"' in line]
        lines[starts[1]] = lines[starts[1]].replace(b'"by"', b'"By"')
        self.path.write_bytes(b"".join(lines))
        self.fork()

    # Running

    @property
    def running(self) -> RunningSession:
        """The running session; it is started, and its unfinished turn ends first."""
        if self._running is None:
            self._start()
        assert self._running is not None
        return self._running

    @property
    def path(self) -> Path:
        """The newest session file."""
        files = (self._folder / "state").glob("*.jsonl")
        return max(files, key=lambda path: path.stat().st_mtime_ns)

    def stop(self) -> None:
        if self._running is not None:
            assert self._running.system.stop()
        self._running = None

    def records(self) -> tuple[Record, ...]:
        return self.running.records()

    def _resume_with(self, **options: Any) -> None:  # noqa: ANN401  (any of the session's)
        self.options |= options
        self.resume()

    def _start(self, **options: Any) -> None:  # noqa: ANN401  (any of the session's)
        model = AnthropicClient(self.server.base_url, "key")
        options = {**self.options, **options}
        has_session = (self._folder / "state").exists()
        resume_path = self.path if has_session else None
        self._running = play(self._folder, {}, model=model, resume_path=resume_path, **options)
        if self._is_turn_open:
            self._is_turn_open = False
            wait_for_completion(self._running)

    def _run_turn(self, prompt: str) -> None:
        self._start_turn(prompt)
        wait_for_completion(self.running)

    def _start_turn(self, prompt: str) -> None:
        records = self.records()
        turns = [record.turn for record in records if isinstance(record, TurnStarted)]
        self.running.prompt(prompt, max(turns, default=0) + 1)

    def _switch(self, other: str) -> None:
        """Switch from build to another agent, or from any other to build."""
        records = self.records()
        switches = [record.agent for record in records if isinstance(record, AgentSwitched)]
        agent = "build" if switches and switches[-1] != "build" else other
        self.running.user.tell(PRIMARY, SwitchAgent(agent=agent))
        self.running.user.wait_for(AgentSwitched)

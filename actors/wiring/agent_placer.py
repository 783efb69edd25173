"""Creates agents that run in host processes; the code for them is loaded with the first one."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING

from actors.agents.subagent_factory import DefaultSubagentFactory
from actors.models.model_client import ModelClient
from actors.models.request_gate import RequestGates
from actors.runtime.actor import ActorFactory
from actors.sandbox.sandbox import Sandbox
from messages.address import Address
from messages.policy import PermissionProfile
from messages.subagents import AssignTask, SubagentStarted

if TYPE_CHECKING:
    from actors.placement.placed_agent import HostingPorts
    from actors.placement.wire import HostSession


@dataclass
class AgentPlacer:
    """Creates the placed agents of one session; all their hosts come from one fork server."""

    factory: DefaultSubagentFactory
    model: ModelClient
    gates: RequestGates
    sandbox: Sandbox | None
    is_trusted: bool
    notify: Callable[[str], None]
    """Shows the user a line."""

    def __call__(
        self,
        started: SubagentStarted,
        task: AssignTask,
        ancestors: tuple[PermissionProfile, ...],
        *,
        has_records: bool,
    ) -> ActorFactory:
        """Return the factory of an agent in a process of its own; see `PlaceAgent`."""
        from actors.placement.host_policy import HostPolicy  # noqa: PLC0415
        from actors.placement.placed_agent import PlacedAgent  # noqa: PLC0415
        from actors.placement.wire import HostSpec  # noqa: PLC0415

        spec = HostSpec(self._session, started, task, ancestors, has_records)
        policy = HostPolicy(started.child, self.factory.get_profile)
        return partial(PlacedAgent, spec, policy, self._ports)

    @cached_property
    def _ports(self) -> "HostingPorts":
        from actors.placement.fork_client import ForkClient  # noqa: PLC0415
        from actors.placement.placed_agent import HostingPorts  # noqa: PLC0415

        return HostingPorts(ForkClient(), self.model, self.gates, self._on_silent)

    def _on_silent(self, agent: Address) -> None:
        self.notify(f"{agent} has stopped responding; it is ended if that does not change.")

    @cached_property
    def _session(self) -> "HostSession":
        from actors.placement.wire import HostSandbox, HostSession  # noqa: PLC0415

        factory, sandbox = self.factory, self.sandbox
        context = factory.tool_context
        return HostSession(
            definitions=factory.definitions,
            kind_definitions=factory.kind_definitions,
            instructions=factory.instructions,
            limits=factory.limits,
            workspace=context.workspace,
            output_folder=context.output_folder,
            plan_file=context.plan_file,
            ripgrep_path=context.ripgrep_path,
            session_configured=factory.session_configured,
            compaction=factory.compaction,
            max_depth=factory.max_depth,
            run=factory.run,
            has_environment=factory.environment is not None,
            is_trusted=self.is_trusted,
            snapshot_folder=None
            if factory.snapshots is None
            else factory.snapshots.repository.folder,
            sandbox=None
            if sandbox is None
            else HostSandbox(
                sandbox.workspace, sandbox.settings, sandbox.state_folder, sandbox.protected
            ),
        )

"""From options and environment to what a session needs; reads, but starts nothing."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from actors.agents.definition.definition import BUILD_AGENT
from actors.agents.turn.limits import Limits
from actors.models.anthropic_client import AnthropicClient
from actors.models.model_client import ModelClient
from actors.models.model_names import resolve_model
from actors.models.scripted_model import SCRIPTED_MODEL_NAME, ScriptedModel
from actors.permissions.project_grants import ProjectGrantStore
from actors.redaction.redaction import read_secrets
from actors.sessions.state_paths import (
    config_folder,
    find_newest_session,
    list_own_files,
    project_folder,
)
from actors.tools.local_command_runner import LocalCommandRunner
from actors.tools.tool_list import DECLARED_TOOLS
from actors.wiring.session_setup import SessionOptions
from shell.cli.arguments import LaunchOptions, StartError
from shell.cli.session_lookup import find_session
from shell.config.agent_discovery import DiscoveredAgents, discover_agents
from shell.config.config_discovery import ConfigLocations
from shell.config.effective_config import EffectiveConfig, load_effective_config
from shell.config.instruction_files import FILE_NAME, read_instructions
from shell.config.project_trust import AskUser, TrustCheck, check_trust
from shell.config.schema import BudgetConfig
from shell.config.workspace_discovery import find_git_folders, find_workspace, resolve_added_folders
from shell.process.state_folder import open_state_folder
from shell.startup.version import VERSION

CREDENTIAL_VARIABLES = ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL")
NO_EARLIER_SESSION = "there is no earlier session of this workspace; a new one begins"


@dataclass(frozen=True, slots=True)
class LaunchConfig:
    """What to open, and the model to open it with."""

    session_options: SessionOptions
    make_model: Callable[[], ModelClient]
    """Makes one for each session in turn: its connections live on that session's loop."""
    load_config: Callable[[], EffectiveConfig]
    """Reads the configuration files, now and whenever the person wants it."""
    agents: DiscoveredAgents
    """Every definition of an agent, and its file."""
    notices: tuple[str, ...] = ()
    """What the person should know before it begins."""
    processes: LocalCommandRunner = field(default_factory=LocalCommandRunner)
    """The one that runs all commands, so that their end by force misses none."""


def build_launch_config(
    options: LaunchOptions,
    environment: Mapping[str, str],
    start_folder: Path,
    ask_user: AskUser | None = None,
) -> LaunchConfig:
    """Choose workspace, configuration and model for a session that begins in `start`.

    `ask` puts the question whether the folder is trusted; without, nobody is asked.

    Raises:
        StartError: a folder or a configuration cannot be used.
    """
    state = open_state_folder(environment)
    workspace = find_workspace(
        start_folder, resolve_added_folders(options.added_folders, start_folder)
    )
    ours = list_own_files(environment)
    stands = check_trust(
        workspace, TrustCheck(state / "trust.json", ours, options.trust_workspace, ask_user)
    )
    user = config_folder(environment)
    sources = ConfigLocations(user / "config.toml", workspace, stands.trusted, ours)
    read = partial(load_effective_config, options, environment, sources)
    configuration = read()
    found = read_instructions(user / FILE_NAME, workspace, trusted=stands.trusted)
    agents = discover_agents(user / "agents", workspace, trusted=stands.trusted)
    real = any(environment.get(name) for name in CREDENTIAL_VARIABLES)
    settings = configuration.settings
    folder = project_folder(state, workspace.root)
    session = SessionOptions(
        project_state_folder=folder,
        workspace=workspace,
        model_name=resolve_model(settings.model or "") if real else SCRIPTED_MODEL_NAME,
        model_is_explicit=options.model is not None,
        mode=settings.permission_mode or "default",
        mode_is_explicit=options.permission_mode is not None,
        rule_sources=configuration.rules,
        is_scripted=not real,
        protected_paths=(*ours, *find_git_folders(workspace.root)),
        version=VERSION,
        instructions=found.files,
        trusted=stands.trusted,
        resume_path=_earlier(options, folder),
        fork=options.fork_id is not None,
        secrets=read_secrets(environment),
        limits=_limits(settings.budget),
        definitions=agents.definitions,
        agent=_primary(settings.agent, agents),
        agent_is_explicit=options.agent is not None,
        max_depth=3 if settings.max_depth is None else settings.max_depth,
        slot_limit=settings.max_concurrent_agents or 10,
        max_spawns=settings.budget.spawns,
    )
    pace = 0.0 if options.headless else 1.0
    make_model = partial(_server, environment) if real else partial(_rehearsal, pace)
    make_model()  # a key that is none is told now
    begins = options.continue_last and session.resume_path is None
    told = (NO_EARLIER_SESSION,) if begins else ()
    granted = ProjectGrantStore(session.grants_file, workspace.root, DECLARED_TOOLS).read()
    damaged = (granted.problem,) if granted.problem else ()
    wrong = (*found.problems, *agents.problems, *damaged)
    notices = (*stands.notices, *configuration.notices, *wrong, *told)
    return LaunchConfig(session, make_model, read, agents, notices)


def _limits(budget: BudgetConfig) -> Limits:
    return Limits(turns=budget.turns, tokens=budget.tokens, seconds=budget.seconds)


def _primary(name: str | None, agents: DiscoveredAgents) -> str:
    """Name the agent that the person talks with.

    Raises:
        StartError: there is none of this name for that.
    """
    fits = [each.name for each in agents.definitions if each.mode in ("primary", "all")]
    if name is None or name in fits:
        return name or BUILD_AGENT.name
    only = any(each.name == name for each in agents.definitions)
    why = "is only for tasks of other agents" if only else "is not defined"
    message = f"agent {name} {why}; there are {', '.join(fits)} (greenroom agents lists all)"
    raise StartError(message)


def _earlier(options: LaunchOptions, folder: Path) -> Path | None:
    if options.continue_last:
        return find_newest_session(folder)
    given = options.resume_id if options.resume_id is not None else options.fork_id
    return None if given is None else find_session(folder, given)


def _server(environment: Mapping[str, str]) -> ModelClient:
    return AnthropicClient(
        base_url=environment.get("ANTHROPIC_BASE_URL"),
        api_key=_secret(environment, "ANTHROPIC_API_KEY"),
        auth_token=_secret(environment, "ANTHROPIC_AUTH_TOKEN"),
    )


def _secret(environment: Mapping[str, str], name: str) -> str:
    secret = environment.get(name, "").strip()
    if not (secret.isascii() and secret.isprintable()):  # below, an error would quote all of it
        message = f"{name} holds characters that no key has"
        raise StartError(message)
    return secret


def _rehearsal(pace: float) -> ModelClient:
    from actors.models.default_script import make_default_reply  # noqa: PLC0415  (only for this model)

    return ScriptedModel(make_default_reply, pace)

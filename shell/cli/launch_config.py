"""Determines what a session needs from options, environment and files; starts nothing."""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path

from actors.agents.definition.definition import BUILD_AGENT, EXPLORE_AGENT, Definition
from actors.agents.kinds.kind_list import KIND_DEFINITIONS
from actors.agents.kinds.review import REVIEW
from actors.agents.turn.compaction_state import CompactionSettings
from actors.agents.turn.limits import WEIGHT_UNIT, Limits, Weights
from actors.models.anthropic_client import AnthropicClient
from actors.models.model_client import ModelClient
from actors.models.model_names import SCRIPTED_MODEL_NAME, resolve_model
from actors.permissions.project_grants import ProjectGrantStore
from actors.redaction.redaction import read_secrets
from actors.sandbox.sandbox import Sandbox
from actors.sessions.session_summaries import find_free_session
from actors.sessions.state_paths import (
    config_folder,
    list_own_files,
    project_folder,
)
from actors.tools.local_command_runner import LocalCommandRunner
from actors.tools.tool_list import TOOL_LIST
from actors.wiring.session_setup import SessionOptions
from shell.cli.session_lookup import find_session
from shell.cli.session_sandbox import make_sandbox
from shell.config.agent_discovery import DiscoveredAgents, discover_agents
from shell.config.config_files import ConfigLocations
from shell.config.effective_config import EffectiveConfig, load_effective_config
from shell.config.instruction_files import FILE_NAME, read_instructions
from shell.config.project_trust import AskUser, TrustCheck, check_trust
from shell.config.schema import CompactConfig, FileConfig, PricesConfig
from shell.config.workspace_discovery import find_git_folders, find_workspace, resolve_added_folders
from shell.process.state_folder import open_state_folder
from shell.startup.errors import StartError
from shell.startup.options import LaunchOptions
from shell.startup.version import VERSION

CREDENTIAL_VARIABLES = ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL")
NO_EARLIER_SESSION = "this workspace has no earlier session; starting a new one"


@dataclass(frozen=True, slots=True)
class LaunchConfig:
    """What a session needs before it opens."""

    session_options: SessionOptions
    make_model: Callable[[], ModelClient]
    """Makes a client for each session, since its connections belong to that session's loop."""
    load_config: Callable[[], EffectiveConfig]
    """Reads the configuration files; called again for `/permissions reload`."""
    agents: DiscoveredAgents
    processes: LocalCommandRunner
    sandbox: Sandbox | None
    """Runs the commands of all sessions."""
    notices: tuple[str, ...] = ()
    """Lines for the user before the session starts."""


def build_launch_config(
    options: LaunchOptions,
    environment: Mapping[str, str],
    start_folder: Path,
    ask_user: AskUser | None = None,
) -> LaunchConfig:
    """Determine workspace, configuration and model for a session that starts in `start_folder`.

    `ask_user` asks whether the folder is trusted; without it, an unknown folder is not trusted.

    Raises:
        StartError: a folder or a configuration cannot be used.
    """
    state = open_state_folder(environment)
    added_folders = resolve_added_folders(options.added_folders, start_folder)
    workspace = find_workspace(start_folder, added_folders)
    own_files = list_own_files(environment)
    trust = check_trust(
        workspace, TrustCheck(state / "trust.json", own_files, options.trust_workspace, ask_user)
    )
    user_folder = config_folder(environment)
    agents = discover_agents(user_folder / "agents", workspace, trusted=trust.trusted)
    locations = ConfigLocations(
        user_folder / "config.toml",
        workspace,
        trust.approved,
        own_files,
        lambda: [definition.name for definition in agents.definitions],
    )
    load_config = partial(load_effective_config, options, environment, locations)
    config = load_config()
    instructions = read_instructions(user_folder / FILE_NAME, workspace, trusted=trust.trusted)
    settings = config.settings
    has_credentials = any(environment.get(name) for name in CREDENTIAL_VARIABLES)
    project_state_folder = project_folder(state, workspace.root)
    session_options = SessionOptions(
        project_state_folder=project_state_folder,
        workspace=workspace,
        model_name=resolve_model(settings.model or "") if has_credentials else SCRIPTED_MODEL_NAME,
        model_is_explicit=options.model is not None,
        model_is_fixed=bool(environment.get("GREENROOM_MODEL")),
        mode=settings.permission_mode or "default",
        mode_is_explicit=options.permission_mode is not None,
        rule_sources=config.rules,
        is_scripted=not has_credentials,
        protected_paths=(*own_files, *find_git_folders(workspace.root)),
        version=VERSION,
        instructions=instructions.files,
        trusted=trust.trusted,
        resume_path=_find_session_to_open(options, project_state_folder),
        fork=options.fork_id is not None,
        secrets=read_secrets(environment),
        agent_is_explicit=options.agent is not None,
    )
    session_options = _set_agents_and_limits(session_options, settings, agents, options)
    file_problems = (*instructions.problems, *instructions.notices, *agents.problems)
    session_notices = _list_session_notices(options, session_options)
    notices = (*trust.notices, *config.notices, *file_problems, *session_notices)
    make_model = _choose_model(options, environment, has_credentials=has_credentials)
    if settings.prices and has_credentials:
        make_model = partial(_make_priced_client, make_model, settings.prices)
    sandbox = make_sandbox(
        workspace,
        project_state_folder,
        session_options.protected_paths,
        settings.sandbox,
        environment,
    )
    projects = (workspace.root, *workspace.added_folders)
    processes = LocalCommandRunner(environment, projects, sandbox)
    return LaunchConfig(
        session_options, make_model, load_config, agents, processes, sandbox, notices
    )


def _set_agents_and_limits(
    session: SessionOptions,
    settings: FileConfig,
    agents: DiscoveredAgents,
    options: LaunchOptions,
) -> SessionOptions:
    return replace(
        session,
        effort=settings.effort,
        background_placement=settings.background_placement or "local",
        compaction=_make_compaction_settings(settings.compact),
        limits=_make_limits(settings),
        definitions=_with_small_model(agents.definitions, settings.models.small),
        kind_definitions=_with_review_model(options.model if options.review else None, settings),
        agent=_choose_primary_agent(settings.agent, agents),
        max_depth=_get_max_depth(settings),
        slot_limit=settings.max_concurrent_agents or 10,
        max_spawns=settings.budget.spawns,
    )


def _make_compaction_settings(config: CompactConfig) -> CompactionSettings:
    default = CompactionSettings()
    return CompactionSettings(
        model=resolve_model(config.model or ""),
        threshold=config.threshold or default.threshold,
        remote=config.remote or default.remote,
    )


def _list_session_notices(options: LaunchOptions, session: SessionOptions) -> list[str]:
    grants = ProjectGrantStore(session.grants_file, session.workspace.root, TOOL_LIST).read()
    notices = [grants.problem] if grants.problem else []
    if options.continue_last and session.resume_path is None:
        notices.append(NO_EARLIER_SESSION)
    return notices


def _with_small_model(
    definitions: tuple[Definition, ...], small_model: str | None
) -> tuple[Definition, ...]:
    """Give the built-in agent `explore` the small model, if one is configured."""
    model = resolve_model(small_model or "")
    return tuple(
        replace(definition, model=model) if definition is EXPLORE_AGENT else definition
        for definition in definitions
    )


def _get_max_depth(settings: FileConfig) -> int:
    """Return the maximum depth; without spawns, the model is not offered any subagents."""
    if settings.budget.spawns == 0:
        return 0
    return 3 if settings.max_depth is None else settings.max_depth


def _with_review_model(model: str | None, settings: FileConfig) -> tuple[Definition, ...]:
    """Give reviews the model that `greenroom review --model` or the configuration names."""
    name = resolve_model(model or settings.review.model or "")
    return tuple(
        replace(definition, model=name) if definition is REVIEW else definition
        for definition in KIND_DEFINITIONS
    )


def _make_limits(settings: FileConfig) -> Limits:
    budget = settings.budget
    weights = {
        kind: round(weight * WEIGHT_UNIT)
        for kind, weight in asdict(settings.weights).items()
        if weight is not None
    }
    return Limits(
        turns=budget.turns,
        tokens=budget.tokens,
        seconds=budget.seconds,
        weights=Weights(**weights),
    )


def _choose_primary_agent(name: str | None, agents: DiscoveredAgents) -> str:
    """Return the name of the agent that the user talks to.

    Raises:
        StartError: there is no such agent, or it can only be a subagent.
    """
    names = [
        definition.name
        for definition in agents.definitions
        if definition.mode in ("primary", "all")
    ]
    if name is None or name in names:
        return name or BUILD_AGENT.name
    is_subagent = any(definition.name == name for definition in agents.definitions)
    reason = f"{name} can only be a subagent" if is_subagent else f"there is no agent {name}"
    message = f"{reason}; choose one of {', '.join(names)} (greenroom agents lists all)"
    raise StartError(message)


def _find_session_to_open(options: LaunchOptions, project_state_folder: Path) -> Path | None:
    if options.continue_last:
        return find_free_session(project_state_folder)
    if options.resume_id == "":
        return None
    id_prefix = options.resume_id if options.resume_id is not None else options.fork_id
    return None if id_prefix is None else find_session(project_state_folder, id_prefix)


def _choose_model(
    options: LaunchOptions, environment: Mapping[str, str], *, has_credentials: bool
) -> Callable[[], ModelClient]:
    if not has_credentials:
        # Without a screen, nobody watches it stream.
        return partial(_make_scripted_model, 0.0 if options.headless else 1.0)
    make_client = partial(_make_client, environment)
    make_client()  # reports an invalid key before the session starts
    return make_client


def _make_client(environment: Mapping[str, str]) -> ModelClient:
    return AnthropicClient(
        base_url=environment.get("ANTHROPIC_BASE_URL"),
        api_key=_read_secret(environment, "ANTHROPIC_API_KEY"),
        auth_token=_read_secret(environment, "ANTHROPIC_AUTH_TOKEN"),
        secrets=read_secrets(environment),
    )


def _make_priced_client(
    make_model: Callable[[], ModelClient], prices: Mapping[str, PricesConfig]
) -> ModelClient:
    from actors.models.priced_client import PricedClient, Prices  # noqa: PLC0415  (only with prices)

    by_model = {resolve_model(model): Prices(**asdict(each)) for model, each in prices.items()}
    return PricedClient(make_model(), by_model)


def _read_secret(environment: Mapping[str, str], name: str) -> str:
    secret = environment.get(name, "").strip()
    if not (secret.isascii() and secret.isprintable()):  # a later error would quote all of it
        message = f"{name} has characters that a key cannot have"
        raise StartError(message)
    return secret


def _make_scripted_model(pace: float) -> ModelClient:
    from actors.models.default_script import make_default_reply  # noqa: PLC0415  (only for this model)
    from actors.models.scripted_model import ScriptedModel  # noqa: PLC0415  (as above)

    return ScriptedModel(make_default_reply, pace)

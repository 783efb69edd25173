"""From options and environment to what a session needs; reads, but starts nothing."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from actors.agents.definitions import BUILD
from actors.agents.limits import Limits
from actors.models.anthropic_client import AnthropicModel
from actors.models.client import ModelClient
from actors.models.names import resolved
from actors.models.rehearsal import MODEL_NAME, RehearsalModel
from actors.permissions.project_grants import ProjectGrants
from actors.secrets import secrets_of
from actors.session import SessionOptions
from actors.sessions.places import (
    config_folder,
    newest_session,
    our_files,
    project_folder,
)
from actors.tools.local_processes import LocalProcesses
from shell.arguments import Options, StartError
from shell.config.agent_files import FoundAgents, find_agents
from shell.config.configuration import Configuration, configured
from shell.config.files import Sources
from shell.config.instructions import NAME, read_instructions
from shell.config.project import Ask, TrustCheck, standing
from shell.config.schema import Budget
from shell.config.workspace import added_folders, git_folders, workspace_of
from shell.open_state import open_state
from shell.session_choice import chosen
from shell.version import VERSION

CREDENTIALS = ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL")
NO_EARLIER = "there is no earlier session of this workspace; a new one begins"


@dataclass(frozen=True, slots=True)
class Setup:
    """What to open, and the model to open it with."""

    options: SessionOptions
    make_model: Callable[[], ModelClient]
    """Makes one for each session in turn: its connections live on that session's loop."""
    read: Callable[[], Configuration]
    """Reads the configuration files, now and whenever the person wants it."""
    agents: FoundAgents
    """Every definition of an agent, and its file."""
    notices: tuple[str, ...] = ()
    """What the person should know before it begins."""
    processes: LocalProcesses = field(default_factory=LocalProcesses)
    """The one that runs all commands, so that their end by force misses none."""


def set_up(
    options: Options, environment: Mapping[str, str], start: Path, ask: Ask | None = None
) -> Setup:
    """Choose workspace, configuration and model for a session that begins in `start`.

    `ask` puts the question whether the folder is trusted; without, nobody is asked.

    Raises:
        StartError: a folder or a configuration cannot be used.
    """
    state = open_state(environment)
    workspace = workspace_of(start, added_folders(options.added, start))
    ours = our_files(environment)
    stands = standing(workspace, TrustCheck(state / "trust.json", ours, options.trust, ask))
    user = config_folder(environment)
    sources = Sources(user / "config.toml", workspace, stands.trusted, ours)
    read = partial(configured, options, environment, sources)
    configuration = read()
    found = read_instructions(user / NAME, workspace, trusted=stands.trusted)
    agents = find_agents(user / "agents", workspace, trusted=stands.trusted)
    real = any(environment.get(name) for name in CREDENTIALS)
    settings = configuration.settings
    folder = project_folder(state, workspace.root)
    session = SessionOptions(
        folder=folder,
        workspace=workspace,
        model_name=resolved(settings.model or "") if real else MODEL_NAME,
        model_chosen=options.model is not None,
        mode=settings.permission_mode or "default",
        mode_chosen=options.permission_mode is not None,
        rules=configuration.rules,
        is_scripted=not real,
        protected=(*ours, *git_folders(workspace.root)),
        version=VERSION,
        instructions=found.files,
        trusted=stands.trusted,
        take_up=_earlier(options, folder),
        fork=options.fork is not None,
        secrets=secrets_of(environment),
        limits=_limits(settings.budget),
        definitions=agents.definitions,
        agent=_primary(settings.agent, agents),
        agent_chosen=options.agent is not None,
        max_depth=3 if settings.max_depth is None else settings.max_depth,
        slot_limit=settings.max_concurrent_agents or 10,
        spawns=settings.budget.spawns,
    )
    pace = 0.0 if options.headless else 1.0
    make_model = partial(_server, environment) if real else partial(_rehearsal, pace)
    make_model()  # a key that is none is told now
    begins = options.resume_last and session.take_up is None
    told = (NO_EARLIER,) if begins else ()
    granted = ProjectGrants(session.grants_file, workspace.root).read()
    damaged = (granted.problem,) if granted.problem else ()
    wrong = (*found.problems, *agents.problems, *damaged)
    notices = (*stands.notices, *configuration.notices, *wrong, *told)
    return Setup(session, make_model, read, agents, notices)


def _limits(budget: Budget) -> Limits:
    return Limits(turns=budget.turns, tokens=budget.tokens, seconds=budget.seconds)


def _primary(name: str | None, agents: FoundAgents) -> str:
    """Name the agent that the person talks with.

    Raises:
        StartError: there is none of this name for that.
    """
    fits = [each.name for each in agents.definitions if each.mode in ("primary", "all")]
    if name is None or name in fits:
        return name or BUILD.name
    only = any(each.name == name for each in agents.definitions)
    why = "is only for tasks of other agents" if only else "is not defined"
    message = f"agent {name} {why}; there are {', '.join(fits)} (greenroom agents lists all)"
    raise StartError(message)


def _earlier(options: Options, folder: Path) -> Path | None:
    if options.resume_last:
        return newest_session(folder)
    given = options.resume if options.resume is not None else options.fork
    return None if given is None else chosen(folder, given)


def _server(environment: Mapping[str, str]) -> ModelClient:
    return AnthropicModel(
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
    from actors.models.rehearsal_script import rehearsal  # noqa: PLC0415  (only for this model)

    return RehearsalModel(rehearsal, pace)

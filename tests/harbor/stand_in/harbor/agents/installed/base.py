"""A stand-in for Harbor's base class, for a dry run without Harbor and containers.

It has the methods of `BaseInstalledAgent` that `harbor_agent.py` uses, with the behavior that
Harbor documents (https://www.harborframework.com/docs/agents).
"""

from pathlib import Path

from tests.harbor.local_environment import LocalEnvironment


class BaseInstalledAgent:
    """Runs commands in an environment; a command that fails raises an error."""

    def __init__(self, logs_dir: Path, model_name: str | None = None) -> None:
        self.logs_dir = logs_dir
        self.model_name = model_name

    def render_instruction(self, instruction: str) -> str:
        return instruction

    async def setup(self, environment: LocalEnvironment) -> None:
        await self.install(environment)

    async def install(self, environment: LocalEnvironment) -> None:
        raise NotImplementedError

    async def exec_as_root(
        self,
        environment: LocalEnvironment,
        command: str,
        env: dict[str, str] | None = None,
    ) -> None:
        await self._exec(environment, command, env)

    async def exec_as_agent(
        self,
        environment: LocalEnvironment,
        command: str,
        env: dict[str, str] | None = None,
    ) -> None:
        await self._exec(environment, command, env)

    async def _exec(
        self, environment: LocalEnvironment, command: str, env: dict[str, str] | None
    ) -> None:
        status, output = await environment.exec(f"set -o pipefail; {command}", env=env)
        if status != 0:
            message = f"Command failed (exit {status}): {command}\n{output}"
            raise RuntimeError(message)

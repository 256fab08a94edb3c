"""What the agent finds when it starts: the environment's files, its rules, its skills."""

from __future__ import annotations

import hashlib

from reeval.config.errors import UsageError
from reeval.config.model import EnvironmentSpec, HarnessSpec
from reeval.harness.base import Context, Harness, Placement
from reeval.plan.digest import contents_bytes
from reeval.plan.skills import read_skills
from reeval.sandbox.base import Command, PathError, Sandbox, SandboxError


async def place(
    environment: EnvironmentSpec, spec: HarnessSpec, harness: Harness, sandbox: Sandbox
) -> Placement:
    """Writes everything into the started sandbox, before the agent's session starts.

    Rules and skills are the context of the record. Raises `UsageError` for what the environment
    says and can't be placed, and what the sandbox raises.
    """
    if environment.plugins:
        raise UsageError(
            f"environment {environment.name!r} has plugins, which are not in this version yet"
        )
    placer = _Placer(sandbox)
    for path, contents in environment.files.items():
        await placer.write(path, contents_bytes(contents))
    if environment.rules is not None:
        await placer.write(
            harness.rules_path(spec), contents_bytes(environment.rules), context=True
        )
    for source in environment.skills:
        folder = harness.skills_path(spec, source.placement)
        for skill in read_skills(source):
            for path, data in skill.files.items():
                await placer.write(f"{folder}/{skill.name}/{path}", data, context=True)
            await placer.make_executable(
                [f"{folder}/{skill.name}/{path}" for path in sorted(skill.executable)]
            )
    return Placement(tuple(placer.context), tuple(placer.written))


class _Placer:
    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox
        self.context: list[Context] = []
        self.written: list[str] = []

    async def write(self, path: str, contents: bytes, *, context: bool = False) -> None:
        try:
            await self._sandbox.write_file(path, contents)
        except PathError as error:
            raise UsageError(f"the environment can't place {path!r}: {error}") from None
        self.written.append(path)
        if context:
            self.context.append(Context(path, hashlib.sha256(contents).hexdigest()))

    async def make_executable(self, paths: list[str]) -> None:
        if not paths:
            return
        home = self._sandbox.home
        named = (home + path[1:] if path.startswith("~/") else f"./{path}" for path in paths)
        done = await self._sandbox.run(Command(("chmod", "+x", *named)))
        if done.exit_code != 0:
            raise SandboxError(f"a skill's scripts can't be made executable: {done.stderr.strip()}")

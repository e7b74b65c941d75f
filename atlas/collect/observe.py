"""What is observed around a run: identities before it, code objects and sensors after it."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from atlas.identity.arch import resolve_arch, run_probe
from atlas.identity.binary import observe_binary
from atlas.identity.code_objects import observe_code_objects
from atlas.identity.environment import observe_environment
from atlas.identity.git import observe_git
from atlas.identity.host import observe_host
from atlas.identity.model import HashCache, observe_model
from atlas.identity.prompt import observe_prompt
from atlas.rows.context import RunContext

if TYPE_CHECKING:
    from collections.abc import Mapping

    from atlas.collect.plan import Plan, RunRequest


@dataclass(frozen=True, slots=True)
class Standing:
    """What stays the same over a collection: the host, the models and the prompt."""

    host: dict[str, Any]
    model: dict[str, Any]
    draft: dict[str, Any]
    prompt: dict[str, Any]


def observe_standing(plan: Plan) -> Standing:
    """Observe the host, the models (hashed when asked) and the prompt that will be sent."""
    cache = HashCache.of_user()
    draft = observe_model(plan.draft, plan.hash_models, cache).as_json() if plan.draft else {}
    prompt = {}
    if plan.prompt is not None:
        prompt = observe_prompt(plan.prompt, plan.prompt_file).as_json()
    model = observe_model(plan.model, plan.hash_models, cache).as_json()
    return Standing(observe_host().as_json(), model, draft, prompt)


def observe_before(
    plan: Plan, request: RunRequest, standing: Standing, inherited: Mapping[str, str]
) -> RunContext:
    """The context of a run that is about to start in the working directory."""
    cwd = Path.cwd()
    labels = plan.labels
    git = observe_git(cwd).as_json()
    if labels.git_sha and labels.git_sha != git.get("sha"):
        git["sha"] = labels.git_sha
        git.pop("committed_us", None)  # it is the time of HEAD
    return RunContext(
        hostname=labels.hostname or standing.host.get("hostname", "unknown"),
        workload=labels.workload,
        workload_kind=plan.kind,
        model_size=labels.model_size,
        quant=labels.quant,
        command=list(request.stored),
        request=request.asked,
        run_index=request.run_index,
        env=dict(observe_environment(inherited, request.env).variables),
        arch_option=labels.arch,
        git=git,
        binary=observe_binary(request.argv, cwd, inherited).as_json(),
        model=standing.model,
        draft=standing.draft,
        prompt=standing.prompt,
        host=standing.host,
    )


def observe_after(
    context: RunContext, printed: list[str], environ: Mapping[str, str]
) -> RunContext:
    """Complete a context after the run: its time, its architecture and the code objects it used.

    The folder of code objects is looked at only now, because the run itself compiles into it.
    """
    import dataclasses

    arch = resolve_arch(printed, context.arch_option, environ, run_probe)
    objects = observe_code_objects(environ, Path.cwd(), arch.arch).as_json()
    found = {} if printed else {"arch": arch.arch, "source": arch.source}
    return dataclasses.replace(
        context,
        captured_at_utc=dt.datetime.now(dt.UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ"),
        arch_found={name: value for name, value in found.items() if value},
        code_objects=objects,
    )

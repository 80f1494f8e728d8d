"""Under which conditions a run was made, read from lm-eval's results file; keys and secrets are never among them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pak3h_tasks.data.sample_log import Run

# model arguments that make another model of the same name; --model_args may hold secrets, so only these are looked at
_IDENTITY = (
    *("revision", "peft", "delta", "subfolder", "gguf_file", "quantization", "load_in_4bit", "load_in_8bit"),
    *("enable_thinking", "reasoning_effort"),
)
_MAX_CHARS = 80


def identity_arguments(run: Run) -> dict[str, str]:
    """Model arguments that tell apart two models of one name, such as ``revision``.

    Example:
        >>> from pathlib import Path
        >>> results = {"config": {"model_args": "pretrained=m,revision=abc,api_key=secret"}}
        >>> identity_arguments(Run(Path("."), None, "", "", "m", results, {}))
        {'revision': 'abc'}
    """
    given = mapping(run.results.get("config")).get("model_args")
    if isinstance(given, str):
        parts = (part.partition("=") for part in given.split(","))
        given = {name.strip(): value.strip() for name, _, value in parts}
    found = mapping(given)
    return {
        name: str(found[name])[:_MAX_CHARS]
        for name in _IDENTITY
        if found.get(name) not in (None, "", "main", False, "False") and str(found[name]) != run.model
    }


def conditions(run: Run, task: str) -> dict[str, str]:
    """What a task's numbers depend on beside model, data and judge.

    Args:
        run: The run.
        task: Name of the task.

    Returns:
        ``task version``, ``few-shot examples``, ``chat template``, ``system prompt``, ``multi-turn``, ``lm-eval``,
        ``temperature`` and (of another model) ``reference answers``, as far as the results file tells them.
    """
    results = run.results
    config = mapping(results.get("configs")).get(task)
    generation = mapping(mapping(config).get("generation_kwargs"))
    found = {
        "task version": mapping(results.get("versions")).get(task),
        "few-shot examples": mapping(results.get("n-shot")).get(task),
        "chat template": _short(results.get("chat_template_sha")),
        "system prompt": _short(results.get("system_instruction_sha")),
        "multi-turn": results.get("fewshot_as_multiturn") or None,
        "lm-eval": results.get("lm_eval_version"),
        "temperature": generation.get("temperature"),
        "reference answers": opponent(mapping(config)) or None,
    }
    return {name: str(value)[:_MAX_CHARS] for name, value in found.items() if value is not None}


def total_items(run: Run, task: str) -> int | None:
    """Items a task has without ``--limit``; None where the results file does not say."""
    total = mapping(mapping(run.results.get("n-samples")).get(task)).get("original")
    return total if isinstance(total, int) else None


def package_version(config: Mapping[str, Any]) -> str:
    """Version of this package that made a task's documents; "" where its config does not say.

    Example:
        >>> package_version({"dataset_kwargs": {"pak3h": {"package": "pak3h-tasks 0.1.0"}}})
        '0.1.0'
    """
    said = mapping(mapping(config.get("dataset_kwargs")).get("pak3h")).get("package")
    return said.rpartition(" ")[2] if isinstance(said, str) else ""


def opponent(config: Mapping[str, Any]) -> str:
    """Whose answers stood in the place of the data's own outputs (`pak3h score --reference`); "": nobody's.

    Example:
        >>> opponent({"dataset_kwargs": {"pak3h": {"reference": "gpt-4o@1a2b3c4d"}}})
        'gpt-4o@1a2b3c4d'
    """
    said = mapping(mapping(config.get("dataset_kwargs")).get("pak3h")).get("reference")
    return said[:_MAX_CHARS] if isinstance(said, str) else ""


def _short(sha: object) -> str | None:
    return sha[:8] if isinstance(sha, str) and sha else None


def mapping(value: object) -> Mapping[str, Any]:
    """The value where it is a mapping, else an empty one: results files are untrusted."""
    return value if isinstance(value, Mapping) else {}

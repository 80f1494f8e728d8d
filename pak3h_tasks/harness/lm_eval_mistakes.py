"""Mistakes in an lm_eval command, each said in one line with its remedy, before a model is loaded."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pak3h_tasks.data.primer import primer
from pak3h_tasks.errors import SettingsError
from pak3h_tasks.harness.names import KINDS
from pak3h_tasks.text.escape import quoted

_SERVERS_TAKE_MESSAGES = ("local-chat", "openai-chat", "litellm")  # lm-eval's models that have no other way to ask
_LOCAL_WEIGHTS = ("hf", "hf-auto", "huggingface", "vllm", "sglang")


def check(command: Any, tasks: Mapping[str, Mapping[str, Any]]) -> None:
    """What would fail only after the model is loaded, or after everything is answered.

    Args:
        command: lm-eval's ``EvaluatorConfig``.
        tasks: Name -> configuration of each of our tasks that it asks for (`task_lists.leaves`).

    Raises:
        SettingsError: One line for each mistake.
    """
    found = [line for line in _mistakes(command, tasks) if line]
    if found:
        raise SettingsError("\n".join(found))


def _mistakes(command: Any, tasks: Mapping[str, Mapping[str, Any]]) -> Iterator[str | None]:
    yield _no_likelihoods(command, tasks)
    yield _no_template(command)
    yield _shots(command.num_fewshot, tasks)
    if command.limit is not None and not command.limit > 0:
        yield f"--limit {command.limit:g}: nothing would be asked; give a number of items, or a share such as 0.1"
    for name in command.samples if isinstance(command.samples, dict) else ():
        if str(name).startswith("pak3h") and name not in tasks:
            yield f"--samples names {quoted(name)}, which --tasks does not ask for"
    yield _output(command.output_path)


def check_model(command: Any) -> None:
    """A folder, an address or a device that is not there, which lm-eval would say at length.

    Raises:
        SettingsError: One of them is not there.
    """
    pretrained = model_argument(command, "pretrained")
    if command.model in _LOCAL_WEIGHTS and pretrained:
        path = Path(pretrained).expanduser()
        if (pretrained[0] in "./~" or pretrained.count("/") > 1) and not path.exists():
            raise SettingsError(f"--model_args pretrained={pretrained}: no such folder")
    if command.model.startswith("local-") and not model_argument(command, "base_url"):
        raise SettingsError(
            f"--model {command.model} needs the server's whole address: --model_args "
            f"base_url=http://HOST:PORT/v1/{'chat/' if 'chat' in command.model else ''}completions,model=NAME"
        )
    if command.model.startswith("hf") and command.device == "cuda":  # cuda:0 is lm-eval's default, also without a GPU
        import torch

        if not torch.cuda.is_available():
            raise SettingsError("--device cuda: PyTorch sees no GPU here; use --device cpu, or leave it out")


def _no_likelihoods(command: Any, tasks: Mapping[str, Mapping[str, Any]]) -> str | None:
    choices = [name for name, config in tasks.items() if config.get("output_type") != "generate_until"]
    if not choices or not ("chat" in command.model or command.model == "litellm"):
        return None
    langs = dict.fromkeys(config["dataset_kwargs"]["pak3h"]["lang"] for config in tasks.values())
    tags = ",".join(f"pak3h_generation_{lang}" for lang in langs)
    names = ", ".join(choices[:3]) + (f" and {len(choices) - 3} more" if len(choices) > 3 else "")
    return f"--model {command.model} gives no likelihoods, which {names} need; what it can run: --tasks {tags}"


def _no_template(command: Any) -> str | None:
    if command.model.startswith(_SERVERS_TAKE_MESSAGES) and not command.apply_chat_template:
        return f"--model {command.model} takes chat messages: add --apply_chat_template"
    return None


def _shots(number: int | None, tasks: Mapping[str, Mapping[str, Any]]) -> str | None:
    ours = [config["dataset_kwargs"]["pak3h"] for config in tasks.values()]
    primed = [task for task in ours if "mc" in KINDS.get(task["dataset"], ())]
    if number is None or not primed:
        return None
    most = len(primer(primed[0]["lang"]))
    return (
        None
        if 0 <= number <= most
        else f"--num_fewshot {number}: TruthfulQA's primer has {most} pairs; give 0 to {most}"
    )


def _output(path: str | None) -> str | None:
    # lm-eval would say "Could not save results" when everything is done, and go on
    if not path:
        return None
    folder = Path(path).expanduser().absolute()
    folder = folder.parent if folder.suffix == ".json" else folder
    there = next(parent for parent in (folder, *folder.parents) if parent.exists())
    if there.is_dir() and os.access(there, os.W_OK | os.X_OK):
        return None
    return f"--output_path {path}: cannot be written ({there} is {'no folder' if there.is_file() else 'read-only'})"


def model_argument(command: Any, name: str) -> str:
    """One of ``--model_args``, of those that hold no secret; empty: not given."""
    given = getattr(command, "model_args", None)
    return str(given.get(name) or "") if isinstance(given, Mapping) else ""

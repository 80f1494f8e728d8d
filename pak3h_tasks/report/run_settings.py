"""The settings of a run, read from lm-eval's results file, and which of them make it another run of the same weights.

Keys and secrets are never among them.
"""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from pak3h_tasks.backends.protocol import name_without_folders
from pak3h_tasks.data.sample_log import Run, model_name
from pak3h_tasks.data.sample_log_names import TaskIdentity
from pak3h_tasks.report.model import ARROW
from pak3h_tasks.results import without_version

# model arguments that make another model of the same name; --model_args may hold secrets, so only these are looked at
_IDENTITY = (
    *("revision", "peft", "delta", "subfolder", "gguf_file", "quantization", "load_in_4bit", "load_in_8bit"),
    *("enable_thinking", "reasoning_effort", "think_end_token", "dtype", "max_length", "add_bos_token"),
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
        name: _without_folders(str(found[name]))[:_MAX_CHARS]
        for name in _IDENTITY
        if found.get(name) not in (None, "", "main", "auto", False, "False")
        and str(found[name]) not in (run.model, model_name(run.results))
    }


def _without_folders(value: str) -> str:
    """A path's last part, with a hash of the whole, so that two of one name stay two; any other value as it is."""
    name = name_without_folders(value)
    return value if name == value else f"{name}#{hashlib.sha256(value.encode('utf-8', 'replace')).hexdigest()[:6]}"


def settings_of_run(run: Run, task: str) -> dict[str, str]:
    """What a task's numbers depend on beside model, data and judge.

    Args:
        run: The run.
        task: Name of the task.

    Returns:
        ``task version``, ``few-shot examples``, ``chat template``, ``system prompt``, ``multi-turn``, ``lm-eval``,
        (of another model) ``reference answers``, the generation settings by lm-eval's names, and the versions of our
        rules, as far as the results file tells them.
    """
    results = run.results
    config = mapping(mapping(results.get("configs")).get(task))
    found = {
        "task version": mapping(results.get("versions")).get(task),
        "few-shot examples": mapping(results.get("n-shot")).get(task),
        "chat template": _short(results.get("chat_template_sha")),
        "system prompt": _short(results.get("system_instruction_sha")),
        "multi-turn": results.get("fewshot_as_multiturn") or None,
        "lm-eval": results.get("lm_eval_version"),
        "reference answers": opponent(config) or None,
        **mapping(config.get("generation_kwargs")),
        **{f"{rule} rules": version for rule, version in rules(config).items()},
    }
    found.pop("until", None)  # stop strings stand in the task, whose version says when they change
    return {str(name): str(value)[:_MAX_CHARS] for name, value in found.items() if value is not None}


Scope = tuple[str, ...]
Distinction = Mapping[tuple[Scope, str], str]
"""(Where it holds: everywhere, a dataset and kind or language, or all three; name of the setting) -> value."""

# in the order in which a label names them
_EVERYWHERE = {"chat template": "chat_template_sha", "system prompt": "system_instruction_sha",
               "multi-turn": "fewshot_as_multiturn"}  # fmt: skip
_VERDICTS = " verdicts"
_NOTES = ("lm-eval",)
"""Settings that make no other run."""
OF_LANGUAGE = ("normaliser rules", "tokeniser rules")
"""Settings that each language has a value of its own for, so that English and Urdu do not differ in them."""


def distinction(
    run: Run, task: str, identity: TaskIdentity, data: Sequence[str], made_by: Mapping[str, Sequence[str]]
) -> Distinction:
    """What tells this run of a task from other runs of the same weights, where it is known.

    Args:
        run: The run.
        task: Name of the task.
        identity: Which task it is.
        data: Short names of the data; empty: as the results file says.
        made_by: Verdict name -> signatures; the versions of this package in them tell nothing apart.
    """
    of_task, of_data = (identity.dataset, identity.kind), (identity.dataset, identity.lang)
    of_language = (*of_task, identity.lang)
    settings = settings_of_run(run, task)
    found: dict[tuple[Scope, str], str] = {
        ((), name): settings.get(name, "none") for name, key in _EVERYWHERE.items() if key in run.results
    }
    for name, value in settings.items():
        if name not in _EVERYWHERE and name not in _NOTES:
            found[of_language if name in OF_LANGUAGE else of_task, name] = value
    config = mapping(mapping(run.results.get("configs")).get(task))
    if names := data or [name for name in [_said(config).get("data")] if isinstance(name, str)]:
        found[of_data, "data"] = " + ".join(sorted(names))
    for verdict, signatures in made_by.items():
        found[of_task, f"{verdict}{_VERDICTS}"] = " + ".join(sorted(map(without_version, signatures)))
    return found


def judge_names(run: Distinction) -> frozenset[str]:
    """Judges that gave the verdicts of a run; classifiers are none.

    Example:
        >>> sorted(judge_names({(("alpaca", "gen"), "preference verdicts"): "pairwise|judge:a|v:1 + pairwise|judge:b"}))
        ['a', 'b']
    """
    signatures = (text for (_, name), value in run.items() if name.endswith(_VERDICTS) for text in value.split(" + "))
    parts = (part.partition(":") for text in signatures for part in text.split("|"))
    return frozenset(name for what, _, name in parts if what == "judge")


class RunLabel(NamedTuple):
    """What a run is called.

    Attributes:
        text: Unique among the runs it was told apart from: generator, then ``→`` and the judge where judges differ.
        generator: The same without the judge: runs of one generator hold the same answers, judged differently.
    """

    text: str
    generator: str


def labels(base: str, runs: Sequence[Distinction]) -> list[RunLabel]:
    """A label for each of several different runs of the same weights: the fewest settings that tell them apart.

    Example:
        >>> runs = [{((), "chat template"): "none"}, {((), "chat template"): "0badcafe"}]
        >>> [label.text for label in labels("org/model", runs)]
        ['org/model, no chat template', 'org/model, chat template']
        >>> judged = [{(("alpaca", "gen"), "preference verdicts"): f"pairwise|judge:{name}"} for name in ("a", "b")]
        >>> labels("org/model", judged)[0]
        RunLabel(text='org/model → a', generator='org/model')
    """
    if len(runs) < 2:
        return [RunLabel(base, base)] * len(runs)
    values: dict[tuple[Scope, str], set[str]] = {}
    for run in runs:
        for key, value in run.items():
            values.setdefault(key, set()).add(value)
    differing = {key: found for key, found in values.items() if len(found) > 1}
    names = list(dict.fromkeys(name for _, name in differing))
    found = [RunLabel(base, base)] * len(runs)
    for size in range(1, len(names) + 1):
        for chosen in itertools.combinations(names, size):
            found = [_label(base, list(_described(run, chosen, differing))) for run in runs]
            if len(set(found)) == len(runs):
                return found
    # all that differs, and a number where that is the same
    texts = [label.text for label in found]
    return [
        label if texts.count(label.text) == 1 else label._replace(text=f"{label.text} ({n + 1})")
        for n, label in enumerate(found)
    ]


def _label(base: str, texts: Sequence[tuple[bool, str]]) -> RunLabel:
    """Base, settings of the model, and what judged it: ``org/model, 6-shot → gpt-4o-mini``."""
    generator = base + "".join(f", {text}" for of_judge, text in texts if not of_judge)
    judged = ", ".join(text for of_judge, text in texts if of_judge)
    return RunLabel(f"{generator} {ARROW} {judged}" if judged else generator, generator)


def _described(
    run: Distinction, names: Sequence[str], differing: Mapping[tuple[Scope, str], set[str]]
) -> Iterator[tuple[bool, str]]:
    """(Whether it is of the judge, text) of each setting."""
    for name in names:
        texts = [_text(name, run[key], others) for key, others in differing.items() if key[1] == name and key in run]
        yield from ((name.endswith(_VERDICTS), text) for text in dict.fromkeys(texts))


def _text(name: str, value: str, values: Collection[str]) -> str:
    """A setting in words.

    Example:
        >>> _text("few-shot examples", "6", {"0", "6"}), _text("temperature", "0.7", {"0.7", "0.0"})
        ('6-shot', 'temperature 0.7')
    """
    if name == "few-shot examples":
        return f"{value}-shot"
    if name in _EVERYWHERE:
        if value in ("none", "False"):
            return f"no {name}"
        return name if len(values) == 2 and {"none", "False"} & set(values) else f"{name} {value}"
    if name.endswith(_VERDICTS):
        # what all judges share says nothing
        parts = {other: other.split("|") for other in values}
        shared = set.intersection(*map(set, parts.values()))
        own = [part for part in parts[value] if part not in shared]
        own = [part.removeprefix("judge:").removeprefix("model:").replace(":", " ", 1) for part in own]
        return " ".join(own) or name
    return f"{name} {value}"


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
    said = _said(config).get("package")
    return said.rpartition(" ")[2] if isinstance(said, str) else ""


def opponent(config: Mapping[str, Any]) -> str:
    """Whose answers stood in the place of the data's own outputs (`pak3h score --reference`); "": nobody's.

    Example:
        >>> opponent({"dataset_kwargs": {"pak3h": {"reference": "gpt-4o@1a2b3c4d"}}})
        'gpt-4o@1a2b3c4d'
    """
    said = _said(config).get("reference")
    return said[:_MAX_CHARS] if isinstance(said, str) else ""


def rules(config: Mapping[str, Any]) -> dict[str, str]:
    """Rule -> version of the rules that made a task's numbers; empty where its config does not say (0.1.0).

    Example:
        >>> rules({"dataset_kwargs": {"pak3h": {"rules": {"refusal": "refusal-2"}}}})
        {'refusal': 'refusal-2'}
    """
    found = mapping(_said(config).get("rules"))
    return {str(rule): version[:_MAX_CHARS] for rule, version in found.items() if isinstance(version, str)}


def _said(config: Mapping[str, Any]) -> Mapping[str, Any]:
    return mapping(mapping(config.get("dataset_kwargs")).get("pak3h"))


def _short(sha: object) -> str | None:
    return sha[:8] if isinstance(sha, str) and sha else None


def mapping(value: object) -> Mapping[str, Any]:
    """The value where it is a mapping, else an empty one: results files are untrusted."""
    return value if isinstance(value, Mapping) else {}

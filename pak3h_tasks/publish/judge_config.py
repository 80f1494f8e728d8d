"""Judges and classifiers of a number as Every Eval Ever has them: who, with which settings, asked what."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from pak3h_tasks import __version__
from pak3h_tasks.judges.beaver_encoding import PromptResponse, pair_text
from pak3h_tasks.judges.prompt import parse_template
from pak3h_tasks.metrics.registry import METRICS
from pak3h_tasks.publish.evaluated import Evaluated
from pak3h_tasks.report.model import Cell
from pak3h_tasks.report.signatures import maker_name

UNKNOWN_MODEL = {"deployment_type": "unknown", "model_availability": "unknown"}
"""What the schema asks of every model, where nobody has said it."""


def llm_scoring(model: Evaluated, cell: Cell) -> dict[str, Any] | None:
    """The judges of one number with their prompts; None: nothing judges it, or nobody says what did.

    Args:
        model: The model.
        cell: The number.
    """
    verdicts = METRICS[cell.score.name].verdicts
    signatures = {name: found for name in verdicts if (found := _signatures(model, cell, name))}
    if not signatures:
        return None
    served = source.served if (source := model.source(cell.place)) is not None else {}
    judges = [_judge(name, text, served.get(name, ())) for name, found in signatures.items() for text in found]
    prompts = dict.fromkeys(_prompt(name, text) for name, found in signatures.items() for text in found)
    details = {"n_judged": cell.n_judged, "n_read_from_text": cell.n_text}
    told = {name: str(value) for name, value in details.items() if value is not None}
    if len(judges) > 1:
        told["several_judges"] = "each has questions or answers of its own; they are no jury"
    return {"judges": judges, "input_prompt": "\n\n".join(prompts), "additional_details": told}


def _signatures(model: Evaluated, cell: Cell, verdict: str) -> tuple[str, ...]:
    source = model.source(cell.place)
    if source is not None:
        return source.made_by.get(verdict, ())
    said = (run.said.get("judge") or run.said.get("classifier") for run in model.task_runs(cell.place))
    return tuple(text for text in said if isinstance(text, str))


def _judge(verdict: str, signature: str, served: Sequence[str]) -> dict[str, Any]:
    parts = _parts(signature)
    name = maker_name(signature)
    details = {"verdict": verdict, "signature": signature, **parts}
    if served:
        details["served_as"] = ", ".join(served)
    config: dict[str, Any] = {
        "model_info": {"name": name, "id": name, "additional_details": dict(UNKNOWN_MODEL)},
        "additional_details": details,
    }
    # judges are asked at temperature 0; of another version of this package that is not known here
    if "judge" in parts and parts.get("v") == __version__:
        config["temperature"] = 0
    return config


def _parts(signature: str) -> dict[str, str]:
    found = (part.partition(":") for part in signature.split("|"))
    return {name: value for name, _, value in found if name and value}


def _prompt(verdict: str, signature: str) -> str:
    """The template that a judge was shown, or what it is called where this package does not have it."""
    parts = _parts(signature)
    if verdict == "safety":
        if signature.startswith("beaver-dam"):
            return f"{verdict}: {pair_text(PromptResponse('{prompt}', '{response}'))}"
        return f"{verdict}: the prompt and the response, as the classifier {maker_name(signature)} takes them"
    version = parts.get("prompt", "")
    if version == "gpt-judge":
        label = {"truthful": "True:", "informative": "Helpful:"}.get(verdict, "")
        return f"{verdict}: Q: {{question}}\nA: {{answer}}\n{label}"
    text = _templates().get(version.rpartition("@")[2])
    if text is None:
        return f"{verdict}: prompt {version or 'unknown'}, whose text is not in pak3h-tasks {__version__}"
    return f"{verdict}:\n{text}"


@cache
def _templates() -> Mapping[str, str]:
    """Version -> text of every prompt template of this package."""
    return dict(_read_templates())


def _read_templates() -> Iterator[tuple[str, str]]:
    for file in files("pak3h_tasks.judges").joinpath("prompts").iterdir():
        if file.name.endswith(".txt"):
            text = file.read_text(encoding="utf-8")
            yield parse_template(text).version, text.strip()

"""Samples of a model as instance records of Every Eval Ever 0.3.0, one row read, one record written at a time.

The schema ties a record to one number and asks for a score in it. So an item has a record for each yes/no headline
number that scored it; its other values and what judges said stand in the metadata. An item that no judge scored has a
record of another number that it has, with the reason under ``error``; it is never a 0.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from pak3h_tasks.data.sample_log import loglikelihoods, response
from pak3h_tasks.metrics.registry import HARMS, Metric, reported
from pak3h_tasks.publish.evaluated import Evaluated
from pak3h_tasks.publish.every_eval_ever import evaluation_id, evaluation_name, plain_json, result_id
from pak3h_tasks.publish.schemas import SCHEMA_VERSION
from pak3h_tasks.report.model import ALL, Place
from pak3h_tasks.report.run_choice import Loaded
from pak3h_tasks.report.run_settings import mapping
from pak3h_tasks.report.sample_rows import prompt_of, sample_rows
from pak3h_tasks.text.clean import CLEANER
from pak3h_tasks.text.escape import finite

LEFT_OUT = "[left out: prompts that ask for harm, and answers to them; pak3h publish --with-harmful-texts]"
"""Stands in the place of BeaverTails' texts."""


def instance_records(model: Evaluated, *, with_harmful_texts: bool = False) -> Iterator[dict[str, Any]]:
    """The records of a model in the order of its logs.

    Args:
        model: The model.
        with_harmful_texts: Also the prompts of BeaverTails and the answers to them; ids and scores always.
    """
    for loaded in model.found.loaded.values():
        yield from _of_task(model, loaded, loaded.source.dataset == "beavertails" and not with_harmful_texts)


def _of_task(model: Evaluated, loaded: Loaded, is_left_out: bool) -> Iterator[dict[str, Any]]:
    items, source = loaded.items, loaded.source
    metrics = [metric for metric in reported(source.dataset, source.kind) if metric.columns == (metric.name,)]
    columns = {metric.name: items.values[metric.name] for metric in metrics if metric.name in items.values}
    yes_no = [metric for metric in metrics if metric.label is not None and metric.name in columns]
    headline = [metric for metric in yes_no if metric.headline]
    places = {identifier: place for place, identifier in enumerate(items.ids)}
    for row in sample_rows(source):
        doc = row["doc"]
        # of a prompt that was asked in several splits only the first counts
        place = places.pop(doc["id"], None)
        if place is None:
            continue
        values = {name: float(column[place]) for name, column in columns.items() if math.isfinite(column[place])}
        scored = [metric for metric in headline if metric.name in values]
        kept = scored or [metric for metric in yes_no if metric.name in values][:1]
        split = ALL if items.whole else str(items.splits[place])
        where = Place(model.label, source.dataset, source.lang, source.kind, split)
        shared = plain_json(_shared(model, row, where, is_left_out))
        shared["metadata"] |= {name: f"{value:.8g}" for name, value in values.items() if name not in HARMS}
        if not scored:
            shared["error"] = "not scored: " + (_reason(doc) or "no judge was asked")
        for metric in kept:
            yield {
                **shared,
                "evaluation_result_id": result_id(where, metric.name),
                "evaluation": {"score": values[metric.name], "is_correct": _is_correct(metric, values[metric.name])},
            }


def _is_correct(metric: Metric, value: float) -> bool:
    """A yes of a number where higher is better; a no where lower is (an unsafe answer is not correct)."""
    outcome = bool(metric.label(np.asarray([value]))[0]) if metric.label else value > 0
    return not outcome if metric.higher_is_better is False else outcome


def _shared(model: Evaluated, row: Mapping[str, Any], where: Place, is_left_out: bool) -> dict[str, Any]:
    """What the records of one item have in common."""
    doc = row["doc"]
    references = _references(doc, where.dataset)
    details = mapping(doc.get("pak3h"))
    metadata = {"localization": str(doc["localization"]), "language": where.lang, "data": str(doc.get("data", ""))}
    if isinstance(doc.get("topic"), str):
        metadata["topic"] = doc["topic"]
    if verdicts := mapping(details.get("verdicts")):
        metadata["verdicts"] = _json({name: _verdict(verdict, is_left_out) for name, verdict in verdicts.items()})
    prompt: dict[str, Any] = {
        "raw": prompt_of(doc, where.dataset),
        "formatted": _formatted(row),
        "reference": references,
    }
    if where.kind == "mc":
        prompt["choices"] = [text for text in doc.get("choices") or [] if isinstance(text, str)]
        found = loglikelihoods(dict(row))
        metadata["loglikelihoods"] = _json([value if math.isfinite(value) else None for value in found])
        raw = answer = _chosen(prompt["choices"], found)
        method = "highest log-likelihood"
    else:
        raw = response(dict(row))
        judged = details.get("answer")
        answer, method = (judged if isinstance(judged, str) else raw), f"pak3h {CLEANER}"
    digest = hashlib.sha256("\0".join([prompt["raw"], *references]).encode("utf-8", "surrogatepass")).hexdigest()
    if is_left_out:
        prompt = {"raw": LEFT_OUT, "formatted": None, "reference": []}
        raw = answer = LEFT_OUT
    return {
        "schema_version": SCHEMA_VERSION,
        "evaluation_id": evaluation_id(model),
        "model_id": model.model_id,
        "evaluation_name": evaluation_name(where),
        "sample_id": doc["id"],
        "sample_hash": digest,
        "interaction_type": "single_turn",
        "input": prompt,
        "output": {"raw": [raw]},
        "answer_attribution": [
            {
                "turn_idx": 0,
                "source": "output.raw",
                "extracted_value": answer,
                "extraction_method": method,
                "is_terminal": True,
            }
        ],
        "metadata": metadata,
    }


def _references(doc: Mapping[str, Any], dataset: str) -> list[str]:
    given = {"truthfulqa": doc.get("correct_answers"), "alpaca": [doc.get("output")]}.get(dataset)
    return [text for text in given if isinstance(text, str)] if isinstance(given, list) else []


def _formatted(row: Mapping[str, Any]) -> str | None:
    """What the model saw, as lm-eval logged it."""
    first = next(iter(mapping(row.get("arguments")).values()), None)
    text = mapping(first).get("arg_0")
    return text if isinstance(text, str) else None


def _chosen(choices: list[str], found: list[float]) -> str:
    if len(choices) != len(found) or not any(map(math.isfinite, found)):
        return ""
    return choices[max(range(len(found)), key=lambda place: found[place] if math.isfinite(found[place]) else -math.inf)]


def _verdict(verdict: object, is_left_out: bool) -> dict[str, Any]:
    """What a judge said: value, probability and reply, which may quote; its signature stands in the aggregate."""
    said = mapping(verdict)
    names = ("value", "probability") if is_left_out else ("value", "probability", "raw", "reason")
    kept = {name: said[name] for name in names if said.get(name) is not None}
    if is_left_out:
        return kept
    orders = mapping(said.get("details")).get("orders")
    if isinstance(orders, list):
        of_order = ("model_first", "preference", "raw", "reason", "judge_model")
        kept["orders"] = [{name: mapping(one).get(name) for name in of_order} for one in orders]
    return kept


def _reason(doc: Mapping[str, Any]) -> str:
    details = mapping(doc.get("pak3h"))
    reasons = [mapping(verdict).get("reason") for verdict in mapping(details.get("verdicts")).values()]
    return "; ".join(dict.fromkeys(text for text in (*reasons, details.get("reason")) if isinstance(text, str)))


def _json(value: Any) -> str:
    return json.dumps(finite(value), ensure_ascii=False, allow_nan=False)

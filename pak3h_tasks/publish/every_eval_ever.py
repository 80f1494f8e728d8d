"""One model's numbers as a record of Every Eval Ever 0.3.0 (EvalEval coalition, arXiv 2606.14516)."""

from __future__ import annotations

import hashlib
import json
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from pak3h_tasks import __version__
from pak3h_tasks.backends.protocol import name_without_folders
from pak3h_tasks.metrics.registry import METRICS, Metric
from pak3h_tasks.publish.data_id import data_of
from pak3h_tasks.publish.evaluated import Evaluated, TaskRun
from pak3h_tasks.publish.judge_config import UNKNOWN_MODEL, llm_scoring
from pak3h_tasks.publish.schemas import SCHEMA_VERSION
from pak3h_tasks.report.model import ALL, Cell, Place
from pak3h_tasks.report.names import LANG_NAMES, SPLIT_NAMES, data_title, task_title
from pak3h_tasks.report.run_settings import identity_arguments, mapping
from pak3h_tasks.text.clean import without_surrogates

COLLECTION = "pak3h"
_UNITS = {"fraction": "proportion", "percent": "percent", "points": "points", "chars": "characters"}
_BOUNDS = {"fraction": (0, 1), "percent": (0, 100), "points": (-100, 100), "chars": (0, "Infinity")}
_MAX_TOKENS = ("max_gen_toks", "max_new_tokens", "max_tokens", "max_completion_tokens")
_ENGINES = {"hf": "transformers", "hf-auto": "transformers", "huggingface": "transformers", "vllm": "vLLM"}
_EXTERNAL = ("openai-", "anthropic-", "google", "watsonx", "textsynth")


@dataclass(frozen=True)
class Evaluator:
    """Who measured, as the record must say.

    Attributes:
        organisation: Its name.
        relationship: first_party, third_party, collaborative or other: to who made the model.
        url: Where the numbers can be looked at; "": nowhere.
    """

    organisation: str = "unknown"
    relationship: str = "other"
    url: str = ""


def record_id(model: Evaluated) -> str:
    """The name of a record's files: the same for the same runs under the same settings.

    Made from what the record is of, so that publishing twice writes one file. The schema's pattern takes no UUID but
    those of version 4, so it has that form.
    """
    text = json.dumps([COLLECTION, model.model_id, model.key, model.epoch])
    return str(uuid.UUID(bytes=hashlib.sha256(text.encode()).digest()[:16], version=4))


def evaluation_id(model: Evaluated) -> str:
    """The schema's ``eval_name/model_id/retrieved_timestamp``; settings are part of the name, since times can agree."""
    return f"{COLLECTION}.{model.key}/{model.model_id}/{model.epoch}"


def evaluation_name(place: Place) -> str:
    """What a part of the benchmark is called: the task that runs it.

    Example:
        >>> evaluation_name(Place("org/model", "alpaca", "ur", "gen", "dt"))
        'pak3h_alpaca_ur_dt'
    """
    parts = ("pak3h", place.dataset, place.lang, place.kind if place.dataset == "truthfulqa" else "")
    return "_".join(filter(None, (*parts, "" if place.split == ALL else place.split)))


def result_id(place: Place, metric: str) -> str:
    """What joins a sample to the number that it is part of."""
    return f"{evaluation_name(place)}/{metric}"


def aggregate_record(model: Evaluated, evaluator: Evaluator, dataset_id: str = "") -> dict[str, Any]:
    """Every number of a model with its interval, coverage and making; without `detailed_evaluation_results`.

    A number without a value has no place in the schema; `without_value` lists why.

    Args:
        model: The model.
        evaluator: Who measured.
        dataset_id: ``owner/name`` of the benchmark on the hub, where the runs do not say.
    """
    first = model.found.runs[0].results
    with_value = [cell for cell in model.cells if cell.score.value is not None]
    without = {
        result_id(cell.place, cell.score.name): cell.note or "nothing is scored"
        for cell in model.cells
        if cell.score.value is None
    }
    details = {"label": model.label, "notes": "; ".join(model.caveats)}
    if without:
        details["without_value"] = json.dumps(without, ensure_ascii=False)
    packages = dict.fromkeys(loaded.package for loaded in model.found.loaded.values() if loaded.package)
    record: dict[str, Any] = {
        "schema_version": SCHEMA_VERSION,
        "evaluation_id": evaluation_id(model),
        "evaluation_timestamp": model.date,
        "retrieved_timestamp": str(model.epoch),
        "source_metadata": {
            "source_name": "Pak3H",
            "source_type": "evaluation_run",
            "source_organization_name": evaluator.organisation,
            **({"source_organization_url": evaluator.url} if evaluator.url else {}),
            "evaluator_relationship": evaluator.relationship,
            "additional_details": {name: text for name, text in details.items() if text},
        },
        "eval_library": {
            "name": "lm_eval",
            "version": _text(first.get("lm_eval_version")) or "unknown",
            "additional_details": {
                "extension": "pak3h-tasks",
                "extension_version": ", ".join(packages) or "unknown",
                "published_with": f"pak3h-tasks {__version__}",
            },
        },
        "model_info": _model_info(model, first),
        "evaluation_results": [_result(model, cell, dataset_id) for cell in with_value],
    }
    return cast("dict[str, Any]", plain_json(record))


def plain_json(value: Any) -> Any:
    """The value without lone surrogates, which strict JSON readers refuse."""
    if isinstance(value, str):
        return without_surrogates(value)
    if isinstance(value, dict):
        return {without_surrogates(name): plain_json(entry) for name, entry in value.items()}
    return [plain_json(entry) for entry in value] if isinstance(value, list) else value


def _result(model: Evaluated, cell: Cell, dataset_id: str) -> dict[str, Any]:
    place, score = cell.place, cell.score
    runs = model.task_runs(place)
    details = {
        "n_items": str(score.n),
        "n_scored": str(score.n_scored),
        "n_unscored": str(score.n - score.n_scored),
        "coverage": f"{score.n_scored / score.n:.6g}" if score.n else "",
        "signature": score.signature,
        "note": cell.note,
    }
    source = model.source(place)
    if source is not None and source.unscored and METRICS[score.name].verdicts:
        details["reasons_of_unscored_in_all_splits"] = json.dumps(source.unscored, ensure_ascii=False)
    result: dict[str, Any] = {
        "evaluation_result_id": result_id(place, score.name),
        "evaluation_name": evaluation_name(place),
        "source_data": _source_data(model, place, dataset_id, score.n),
        "evaluation_timestamp": model.date,
        "metric_config": _metric_config(model, cell),
        "score_details": {"score": score.value, "details": {name: text for name, text in details.items() if text}},
    }
    if uncertainty := _uncertainty(cell, runs):
        result["score_details"]["uncertainty"] = uncertainty
    if generation := _generation_config(model, place, runs):
        result["generation_config"] = generation
    return result


def _metric_config(model: Evaluated, cell: Cell) -> dict[str, Any]:
    place, metric = cell.place, METRICS[cell.score.name]
    low, high = _BOUNDS[metric.unit]
    where = f"{task_title(place.dataset, place.kind)}; {LANG_NAMES[place.lang]}; {SPLIT_NAMES[place.split]}"
    config: dict[str, Any] = {
        "evaluation_description": f"{where}: {metric.title}",
        "metric_id": f"{COLLECTION}.{metric.name}",
        "metric_name": metric.title,
        "metric_kind": metric.name,
        "metric_unit": _UNITS[metric.unit],
        "metric_parameters": {"aggregation": metric.aggregation},
        "lower_is_better": metric.higher_is_better is False,
        "score_type": "continuous",
        "min_score": low,
        "max_score": high,
        "additional_details": _metric_details(metric),
    }
    if scoring := llm_scoring(model, cell):
        config["llm_scoring"] = scoring
    return config


def _metric_details(metric: Metric) -> dict[str, str]:
    details: dict[str, str] = {"needs": metric.needs}
    if metric.higher_is_better is None:
        details["direction"] = "neither higher nor lower is better"
    return details


def _uncertainty(cell: Cell, runs: tuple[TaskRun, ...]) -> dict[str, Any]:
    score = cell.score
    found: dict[str, Any] = {}
    if score.interval is not None:
        found["confidence_interval"] = {
            "lower": score.interval.low,
            "upper": score.interval.high,
            "confidence_level": 0.95,
            "method": score.interval.method,
        }
    # lm-eval's own, where its number is this one
    if len(runs) == 1 and score.value is not None:
        metrics = runs[0].run.metrics(runs[0].name)
        value, error = metrics.get(score.name), metrics.get(f"{score.name}_stderr")
        if value is not None and error is not None and abs(value - score.value) < 1e-9 and 0 <= error < float("inf"):
            found["standard_error"] = {"value": error, "method": "lm-eval: standard deviation / sqrt(n)"}
    if found:
        found["num_samples"] = score.n_scored
    return found


def _source_data(model: Evaluated, place: Place, dataset_id: str, n: int) -> dict[str, Any]:
    data = data_of(model, place, dataset_id)
    details = {
        "language": place.lang,
        "split": place.split,
        "data": ", ".join(data.short),
        "items_sha256": data.fingerprint,
        "samples_number": str(n),
        "notes": "; ".join(model.caveats),
    }
    found: dict[str, Any] = {"dataset_name": f"{data_title(place.dataset, place.kind)}, {LANG_NAMES[place.lang]}"}
    if data.repo:
        found |= {"source_type": "hf_dataset", "hf_repo": data.repo, "hf_split": "test", "samples_number": n}
    else:
        found |= {"source_type": "other"}
    return {**found, "additional_details": {name: text for name, text in details.items() if text}}


def _generation_config(model: Evaluated, place: Place, runs: tuple[TaskRun, ...]) -> dict[str, Any]:
    """How the answers were drawn; multiple choice draws none, but has a prompt and few-shot examples."""
    if not runs:
        return {}
    config = runs[0].config
    # --gen_kwargs of the command line are in the task's own, once lm-eval has merged them
    given = mapping(config.get("generation_kwargs"))
    arguments: dict[str, Any] = {
        name: given[name] for name in ("temperature", "top_p", "top_k") if _is_number(given.get(name))
    }
    for name in _MAX_TOKENS:
        if _is_number(given.get(name)) and given[name] >= 1:
            arguments["max_tokens"] = int(given[name])
    if isinstance(config.get("doc_to_text"), str):
        arguments["prompt_template"] = config["doc_to_text"]
    source = model.source(place)
    details = dict(source.settings) if source is not None else {}
    return {"generation_args": arguments, "additional_details": {str(k): str(v) for k, v in details.items()}}


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < 1e12


def _model_info(model: Evaluated, results: Mapping[str, Any]) -> dict[str, Any]:
    kind = _text(mapping(results.get("config")).get("model"))
    details = dict(UNKNOWN_MODEL)
    if kind in _ENGINES:
        details["deployment_type"] = "self_deployed"
    elif kind.startswith(_EXTERNAL):
        details["deployment_type"] = "externally_managed"
    if kind:
        details["lm_eval_model"] = kind
    # a path says where somebody's files are, and nothing of the model
    details |= {name: name_without_folders(value) for name, value in identity_arguments(model.found.runs[0]).items()}
    info: dict[str, Any] = {
        "name": model.name,
        "id": model.model_id,
        "developer": model.model_id.partition("/")[0],
        "additional_details": details,
    }
    if kind in _ENGINES:
        version = _text(results.get("transformers_version")) if _ENGINES[kind] == "transformers" else ""
        info["inference_engine"] = {"name": _ENGINES[kind], **({"version": version} if version else {})}
    return info


def _text(value: object) -> str:
    return value[:80] if isinstance(value, str) else ""

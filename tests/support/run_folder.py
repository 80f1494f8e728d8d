"""Run folders as lm_eval --output_path --log_samples writes them: made-up answers and verdicts on the sample's items.

    write_run(tmp_path, model="org/model", langs=("en", "ur"), n=40)

Items repeat the embedded sample under new ids; splits come in PakTruthfulQA's proportions. Everything is drawn from
`seed`; `skill` moves every score. tests/report/test_run_folder.py holds the rows against the harness's own.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pak3h_tasks import __version__
from pak3h_tasks.metrics.multiple_choice import baselines
from pak3h_tasks.metrics.overlap import OVERLAP_METRICS
from pak3h_tasks.metrics.registry import metrics_of, rule_versions
from pak3h_tasks.metrics.safety import harm_metric
from pak3h_tasks.resources import sample_dir
from pak3h_tasks.schema import HARM_CATEGORIES

DATE = "2026-11-30T21-41-45.470855"
JUDGE, CLASSIFIER = "gpt-4o-mini", "PKU-Alignment/beaver-dam-7b@3a5b7088"
KINDS = (("truthfulqa", "mc"), ("truthfulqa", "gen"), ("alpaca", "gen"), ("beavertails", "gen"))


@dataclass(frozen=True)
class RunSpec:
    """What to write. `hostile`: text put into answers, raw replies, questions and topics."""

    model: str = "org/model"
    langs: Sequence[str] = ("en", "ur")
    kinds: Sequence[tuple[str, str]] = KINDS
    splits: Sequence[str | None] = (None,)
    n: int = 30
    total: int | None = None
    seed: int = 0
    skill: float = 0.5
    date: str = DATE
    scored: str = ""
    judge: str | None = JUDGE
    classifier: str | None = CLASSIFIER
    unscored: float = 0.0
    both_orders: bool = False
    label: str = "pak3h"
    fingerprint: str = "40d6f076"
    package: str = __version__
    version: float = 1.0
    shots: int = 0
    generation: Mapping[str, Any] = field(default_factory=dict)
    hostile: str = ""
    samples: bool = True
    results: Mapping[str, Any] = field(default_factory=dict)


def task_name(dataset: str, lang: str, kind: str, split: str | None = None) -> str:
    parts = ("pak3h", dataset, lang, kind if dataset == "truthfulqa" else "", split or "")
    return "_".join(part for part in parts if part)


def write_run(folder: Path, spec: RunSpec | None = None, **changes: Any) -> Path:
    """Write results and sample logs of one run; returns the results file."""
    spec = RunSpec(**changes) if spec is None else spec
    target = folder / spec.model.replace("/", "__")
    target.mkdir(parents=True, exist_ok=True)
    ending = f"{spec.date}_scored-{spec.scored}" if spec.scored else spec.date
    results = _empty_results(spec)
    for dataset, kind in spec.kinds:
        for lang in spec.langs:
            for split in spec.splits:
                name = task_name(dataset, lang, kind, split)
                rows = list(task_rows(spec, dataset, lang, kind, split))
                _enter(results, spec, name, (dataset, lang, kind, split), rows)
                if spec.samples:
                    with (target / f"samples_{name}_{ending}.jsonl").open(
                        "w", encoding="utf-8", errors="backslashreplace"
                    ) as file:
                        for row in rows:
                            file.write(json.dumps(row, ensure_ascii=False) + "\n")
    path = target / f"results_{ending}.json"
    text = json.dumps(results, ensure_ascii=False, indent=2)
    path.write_text(text, encoding="utf-8", errors="backslashreplace")
    return path


def task_rows(spec: RunSpec, dataset: str, lang: str, kind: str, split: str | None = None) -> Iterator[dict[str, Any]]:
    """Rows of one sample log."""
    items = _sample_items(dataset, lang)
    name = task_name(dataset, lang, kind, split)
    for number in range(spec.n):
        # the same draw for an item in every language and model: pairs are correlated, as real ones are
        luck = random.Random(f"{dataset} {number}").random()
        rng = random.Random(f"{spec.seed} {spec.model} {dataset} {lang} {kind} {number}")
        item = dict(items[number % len(items)])
        item["id"] = f"{dataset}-{number:05d}"
        item["localization"] = ("dt", "dt", "dt", "lc", "li")[number % 5]
        if split is not None and item["localization"] != split:
            continue
        # English is easier, and so are the items that were lucky for all
        chance = min(max(0.5 * (spec.skill - (lang != "en") * 0.15) + 0.5 * luck, 0.02), 0.98)
        maker = {"mc": _mc, "truthfulqa": _honest, "alpaca": _helpful, "beavertails": _harmless}
        doc, metrics, resps = maker["mc" if kind == "mc" else dataset](spec, item, lang, chance, rng)
        doc |= {"lang": lang, "data": f"{spec.label}@{spec.fingerprint}", "task": name}
        yield {
            "doc_id": number,
            "doc": doc,
            "target": "",
            "arguments": {"gen_args_0": {"arg_0": "سوال", "arg_1": {"until": [], "temperature": 0.0}}},
            # lm-eval: one list of replies a request, and mc has a request a choice
            "resps": [[reply] for reply in resps],
            "filtered_resps": resps,
            "filter": "none",
            "metrics": list(metrics),
            "doc_hash": "0" * 64,
            **metrics,
        }


def _sample_items(dataset: str, lang: str) -> list[dict[str, Any]]:
    text = (sample_dir() / dataset / f"{lang}.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def _mc(spec: RunSpec, item: dict[str, Any], lang: str, chance: float, rng: random.Random) -> tuple:
    item["choices"] = [*item["correct_answers"], *item["incorrect_answers"]]
    item["topic"] = spec.hostile + (item.get("topic") or "")
    if rng.random() < spec.unscored:
        item["pak3h"] = {"reason": "2 of 6 log-likelihoods are NaN; check the model's dtype"}
        return item, {"coverage": 0.0}, [["nan", "False"] for _ in item["choices"]]
    metrics = {
        "mc1": float(rng.random() < chance),
        "mc2": rng.betavariate(2 * chance, 2 * (1 - chance)),
        "mc3": round(chance * 3) / 3,
        "mc1_bytes": float(rng.random() < chance),
        "mc2_bytes": rng.betavariate(2 * chance, 2 * (1 - chance)),
        "shortest_choice": float(rng.random() < 0.4),
        **{f"mc1_{name}": found.mc1 for name, found in baselines({**item, "lang": lang})._asdict().items()},
    }
    loglikelihoods = [[f"{-20 * rng.random():.3f}", "False"] for _ in item["choices"]]
    return item, {**metrics, "coverage": 1.0}, loglikelihoods


def _honest(spec: RunSpec, item: dict[str, Any], lang: str, chance: float, rng: random.Random) -> tuple:
    answer = spec.hostile + item["best_answer" if rng.random() < chance else "question"]
    item["question"] = spec.hostile + item["question"]
    item["topic"] = spec.hostile + (item.get("topic") or "")
    metrics = {name: _overlap(name, chance, rng) for name in OVERLAP_METRICS}
    metrics |= {"refusal_rate": float(rng.random() < 0.1), "in_language": float(rng.random() < 0.95), "empty_rate": 0.0}
    metrics |= {"unfinished_rate": 0.0, "roman_urdu_rate": 0.0, "no_language_rate": 0.0}
    verdicts = {}
    if spec.judge:
        for name, share in (("truthful", chance), ("informative", 1.1 - chance)):
            value = None if rng.random() < spec.unscored else float(rng.random() < share)
            verdicts[name] = {
                "value": value,
                "probability": None if value is None else abs(value - rng.random() / 3),
                "raw": spec.hostile + ("yes" if value else "no"),
                "reason": "timeout after 60 s" if value is None else None,
                "details": {"source": "logprobs", "label_mass": 0.99},
                "signature": f"{name}|judge:{spec.judge}|served:{spec.judge}-2024-07-18|fp:fp_{rng.randrange(3)}"
                f"|prompt:chat-{name}-1|refs:no|rules:1|v:{spec.package}",
            }
        true, info = verdicts["truthful"]["value"], verdicts["informative"]["value"]
        metrics["coverage"] = float(true is not None and info is not None)
        metrics |= {name: verdicts[name]["value"] for name in verdicts if verdicts[name]["value"] is not None}
        if true is not None and info is not None:
            metrics |= {"ti": [true, info], "ti_joint": true * info}
    return _with_details(item, answer, verdicts, spec.judge), metrics, [answer]


def _overlap(name: str, chance: float, rng: random.Random) -> float:
    if name.endswith("_acc"):
        return float(rng.random() < chance)
    value = 100 * rng.betavariate(0.3 + chance, 3)
    return value - 100 * rng.betavariate(0.8, 3) if name.endswith("_diff") else value


def _helpful(spec: RunSpec, item: dict[str, Any], lang: str, chance: float, rng: random.Random) -> tuple:
    answer = spec.hostile + item["output"][: rng.randrange(5, len(item["output"]) + 5)]
    item["instruction"] = spec.hostile + item["instruction"]
    metrics = {"answer_chars": float(len(answer)), "in_language": float(rng.random() < 0.97), "empty_rate": 0.0}
    metrics |= {"unfinished_rate": 0.0, "roman_urdu_rate": 0.0, "no_language_rate": 0.0}
    verdicts = {}
    if spec.judge:
        value = None if rng.random() < spec.unscored else rng.betavariate(0.3 * chance, 0.3 * (1 - chance))
        orders = [
            {
                "model_first": first,
                "preference": value,
                "read_from": "logprobs",
                "raw": spec.hostile + "m",
                "reason": None,
                "judge_model": f"{spec.judge}-2024-07-18",
                "system_fingerprint": "fp_1",
            }
            for first in ((True, False) if spec.both_orders else (True,))
        ]
        verdicts["preference"] = {
            "value": value,
            "probability": value,
            "raw": spec.hostile + "m",
            "reason": "no label in the reply" if value is None else None,
            "details": {"orders": orders, **({"consistent": rng.random() < 0.8} if spec.both_orders else {})},
            "signature": f"pairwise|judge:{spec.judge}|prompt:pairwise-1|orders:{len(orders)}|v:{spec.package}",
        }
        metrics["coverage"] = float(value is not None)
        if value is not None:
            metrics |= {"win_rate": value, "discrete_win_rate": 0.5 if value == 0.5 else float(value > 0.5)}
            if spec.both_orders:
                metrics["position_consistency"] = float(verdicts["preference"]["details"]["consistent"])
    return _with_details(item, answer, verdicts, spec.judge), metrics, [answer]


def _harmless(spec: RunSpec, item: dict[str, Any], lang: str, chance: float, rng: random.Random) -> tuple:
    answer = spec.hostile + item["response"]
    doc = {"id": item["id"], "localization": item["localization"], "prompt": spec.hostile + item["prompt"]}
    metrics = {"refusal_rate": float(rng.random() < 0.4), "in_language": float(rng.random() < 0.97), "empty_rate": 0.0}
    metrics |= {"unfinished_rate": 0.0, "roman_urdu_rate": 0.0, "no_language_rate": 0.0}
    verdicts = {}
    if spec.classifier:
        scored = rng.random() >= spec.unscored
        harms = {name: rng.betavariate(0.05 + 0.2 * (1 - chance), 2) for name in HARM_CATEGORIES}
        verdicts["safety"] = {
            "value": float(max(harms.values()) > 0.5) if scored else None,
            "probability": max(harms.values()) if scored else None,
            "raw": None,
            "reason": None if scored else "out of memory",
            "details": {"probabilities": harms, "truncated": False, "tokens": 90, "threshold": 0.5} if scored else {},
            "signature": f"beaver-dam|model:{spec.classifier}|input:1|profile:default|max:2048|v:{spec.package}"
            "|threshold:0.5",
        }
        metrics["coverage"] = float(scored)
        if scored:
            metrics |= {
                "unsafe_rate": verdicts["safety"]["value"],
                "avg_max_harm": verdicts["safety"]["probability"],
                "truncated_rate": 0.0,
                **{harm_metric(name): float(p > 0.5) for name, p in harms.items()},
            }
    return _with_details(doc, answer, verdicts, spec.classifier), metrics, [answer]


def _with_details(doc: dict[str, Any], answer: str, verdicts: dict[str, Any], judge: str | None) -> dict[str, Any]:
    return {**doc, "pak3h": {"answer": answer, **({"verdicts": verdicts} if judge else {})}}


def _empty_results(spec: RunSpec) -> dict[str, Any]:
    return {
        "results": {},
        "configs": {},
        "versions": {},
        "n-shot": {},
        "n-samples": {},
        "config": {"model": "hf", "model_args": f"pretrained={spec.model},api_key=sk-secret"},
        "model_name": spec.model,
        "lm_eval_version": "0.4.13",
        "chat_template_sha": None,
        "fewshot_as_multiturn": False,
        **spec.results,
    }


def _enter(results: dict, spec: RunSpec, name: str, what: tuple, rows: list[dict[str, Any]]) -> None:
    dataset, lang, kind, split = what
    said = {
        "dataset": dataset,
        "lang": lang,
        "kind": kind,
        **({"split": split} if split else {}),
        "data": f"{spec.label}@{spec.fingerprint}",
        "data_source": spec.label,
        "data_fingerprint": spec.fingerprint * 8,
        "package": f"pak3h-tasks {spec.package}",
        **({"rules": rule_versions(metrics_of(dataset, kind), lang)} if spec.package == __version__ else {}),
    }
    if kind == "gen":
        judge = spec.classifier if dataset == "beavertails" else spec.judge
        said["classifier" if dataset == "beavertails" else "judge"] = judge or "none"
    results["configs"][name] = {"task": name, "dataset_kwargs": {"pak3h": said}, "metadata": {"version": spec.version}}
    if kind == "gen" and spec.generation:
        results["configs"][name]["generation_kwargs"] = dict(spec.generation)
    results["versions"][name] = spec.version
    results["n-shot"][name] = spec.shots
    results["n-samples"][name] = {"original": spec.total or len(rows), "effective": len(rows)}
    entry: dict[str, Any] = {"alias": name}
    for metric in dict.fromkeys(metric for row in rows for metric in row["metrics"] if metric != "ti"):
        values = [row[metric] for row in rows if metric in row]
        mean = sum(values) / len(values)
        spread = (sum((v - mean) ** 2 for v in values) / max(len(values) - 1, 1) / len(values)) ** 0.5
        entry |= {f"{metric},none": mean, f"{metric}_stderr,none": spread}
    results["results"][name] = entry

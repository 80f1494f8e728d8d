"""Judged answers of a run for people to label: the same items in every language, without the verdicts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from pak3h_tasks.data.sample_log import response
from pak3h_tasks.errors import DataError
from pak3h_tasks.report.agreement import VERDICT_OF, verdict_labels
from pak3h_tasks.report.agreement_sample import AgreementSample, drawn
from pak3h_tasks.report.run_choice import Loaded, LoadedSystem
from pak3h_tasks.report.sample_rows import sample_rows
from pak3h_tasks.report.table_specs import LANG_ORDER
from pak3h_tasks.schema import LANGS, Lang
from pak3h_tasks.text.escape import quoted

_TEXTS: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "truthfulqa": {"question": "question", "best_answer": "reference"},
        "alpaca": {"instruction": "instruction", "input": "input", "output": "reference"},
        "beavertails": {"prompt": "prompt"},
    }
)
"""Dataset -> field of its items -> column of the sheet."""


@dataclass(frozen=True)
class JudgedSample:
    """What was drawn, as a sheet.

    Attributes:
        model: Label of the model that answered.
        sample: Ids and strata.
        header: Columns; the last ones are the questions, empty.
        rows: A row a language and id.
    """

    model: str
    sample: AgreementSample
    header: tuple[str, ...]
    rows: tuple[dict[str, str], ...]


def judged_sample(
    systems: Sequence[LoadedSystem], n: int, seed: int, dataset: str | None = None, model: str | None = None
) -> JudgedSample:
    """Draw answers of one model to one dataset that a judge or classifier has judged.

    Args:
        systems: From `build.load`.
        n: Items a language; all, where there are fewer.
        seed: Of the draw.
        dataset: truthfulqa, alpaca or beavertails; None: the only one that was judged.
        model: Label of the model, as reports have it; None: the only one.

    Raises:
        DataError: Nothing of that was judged, or several models or datasets were.
    """
    choices = {
        (system.system.label, of): found
        for system in systems
        for of in _TEXTS
        if model in (None, system.system.label) and dataset in (None, of) and (found := _judged(system, of))
    }
    if not choices:
        labels = [system.system.label for system in systems]
        if model is not None and model not in labels:
            raise DataError(f"holds no model {quoted(model)}; it has {', '.join(map(quoted, labels))}")
        raise DataError(f"holds no verdicts of {dataset or 'any dataset'}; pak3h score adds them")
    if len(choices) > 1:
        said = "; ".join(f"--model '{label}' --dataset {of}" for label, of in choices)
        raise DataError(f"holds verdicts of several; give one of: {said}")
    (((label, of), by_lang),) = choices.items()
    questions = _questions(next(iter(by_lang.values())), of)
    sample = drawn(_splits(by_lang), {lang: _verdicts(one, questions) for lang, one in by_lang.items()}, n, seed)
    texts = _TEXTS[of]
    rows = []
    for lang in sample.langs:
        logged = {row["doc"]["id"]: row for row in sample_rows(by_lang[lang].source)}
        for identifier in sample.ids:
            row = logged[identifier]
            shown = {column: _text(row["doc"].get(name)) for name, column in texts.items()}
            rows.append({"id": identifier, "lang": lang, **shown, "answer": _answer(row)})
    return JudgedSample(label, sample, ("id", "lang", *texts.values(), "answer", *questions), tuple(rows))


def _judged(system: LoadedSystem, dataset: str) -> dict[Lang, Loaded]:
    """The languages in which the answers to a dataset have verdicts."""
    return {
        lang: one
        for lang in sorted(LANGS, key=LANG_ORDER.__getitem__)
        if (one := system.loaded.get((dataset, lang, "gen"))) is not None and one.items.judged()
    }


def _questions(loaded: Loaded, dataset: str) -> tuple[str, ...]:
    return tuple(name for name, (of, metric) in VERDICT_OF.items() if of == dataset and metric in loaded.items.values)


def _splits(by_lang: Mapping[Lang, Loaded]) -> dict[str, str]:
    items = next(iter(by_lang.values())).items
    return dict(zip(items.ids, map(str, items.splits), strict=True))


def _verdicts(loaded: Loaded, questions: Sequence[str]) -> dict[str, str | None]:
    """Id -> verdicts in words; None where one is missing."""
    columns = [verdict_labels(loaded.items, name, VERDICT_OF[name][1]) for name in questions]
    found: dict[str, str | None] = {}
    for identifier in loaded.items.ids:
        own = [f"{name}: {column[identifier]}" for name, column in zip(questions, columns, strict=True)]
        missing = any(column[identifier] is None for column in columns)
        found[identifier] = None if missing else ", ".join(own)
    return found


def _answer(row: Mapping[str, Any]) -> str:
    """The answer as it was judged."""
    details = row["doc"].get("pak3h")
    answer = details.get("answer") if isinstance(details, dict) else None
    return answer if isinstance(answer, str) else response(dict(row))


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""

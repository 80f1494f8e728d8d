"""A model card whose ``model-index`` holds the numbers; what a card says beside them is kept."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from pak3h_tasks.errors import DataError, described
from pak3h_tasks.metrics.registry import METRICS
from pak3h_tasks.publish.data_id import data_of
from pak3h_tasks.publish.evaluated import Evaluated
from pak3h_tasks.report.model import ALL
from pak3h_tasks.report.names import DATASET_NAMES, LANG_NAMES, SPLIT_NAMES
from pak3h_tasks.report.table import number_of
from pak3h_tasks.text.escape import markdown

if TYPE_CHECKING:
    from huggingface_hub import EvalResult

_BEGIN, _END = "<!-- pak3h results -->", "<!-- end of pak3h results -->"
_UNITS = {"fraction": "fraction from 0 to 1", "percent": "percent", "points": "points", "chars": "characters"}


def unit_name(metric: str) -> str:
    """The unit of a metric's values in words.

    Example:
        >>> unit_name("ti"), unit_name("chrf_max")
        ('fraction from 0 to 1', 'percent')
    """
    return _UNITS[METRICS[metric].unit]


def model_card(models: Sequence[Evaluated], dataset_id: str = "", source_url: str = "", existing: str = "") -> str:
    """The text of a model card with the headline numbers of a model.

    Args:
        models: Variants of one model.
        dataset_id: ``owner/name`` of the benchmark on the hub, where the runs do not say.
        source_url: Where the numbers can be looked at; "": nowhere.
        existing: The card that is there already: its text, metadata and other results stay.

    Raises:
        DataError: The existing card's metadata cannot be read.
    """
    from huggingface_hub import ModelCard, ModelCardData

    results = list(_results(models, dataset_id, source_url))
    section = _section(models)
    if not existing.strip():
        data = ModelCardData(model_name=_name(models), eval_results=results)
        return f"---\n{data.to_yaml()}\n---\n\n# {markdown(_name(models))}\n\n{section}\n"
    try:
        card = ModelCard(existing)
    except Exception as error:  # noqa: BLE001 - whatever YAML and the card's own checks raise
        raise DataError(
            f"README.md of {models[0].model_id}: {described(error)}; mend its metadata, or move it"
        ) from None
    metadata = card.data
    assert isinstance(metadata, ModelCardData)  # noqa: S101 - for the type checker
    ours = {(result.dataset_config, result.dataset_type) for result in results}
    kept = [one for one in metadata.eval_results or [] if (one.dataset_config, one.dataset_type) not in ours]
    metadata.eval_results = [*kept, *results]
    metadata.model_name = metadata.model_name or _name(models)
    before, begin, rest = card.text.partition(_BEGIN)
    after = rest.partition(_END)[2] if begin else "\n"
    card.text = f"{before if begin else before.rstrip() + chr(10) * 2}{section}{after}"
    return str(card)


def _name(models: Sequence[Evaluated]) -> str:
    """What all of them are called, else their id: "X (chat)" is no name of what was also run without a template."""
    names = {model.name for model in models}
    return names.pop() if len(names) == 1 else models[0].model_id


def _results(models: Sequence[Evaluated], dataset_id: str, source_url: str) -> Iterator[EvalResult]:
    from huggingface_hub import EvalResult

    for place, model in enumerate(models):
        for cell in model.cells:
            score, metric = cell.score, METRICS[cell.score.name]
            if score.value is None or not metric.headline:
                continue
            data = data_of(model, cell.place, dataset_id)
            interval = score.interval
            args = {
                "low": interval.low if interval else None,
                "high": interval.high if interval else None,
                "confidence_level": 0.95 if interval else None,
                "interval_method": interval.method if interval else None,
                "n": score.n,
                "n_scored": score.n_scored,
                "signature": score.signature,
                "notes": "; ".join([*([model.label] if place else []), *model.caveats]) or None,
            }
            yield EvalResult(
                task_type="text-generation",
                # what is the same for all of a dataset, language and split, or it would be lost: results that agree
                # in task, dataset, configuration and split share one entry, and the first one's names
                dataset_type=data.repo or data.name,
                dataset_name=f"{DATASET_NAMES[cell.place.dataset]}, {LANG_NAMES[cell.place.lang]}",
                dataset_config=f"{cell.place.dataset}_{cell.place.lang}",
                dataset_split="test" if cell.place.split == ALL else cell.place.split,
                metric_type=score.name,
                metric_name=f"{metric.title} ({unit_name(score.name)})",
                metric_value=score.value,
                metric_config=model.key if place else None,
                metric_args={name: value for name, value in args.items() if value is not None},
                source_url=source_url or None,
                source_name="Pak3H" if source_url else None,
            )


def _section(models: Sequence[Evaluated]) -> str:
    lines = [_BEGIN, "## Pak3H", ""]
    lines += [
        "Helpful, harmless and honest in Urdu and English, measured with pak3h-tasks. Rates in percent with their"
    ]
    lines += ["95 % interval; in the metadata above they are fractions from 0 to 1.", ""]
    for place, model in enumerate(models):
        if len(models) > 1:
            lines += [f"### {markdown(model.label) if place else 'As reported first'}", ""]
        lines += (
            [f"**Not the whole benchmark:** {markdown('; '.join(model.caveats), 2000)}", ""] if model.caveats else []
        )
        lines += ["| Data | Language | Items | Metric | Value | Scored |", "|---|---|---|---|---:|---:|"]
        for cell in model.cells:
            if METRICS[cell.score.name].headline:
                where, score = cell.place, cell.score
                texts = [
                    DATASET_NAMES[where.dataset], LANG_NAMES[where.lang], SPLIT_NAMES[where.split],
                    METRICS[score.name].title, number_of(score).text, f"{score.n_scored:,} of {score.n:,}",
                ]  # fmt: skip
                lines.append(f"| {' | '.join(map(markdown, texts))} |")
        lines.append("")
    return "\n".join([*lines, _END])

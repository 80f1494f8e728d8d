"""`.eval_results/*.yaml` of a model's repository on the hub, with huggingface_hub's own classes."""

from __future__ import annotations

from collections.abc import Sequence

from pak3h_tasks.metrics.registry import METRICS
from pak3h_tasks.publish.data_id import data_of
from pak3h_tasks.publish.evaluated import Evaluated
from pak3h_tasks.report.model import ALL, Cell

FOLDER = ".eval_results"

_HEADER = (
    "# Pak3H, measured with pak3h-tasks. Values are fractions from 0 to 1, over all items.\n"
    "# ti, mc1 and win rates: higher is better; unsafe_rate: lower is better.\n"
)


def eval_result_files(models: Sequence[Evaluated], dataset_id: str = "", source_url: str = "") -> dict[str, str]:
    """File name -> text of each variant of one model; the first variant needs no notes, as the hub asks.

    Args:
        models: Variants of one model: other settings, another judge.
        dataset_id: ``owner/name`` of the benchmark on the hub, where the runs do not say.
        source_url: Where the numbers can be looked at; "": nowhere.
    """
    import yaml
    from huggingface_hub import EvalResultEntry, eval_result_entries_to_yaml

    files = {}
    for place, model in enumerate(models):
        notes = "; ".join([*([model.label] if place else []), *model.caveats])
        entries = []
        for cell in board_cells(model):
            data = data_of(model, cell.place, dataset_id)
            entry = EvalResultEntry(
                dataset_id=data.repo or data.name,
                task_id=task_id(cell),
                value=cell.score.value,
                date=model.date,
                source_url=source_url or None,
                source_name="Pak3H" if source_url else None,
                notes=notes or None,
            )
            entries.append(entry)
        if entries:
            name = "pak3h.yaml" if place == 0 else f"pak3h_{model.key}.yaml"
            files[name] = _HEADER + yaml.safe_dump(
                eval_result_entries_to_yaml(entries), sort_keys=False, allow_unicode=True
            )
    return files


def board_cells(model: Evaluated) -> list[Cell]:
    """The numbers that a leaderboard shows: over all items, with a value."""
    return [
        cell
        for cell in model.cells
        if METRICS[cell.score.name].board and cell.place.split == ALL and cell.score.value is not None
    ]


def task_id(cell: Cell) -> str:
    """Dataset, language and metric of a number: a task has one value in this format."""
    return f"{cell.place.dataset}_{cell.place.lang}_{cell.score.name}"

"""Names of the tasks: ``pak3h_{dataset}_{lang}[_{kind}][_{split}]``."""

from __future__ import annotations

# kinds of task a dataset has; where there is only one, the name does not carry it
KINDS: dict[str, tuple[str, ...]] = {"truthfulqa": ("mc", "gen"), "alpaca": ("gen",), "beavertails": ("gen",)}


def task_name(dataset: str, lang: str, kind: str, split: str | None = None) -> str:
    """Name of a leaf task.

    Example:
        >>> task_name("truthfulqa", "ur", "gen", "lc")
        'pak3h_truthfulqa_ur_gen_lc'
        >>> task_name("alpaca", "en", "gen")
        'pak3h_alpaca_en'
    """
    named_kind = kind if len(KINDS[dataset]) > 1 else ""
    return "_".join(part for part in ("pak3h", dataset, lang, named_kind, split or "") if part)

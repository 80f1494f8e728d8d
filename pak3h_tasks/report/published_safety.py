"""What the Pak3H paper reports for harmlessness (arXiv 2608.30065, Table 3 and Section on agreement), in percent."""

from __future__ import annotations

from dataclasses import dataclass

from pak3h_tasks.report.published import published


@dataclass(frozen=True)
class PublishedSafety:
    """One published row.

    Attributes:
        lang: en, ur or urmt.
        unsafe_pct: Share of pairs called unsafe, 0-100.
        avg_max_harm_pct: Mean of the largest probability, 0-100; None: not published.
        agreement_pct: Agreement with humans on 300 pairs, 0-100; None: not published.
        n: Pairs.
    """

    lang: str
    unsafe_pct: float
    avg_max_harm_pct: float | None
    agreement_pct: float | None
    n: int = 12584


def published_safety() -> tuple[PublishedSafety, ...]:
    """The rows, from published.json."""
    found: dict[str, dict[str, float]] = {}
    for figure in published():
        if (figure.dataset, figure.kind) == ("beavertails", "pairs"):
            found.setdefault(figure.lang, {})[figure.metric] = round(100 * figure.value, 2)
    return tuple(
        PublishedSafety(lang, row["unsafe_rate"], row.get("avg_max_harm"), row.get("human_agreement"))
        for lang, row in found.items()
    )

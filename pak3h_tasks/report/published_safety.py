"""What the Pak3H paper reports for harmlessness (arXiv 2608.30065, Table 3 and Section on agreement), in percent."""

from __future__ import annotations

from dataclasses import dataclass


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


PUBLISHED_SAFETY: tuple[PublishedSafety, ...] = (
    PublishedSafety("en", 74.12, 68.04, 92),
    PublishedSafety("ur", 88.74, 62.01, 88),
    PublishedSafety("urmt", 93.06, None, None),
)

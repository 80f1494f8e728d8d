"""The harmlessness report as a terminal table and as CSV."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pak3h_tasks.report.moderation import ScoreRow, confusion
from pak3h_tasks.report.published import AGREEMENT_PAIRS, PublishedSafety
from pak3h_tasks.report.rater_agreement import Agreement
from pak3h_tasks.report.render_data import csv_text, interval_cells
from pak3h_tasks.results import Interval, Score
from pak3h_tasks.text.aligned import aligned
from pak3h_tasks.text.escape import printable

_CSV_HEADER = (
    "source", "lang", "split", "category", "metric", "value", "low", "high", "interval", "n", "n_scored", "signature"
)  # fmt: skip


def moderation_table(
    rows: Sequence[ScoreRow],
    agreements: Sequence[Agreement],
    published: Sequence[PublishedSafety],
    threshold: float,
) -> str:
    """Tables by split and by category, agreement with humans, published figures, signatures; percentages."""
    blocks = [
        f"Prompt-response pairs, unsafe above {threshold:g}; lower is safer. In percent, with 95 % intervals.",
        _by_split(rows),
    ]
    if any(row.category for row in rows):
        blocks.append(
            "Pairs above the threshold by harm category (a pair can be in several), all splits\n" + _by_category(rows)
        )
    if agreements:
        blocks.append("Agreement with human labels\n" + _agreement(agreements))
    if published:
        blocks.append(
            "Published (Pak3H, arXiv 2608.30065, its full data sets; not measured here)\n" + _published(published)
        )
    signatures = dict.fromkeys((row.lang, row.score.signature) for row in rows)
    blocks.append("\n".join(f"{lang}: {signature}" for lang, signature in signatures))
    return printable("\n\n".join(blocks))


def moderation_csv(
    rows: Sequence[ScoreRow], agreements: Sequence[Agreement], published: Sequence[PublishedSafety]
) -> str:
    """One number a line, as fractions; ``source`` tells measured from published."""
    found: list[dict[str, Any]] = []
    for row in rows:
        score = row.score
        where = {"source": "measured", "lang": row.lang, "split": row.split, "category": row.category}
        counts = {"n": score.n, "n_scored": score.n_scored, "signature": score.signature}
        found.append({**where, "metric": score.name, "value": score.value, **interval_cells(score.interval), **counts})
    for agreement in agreements:
        result = agreement.result
        where = {"source": "measured", "lang": agreement.lang, "split": "all"}
        counts = {"n": agreement.labelled, "n_scored": result.n if result else 0}
        for name, value, interval in (
            ("human_agreement", result.agreement if result else None, result.agreement_interval if result else None),
            ("human_kappa", result.kappa if result else None, result.kappa_interval if result else None),
        ):
            found.append({**where, "metric": name, "value": value, **interval_cells(interval), **counts})
    for entry in published:
        where = {"source": "published", "lang": entry.lang, "split": "all", "signature": "arXiv 2608.30065"}
        for name, percent in (
            ("unsafe_rate", entry.unsafe_pct),
            ("avg_max_harm", entry.avg_max_harm_pct),
            ("human_agreement", entry.agreement_pct),
        ):
            if percent is not None:
                n = AGREEMENT_PAIRS if name == "human_agreement" else entry.n
                found.append({**where, "metric": name, "value": percent / 100, "n": n, "n_scored": n})
    return csv_text(_CSV_HEADER, found)


def _by_split(rows: Sequence[ScoreRow]) -> str:
    table = [["split", "lang", "pairs", "scored", "unsafe", "95 %", "mean max harm", "95 %", "truncated"]]
    groups: dict[tuple[str, str], dict[str, Score]] = {}
    for row in rows:
        groups.setdefault((row.split, row.lang), {})[row.score.name] = row.score
    order = list(dict.fromkeys(split for split, _ in groups))
    for split, lang in sorted(groups, key=lambda group: order.index(group[0])):
        scores = groups[split, lang]
        unsafe, harm = scores["unsafe_rate"], scores["avg_max_harm"]
        line = [split, lang, f"{unsafe.n:,}", _coverage(unsafe), _percent(unsafe.value), _bounds(unsafe.interval)]
        line += [_percent(harm.value), _bounds(harm.interval), _percent(scores["truncated_rate"].value)]
        table.append(line)
    return _aligned(table, left=2)


def _by_category(rows: Sequence[ScoreRow]) -> str:
    cells: dict[str, dict[str, Score]] = {}
    for row in rows:
        if row.category and row.split == "all":
            cells.setdefault(row.category, {})[row.lang] = row.score
    langs = list(dict.fromkeys(row.lang for row in rows))
    table = [["category", *(head for lang in langs for head in (lang, "95 %"))]]
    for category, scores in cells.items():
        line = [category]
        for lang in langs:
            score = scores.get(lang)
            line += [_percent(score.value if score else None), _bounds(score.interval if score else None)]
        table.append(line)
    return _aligned(table, left=1)


def _agreement(agreements: Sequence[Agreement]) -> str:
    table = [
        [
            "lang",
            "labelled",
            "scored",
            "agree",
            "95 %",
            "kappa",
            "95 %",
            "both unsafe",
            "only classifier",
            "only human",
            "both safe",
        ]
    ]
    for row in agreements:
        result = row.result
        if result is None:
            table.append([row.lang, f"{row.labelled:,}", "0", *["n/a"] * 8])
            continue
        table.append(
            [row.lang, f"{row.labelled:,}", f"{result.n:,}", _percent(result.agreement)]
            + [_bounds(result.agreement_interval), f"{result.kappa:.3f}", _fractions(result.kappa_interval)]
            + [f"{count:,}" for count in confusion(result).values()]
        )
    return _aligned(table, left=1)


def _published(published: Sequence[PublishedSafety]) -> str:
    table = [["lang", "pairs", "unsafe", "mean max harm", "agreement with humans (300 pairs)"]]
    for entry in published:
        optional = [
            f"{value:g}" if value is not None else "-" for value in (entry.avg_max_harm_pct, entry.agreement_pct)
        ]
        table.append([entry.lang, f"{entry.n:,}", f"{entry.unsafe_pct:.2f}", *optional])
    return _aligned(table, left=1)


def _aligned(table: Sequence[Sequence[str]], left: int) -> str:
    return "\n".join(aligned(table, [column < left for column in range(len(table[0]))]))


def _coverage(score: Score) -> str:
    share = 100 * score.n_scored / score.n
    return f"{score.n_scored:,} ({share:.0f} %)" if score.n_scored == score.n else f"{score.n_scored:,} ({share:.1f} %)"


def _percent(value: float | None) -> str:
    return "n/a" if value is None else f"{100 * value:.2f}"


def _bounds(interval: Interval | None) -> str:
    return "" if interval is None else f"{100 * interval.low:.1f}-{100 * interval.high:.1f}"


def _fractions(interval: Interval | None) -> str:
    return "" if interval is None else f"[{interval.low:.2f}, {interval.high:.2f}]"

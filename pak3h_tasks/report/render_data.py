"""A report as JSON and as CSV: every number, one a line, published ones marked."""

from __future__ import annotations

import csv
import dataclasses
import io
from collections.abc import Iterator, Sequence
from typing import Any

from pak3h_tasks.metrics.registry import METRICS
from pak3h_tasks.report.model import ALL, Gap, Place, Report, System
from pak3h_tasks.report.published import published_tests
from pak3h_tasks.report.table import Number, Table
from pak3h_tasks.results import Interval
from pak3h_tasks.text.escape import csv_cell

FORMAT = "pak3h-report-1"
_COLUMNS = (
    "source", "system", "dataset", "lang", "kind", "split", "category", "metric", "unit",
    "value", "low", "high", "interval", "n", "n_scored",
    "minus", "first_value", "second_value", "mcnemar_p", "mcnemar_chi2", "only_first", "only_second", "z", "z_p",
    "n_judged", "n_text", "note", "signature",
)  # fmt: skip


def report_content(report: Report) -> dict[str, Any]:
    """Everything for JSON, as the dataclasses of `report.model` are; `format` names the layout."""
    tests = [dataclasses.asdict(test) for test in published_tests()]
    content = {"format": FORMAT, **dataclasses.asdict(report), "published_tests": tests}
    return {**content, "systems": [system_content(system) for system in report.systems]}


def system_content(system: System) -> dict[str, Any]:
    """A system for JSON; its files are named from the folder that was given."""
    content = dataclasses.asdict(system)
    for source in content["sources"]:
        source["files"] = source.pop("names")
    return content


def as_csv(report: Report) -> str:
    """Tidy rows: ``source`` is measured, gap or published."""
    rows = [*_score_rows(report), *(gap_cells(gap) for gap in report.gaps), *_published_rows(report)]
    return csv_text(_COLUMNS, rows)


def gaps_csv(gaps: Sequence[Gap]) -> str:
    """Paired differences alone, in the columns of `as_csv`."""
    return csv_text(_COLUMNS, [gap_cells(gap) for gap in gaps])


def csv_text(columns: tuple[str, ...], rows: list[dict[str, Any]]) -> str:
    """CSV with a header; text is inert in a spreadsheet."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    for row in rows:
        writer.writerow([_cell(row.get(name)) for name in columns])
    return out.getvalue()


def table_csv(table: Table) -> str:
    """A table as CSV: measured rows, then published ones; beside each column of numbers the ends of its intervals."""
    rows = [*(("measured", row) for row in table.rows), *(("published", row) for row in table.published)]
    numbers = [any(isinstance(row[n], Number) for _, row in rows) for n in range(len(table.header))]
    ends = [any(isinstance(e := row[n], Number) and e.low is not None for _, row in rows) for n in range(len(numbers))]
    columns = ["source"]
    for name, has_ends in zip(table.header, ends, strict=True):
        columns += [name, f"{name} low", f"{name} high"] if has_ends else [name]
    made = []
    for source, row in rows:
        cells: dict[str, Any] = {"source": source}
        for name, is_number, entry in zip(table.header, numbers, row, strict=True):
            if isinstance(entry, Number):
                cells |= {name: entry.value, f"{name} low": entry.low, f"{name} high": entry.high}
            else:
                # beside a number a text is what the paper printed: "78.30 (0.783)"
                cells[name] = entry.partition(" ")[0] if is_number and isinstance(entry, str) else entry
        made.append(cells)
    return csv_text(tuple(columns), made)


def gap_cells(gap: Gap) -> dict[str, Any]:
    """A paired difference as CSV cells."""
    return {
        "source": "gap",
        **_place(gap.place, gap.metric),
        **({"system": gap.first} if gap.of_systems else {"lang": gap.first}),
        "minus": gap.second,
        "value": gap.difference,
        **interval_cells(gap.interval),
        "n": gap.n,
        "n_scored": gap.n,
        "first_value": gap.first_value,
        "second_value": gap.second_value,
        "mcnemar_p": gap.mcnemar.p_value if gap.mcnemar else None,
        "mcnemar_chi2": gap.mcnemar.statistic if gap.mcnemar else None,
        "only_first": gap.mcnemar.only_first if gap.mcnemar else None,
        "only_second": gap.mcnemar.only_second if gap.mcnemar else None,
        "z": gap.z.statistic if gap.z else None,
        "z_p": gap.z.p_value if gap.z else None,
        "note": gap.note,
    }


def _score_rows(report: Report) -> Iterator[dict[str, Any]]:
    for cell in report.cells:
        score = cell.score
        yield {
            "source": "measured",
            **_place(cell.place, score.name),
            "value": score.value,
            **interval_cells(score.interval),
            "n": score.n,
            "n_scored": score.n_scored,
            "n_judged": cell.n_judged,
            "n_text": cell.n_text,
            "note": cell.note,
            "signature": score.signature,
        }


def _published_rows(report: Report) -> Iterator[dict[str, Any]]:
    tests = {(test.system, test.dataset, test.langs[0], ALL, test.metric): test for test in published_tests()}
    for entry in report.published:
        place = Place(entry.system, entry.dataset, entry.lang, entry.kind, entry.split)
        parts = [entry.source, entry.judge and f"judge {entry.judge}", entry.note]
        row = {"source": "published", **_place(place, entry.metric), "value": entry.value, "n": entry.n}
        if test := tests.get((entry.system, entry.dataset, entry.lang, entry.split, entry.metric)):
            # as in a row of a gap
            row |= {"minus": test.langs[1], "mcnemar_chi2": test.chi2, "z": test.z}
            parts.append(test.note)
        yield {**row, "note": "; ".join(filter(None, parts))}


def _place(place: Place, metric: str) -> dict[str, Any]:
    return {**dataclasses.asdict(place), "metric": metric, "unit": METRICS[metric].unit}


def interval_cells(interval: Interval | None) -> dict[str, Any]:
    """An interval as CSV cells."""
    return {"low": interval.low, "high": interval.high, "interval": interval.method} if interval else {}


def _cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.8g}"
    return csv_cell(value) if isinstance(value, str) else str(value)

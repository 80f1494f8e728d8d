"""How well refusals are found, by language; prints the tables of docs/refusals.md.

    python utils/measure_refusals.py [FILE.jsonl]

Rows of the file (default: tests/metrics/refusals.jsonl) hold one text in English, Urdu and Roman Urdu, its topic,
whether it is a refusal, and its part: the rules were tuned on all parts but those of `HELD`.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

from pak3h_tasks.metrics.refusal import is_refusal
from pak3h_tasks.stats.paired import mean_difference

LABELLED = Path(__file__).resolve().parents[1] / "tests" / "metrics" / "refusals.jsonl"
LANGUAGES = {"en": "English", "ur": "Urdu", "ur_latn": "Roman Urdu"}
HELD = ("D", "K")
PARTS = {
    "A": "A, tuned on",
    "B": "B, tuned on later",
    "third": "third, tuned on later",
    "C": "C, tuned on later",
    "E": "E, tuned on later",
    "F": "F, tuned on later",
    "G": "G, tuned on later",
    "H": "H, tuned on later",
    "I": "I, tuned on later",
    "J": "J, tuned on later",
    "D": "D, held out",
    "K": "K, held out",
    "D, K": "D and K",
}


def rows(path: Path = LABELLED) -> list[dict]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def found(row: dict, lang: str) -> bool:
    return is_refusal(row[lang], "en" if lang == "en" else "ur")


def quality(part: list[dict]) -> dict[str, tuple[float, float, int, int]]:
    """Language -> precision, recall (fractions), texts, refusals."""
    measured = {}
    for lang in LANGUAGES:
        hits = [found(row, lang) for row in part]
        right = sum(hit and row["refusal"] for hit, row in zip(hits, part, strict=True))
        refusals = sum(row["refusal"] for row in part)
        measured[lang] = (right / max(1, sum(hits)), right / max(1, refusals), len(part), refusals)
    return measured


def difference(part: list[dict], lang: str) -> tuple[float, float, float]:
    """Recall in English minus that in another language over the same refusals, in points, and its 95 % interval."""
    refusals = [row for row in part if row["refusal"]]
    gap = mean_difference(*([float(found(row, name)) for row in refusals] for name in ("en", lang)))
    assert gap.interval is not None
    return 100 * gap.value, 100 * gap.interval.low, 100 * gap.interval.high


def tables(labelled: list[dict]) -> list[str]:
    lines = ["| texts | language | n | refusals | precision % | recall % |", "|---|---|---:|---:|---:|---:|"]
    gaps = ["| texts | recall | points | 95 % interval |", "|---|---|---:|---|"]
    for key, name in PARTS.items():
        part = [row for row in labelled if row["part"] in key.split(", ")]
        for lang, (precision, recall, n, refusals) in quality(part).items():
            lines.append(
                f"| {name} | {LANGUAGES[lang]} | {n} | {refusals} | {100 * precision:.1f} | {100 * recall:.1f} |"
            )
            if lang != "en":
                value, low, high = difference(part, lang)
                gaps.append(f"| {name} | English minus {LANGUAGES[lang]} | {value:+.1f} | [{low:.1f}, {high:.1f}] |")
    return [*lines, "", *gaps]


def main() -> None:
    labelled = rows(Path(sys.argv[1]) if len(sys.argv) > 1 else LABELLED)
    print("\n".join(tables(labelled)))
    start = time.perf_counter()
    for row in labelled:
        for lang in LANGUAGES:
            found(row, lang)
    spent_ms = 1000 * (time.perf_counter() - start) / (len(labelled) * len(LANGUAGES))
    print(f"{spent_ms:.2f} ms a text", file=sys.stderr)


if __name__ == "__main__":
    main()

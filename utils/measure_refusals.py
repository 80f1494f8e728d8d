"""How well refusals are found, by language; prints the tables of docs/refusals.md.

    python utils/measure_refusals.py [FILE.jsonl]

Rows of the file (default: tests/metrics/refusals.jsonl) hold one text in English, Urdu and Roman Urdu, its topic,
whether it is a refusal, and its part. Parts K to N were frozen before any rules had been run on them: their rows keep
the verdicts of that first run (`first`, with the version of the rules), which no later change of the rules touches.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path

from pak3h_tasks.metrics.refusal import REFUSAL_VERSION, is_refusal
from pak3h_tasks.stats.paired import mean_difference

LABELLED = Path(__file__).resolve().parents[1] / "tests" / "metrics" / "refusals.jsonl"
LANGUAGES = {"en": "English", "ur": "Urdu", "ur_latn": "Roman Urdu"}

Verdict = Callable[[dict, str], bool]


def rows(path: Path = LABELLED) -> list[dict]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def first_seen(labelled: list[dict]) -> list[dict]:
    """Rows that keep the verdicts of the rules that saw them first."""
    return [row for row in labelled if "first" in row]


def found(row: dict, lang: str) -> bool:
    return is_refusal(row[lang], "en" if lang == "en" else "ur")


def found_at_first_sight(row: dict, lang: str) -> bool:
    return bool(row["first"][lang])


def quality(part: list[dict], verdict: Verdict) -> dict[str, tuple[float, float, int, int]]:
    """Language -> precision, recall (fractions), texts, refusals."""
    measured = {}
    for lang in LANGUAGES:
        hits = [verdict(row, lang) for row in part]
        right = sum(hit and row["refusal"] for hit, row in zip(hits, part, strict=True))
        refusals = sum(row["refusal"] for row in part)
        measured[lang] = (right / max(1, sum(hits)), right / max(1, refusals), len(part), refusals)
    return measured


def difference(part: list[dict], lang: str, verdict: Verdict) -> tuple[float, float, float]:
    """Recall in English minus that in another language over the same refusals, in points, and its 95 % interval."""
    refusals = [row for row in part if row["refusal"]]
    gap = mean_difference(*([float(verdict(row, name)) for row in refusals] for name in ("en", lang)))
    assert gap.interval is not None
    return 100 * gap.value, 100 * gap.interval.low, 100 * gap.interval.high


def tables(labelled: list[dict]) -> list[str]:
    lines = [
        "| texts | rules | language | n | refusals | precision % | recall % | English minus it |",
        "|---|---|---|---:|---:|---:|---:|---|",
    ]
    seen = first_seen(labelled)
    parts = sorted({row["part"] for row in seen})
    measured = [(name, [row for row in seen if row["part"] == name], found_at_first_sight) for name in parts]
    measured += [(f"**{parts[0]} to {parts[-1]}**", seen, found_at_first_sight), ("all, known", labelled, found)]
    for name, part, verdict in measured:
        versions = sorted({row["first"]["rules"] for row in part}) if verdict != found else [REFUSAL_VERSION]
        for lang, (precision, recall, n, refusals) in quality(part, verdict).items():
            gap = "" if lang == "en" else "{:+.1f} [{:.1f}, {:.1f}]".format(*difference(part, lang, verdict))
            lines.append(
                f"| {name} | {', '.join(versions)} | {LANGUAGES[lang]} | {n} | {refusals} | {100 * precision:.1f} | "
                f"{100 * recall:.1f} | {gap} |"
            )
    return lines


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

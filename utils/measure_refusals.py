"""How well refusals are found, by language; prints the tables of docs/refusals.md.

    python utils/measure_refusals.py

Parts K to O of the labelled texts (tests/metrics/refusals.jsonl) were frozen before any rules had been run on them:
their rows keep what the rules of then said (`first`, with their version), which no later change touches. Each is
measured with those verdicts and with a model trained on all texts but its own part: neither had seen it.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

import train_refusals
from train_refusals import LANGUAGES

from pak3h_tasks.metrics.refusal import REFUSAL_VERSION, decided, is_refusal
from pak3h_tasks.stats.paired import mean_difference

Verdict = Callable[[dict, str], bool]


def first_seen(labelled: list[dict]) -> list[dict]:
    """Rows that keep the verdicts of the rules that saw them first."""
    return [row for row in labelled if "first" in row]


def found(row: dict, lang: str) -> bool:
    return is_refusal(row[lang], "en" if lang == "en" else "ur")


def by_first_rules(row: dict, lang: str) -> bool:
    return bool(row["first"][lang])


def unseen(labelled: list[dict]) -> Verdict:
    """Verdicts on rows first seen, by the rules of then and a model that was trained without the row's part."""
    log_odds: dict[tuple[str, str], float] = {}
    for part in {row["part"] for row in first_seen(labelled)}:
        vectors, model = train_refusals.trained([row for row in labelled if row["part"] != part])
        for row in (row for row in labelled if row["part"] == part):
            for lang in LANGUAGES:
                log_odds[row["id"], lang] = float(model.decision_function(vectors.transform([row[lang]]))[0])
    return lambda row, lang: decided(log_odds[row["id"], lang], by_first_rules(row, lang))


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
        "| texts | by | language | n | refusals | precision % | recall % | English minus it |",
        "|---|---|---|---:|---:|---:|---:|---|",
    ]
    seen = first_seen(labelled)
    parts = sorted({row["part"] for row in seen})
    both, all_parts = unseen(labelled), f"{parts[0]} to {parts[-1]}"
    measured = [(name, "rules and model", [row for row in seen if row["part"] == name], both) for name in parts]
    measured += [(f"**{all_parts}**", "rules and model", seen, both), (all_parts, "rules alone", seen, by_first_rules)]
    measured += [("all, known", REFUSAL_VERSION, labelled, found)]
    for name, by, part, verdict in measured:
        for lang, (precision, recall, n, refusals) in quality(part, verdict).items():
            gap = "" if lang == "en" else "{:+.1f} [{:.1f}, {:.1f}]".format(*difference(part, lang, verdict))
            lines.append(
                f"| {name} | {by} | {LANGUAGES[lang]} | {n} | {refusals} | {100 * precision:.1f} | "
                f"{100 * recall:.1f} | {gap} |"
            )
    return lines


def main() -> None:
    labelled = train_refusals.rows()
    print("\n".join(tables(labelled)))
    start = time.perf_counter()
    for row in labelled:
        for lang in LANGUAGES:
            found(row, lang)
    spent_ms = 1000 * (time.perf_counter() - start) / (len(labelled) * len(LANGUAGES))
    print(f"{spent_ms:.2f} ms a text", file=sys.stderr)


if __name__ == "__main__":
    main()

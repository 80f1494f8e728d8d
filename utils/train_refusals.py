"""Trains the model of refusals (pak3h_tasks/metrics/refusal/weights.json) on the labelled texts; prints its size.

    python utils/train_refusals.py [PART ...]     parts of tests/metrics/refusals.jsonl to leave out

Needs scikit-learn, which lm-eval installs. Besides the labelled texts it learns from answers of the embedded sample,
which are none. With parts left out nothing is written: what the model finds in these texts is printed instead.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence

import measure_refusals
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression

from pak3h_tasks.data.load import load
from pak3h_tasks.metrics.refusal import beginning, decided, said_by_rules
from pak3h_tasks.metrics.refusal.model import WEIGHTS, pieces
from pak3h_tasks.schema import LANGS

LEAST_TEXTS = 10  # a piece of fewer texts is left out: half the size, and as good
STRENGTH = 10.0  # inverse of the ridge penalty; 30 finds 1 point more and calls twice as many statements refusals


def sample_answers() -> Iterator[str]:
    for lang in LANGS:
        yield from (item.output for item in load("alpaca", lang).items)
        for item in load("truthfulqa", lang).items:
            yield from (
                text for text in (*item.correct_answers, *item.incorrect_answers) if not said_by_rules(beginning(text))
            )


def trained(rows: Sequence[dict]) -> tuple[TfidfVectorizer, LogisticRegression]:
    labelled = [(row[lang], row["refusal"]) for row in rows for lang in measure_refusals.LANGUAGES]
    labelled += [(text, False) for text in sample_answers()]
    texts, refusals = zip(*labelled, strict=True)
    vectors = TfidfVectorizer(
        analyzer=lambda text: list(pieces(" ".join(beginning(text)))), min_df=LEAST_TEXTS, sublinear_tf=True
    )
    model = LogisticRegression(C=STRENGTH, class_weight="balanced", max_iter=5000)
    return vectors, model.fit(vectors.fit_transform(texts), refusals)


def as_weights(vectors: TfidfVectorizer, model: LogisticRegression) -> dict:
    """What `pak3h_tasks.metrics.refusal.model` reads, to three digits."""
    names = vectors.get_feature_names_out()
    found = {
        name: [round(float(idf), 2), round(float(weight), 3)]
        for name, idf, weight in zip(names, vectors.idf_, model.coef_[0], strict=True)
    }
    return {"intercept": round(float(model.intercept_[0]), 3), "pieces": found}


def main() -> None:
    rows = measure_refusals.rows()
    left_out = set(sys.argv[1:])
    vectors, model = trained([row for row in rows if row["part"] not in left_out])
    if not left_out:
        lines = json.dumps(as_weights(vectors, model), ensure_ascii=False).replace("], ", "],\n")
        WEIGHTS.write_text(lines + "\n", encoding="utf-8")
        print(f"{len(vectors.vocabulary_):,} pieces, {WEIGHTS.stat().st_size:,} bytes")
        return
    unseen = [row for row in rows if row["part"] in left_out]

    def verdict(row: dict, lang: str) -> bool:
        return decided(float(model.decision_function(vectors.transform([row[lang]]))[0]), rules_say(row, lang))

    def rules_say(row: dict, lang: str) -> bool:
        return row["first"][lang] if "first" in row else said_by_rules(beginning(row[lang]))

    for lang, (precision, recall, n, refusals) in measure_refusals.quality(unseen, verdict).items():
        print(f"{lang}: {n} texts, {refusals} refusals, precision {100 * precision:.1f}, recall {100 * recall:.1f}")
    value, low, high = measure_refusals.difference(unseen, "ur", verdict)
    print(f"recall in English minus Urdu {value:+.1f} [{low:.1f}, {high:.1f}]")


if __name__ == "__main__":
    main()

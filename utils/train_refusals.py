"""Trains the model of refusals (pak3h_tasks/metrics/refusal/weights.json) on the labelled texts; prints its size.

    python utils/train_refusals.py

Needs scikit-learn, which lm-eval installs. Rows of tests/metrics/refusals.jsonl hold one text in English, Urdu and
Roman Urdu, its topic, whether it is a refusal, and its part. Answers of the embedded sample, which are none, are
learned from, too.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression

from pak3h_tasks.data.load import load
from pak3h_tasks.metrics.refusal import beginning, said_by_rules
from pak3h_tasks.metrics.refusal.model import WEIGHTS, pieces
from pak3h_tasks.schema import LANGS

LABELLED = Path(__file__).resolve().parents[1] / "tests" / "metrics" / "refusals.jsonl"
LANGUAGES = {"en": "English", "ur": "Urdu", "ur_latn": "Roman Urdu"}
LEAST_TEXTS = 10  # a piece of fewer texts is left out: a third of the size, and as good
STRENGTH = 10.0  # inverse of the ridge penalty; 30 finds one point more and calls twice as many statements refusals


def rows(path: Path = LABELLED) -> list[dict]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@cache
def prepared(text: str) -> tuple[str, ...]:
    """Pieces of an answer's first sentences."""
    return tuple(pieces(" ".join(beginning(text))))


def sample_answers() -> Iterator[str]:
    for lang in LANGS:
        yield from (item.output for item in load("alpaca", lang).items)
        for item in load("truthfulqa", lang).items:
            answers = (*item.correct_answers, *item.incorrect_answers)
            yield from (text for text in answers if not said_by_rules(beginning(text)))


def trained(labelled: Sequence[dict]) -> tuple[TfidfVectorizer, LogisticRegression]:
    texts = [(row[lang], row["refusal"]) for row in labelled for lang in LANGUAGES]
    texts += [(text, False) for text in sample_answers()]
    vectors = TfidfVectorizer(analyzer=prepared, min_df=LEAST_TEXTS, sublinear_tf=True)
    model = LogisticRegression(C=STRENGTH, class_weight="balanced", max_iter=5000)
    return vectors, model.fit(vectors.fit_transform([text for text, _ in texts]), [refusal for _, refusal in texts])


def as_weights(vectors: TfidfVectorizer, model: LogisticRegression) -> dict:
    """What `pak3h_tasks.metrics.refusal.model` reads, to three digits."""
    names = vectors.get_feature_names_out()
    found = {
        name: [round(float(idf), 2), round(float(weight), 3)]
        for name, idf, weight in zip(names, vectors.idf_, model.coef_[0], strict=True)
    }
    return {"intercept": round(float(model.intercept_[0]), 3), "pieces": found}


def main() -> None:
    vectors, model = trained(rows())
    WEIGHTS.write_text(
        json.dumps(as_weights(vectors, model), ensure_ascii=False).replace("], ", "],\n") + "\n", encoding="utf-8"
    )
    print(f"{len(vectors.vocabulary_):,} pieces, {WEIGHTS.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()

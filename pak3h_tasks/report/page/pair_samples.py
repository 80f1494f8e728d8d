"""Moderated pairs for the sample browser, languages side by side (as the paper's Figure 9).

The output of `pak3h moderate` holds no texts, so they come from the data: a pair is shown where it still is the one
that was moderated.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from pak3h_tasks.data.load import load
from pak3h_tasks.data.moderation_file import ModerationRecord, prompt_hash
from pak3h_tasks.data.moderation_pairs import PairItem, pairs_of
from pak3h_tasks.errors import Pak3HError
from pak3h_tasks.metrics.safety import THRESHOLD
from pak3h_tasks.report.estimate import Values
from pak3h_tasks.report.moderation import pair_columns, verdict_of
from pak3h_tasks.report.moderation_cells import by_label
from pak3h_tasks.schema import LANGS, Lang


@dataclass(frozen=True)
class PairLog:
    """Pairs of one classifier and language, as the sample browser reads a log.

    Attributes:
        model: Label of the pairs, as in the tables.
        lang: Language.
        ids: (n,) each once.
        values: Metric -> (n,), NaN where a pair is not scored.
        records: What the classifier said, by id.
        texts: Prompt and response, by id.
        threshold: Unsafe above it.
    """

    model: str
    lang: Lang
    ids: tuple[str, ...]
    values: Mapping[str, Values]
    records: Mapping[str, ModerationRecord]
    texts: Mapping[str, PairItem]
    threshold: float

    def rows(self) -> Iterator[dict[str, Any]]:
        """Rows as a sample log has them: the pair, its verdict and its numbers."""
        for place, identifier in enumerate(self.ids):
            record, pair = self.records[identifier], self.texts[identifier]
            verdict = {**verdict_of(record, self.threshold).to_json(), "signature": record.made_by}
            yield {
                "doc": {
                    "id": identifier,
                    "localization": record.localization,
                    "prompt": pair.prompt,
                    "pak3h": {"answer": pair.response, "verdicts": {"safety": verdict}},
                },
                "resps": [[pair.response]],
                **{name: float(column[place]) for name, column in self.values.items()},
            }


def pair_logs(
    files: Sequence[Path], data: str | None, warn: Callable[[str], None], threshold: float = THRESHOLD
) -> list[PairLog]:
    """The moderated pairs whose texts the data has.

    Args:
        files: Outputs of `pak3h moderate`.
        data: The data that was moderated; None: the embedded sample.
        warn: Told which languages have no texts.
        threshold: Unsafe above it.
    """
    found: list[PairLog] = []
    texts: dict[Lang, tuple[str, dict[str, PairItem]]] = {}
    absent: dict[str, None] = {}
    for label, records in by_label(files, lambda _: None).items():
        for lang in LANGS:
            of_lang = {record.id: record for record in records if record.lang == lang}
            if not of_lang:
                continue
            if lang not in texts:
                texts[lang] = _texts(lang, data)
            fingerprint, pairs = texts[lang]
            # the prompts' hashes say nothing of responses, the fingerprint does
            is_same = any(_fingerprint(record.data) == fingerprint for record in of_lang.values())
            ids = [i for i, r in of_lang.items() if i in pairs and prompt_hash(pairs[i].prompt) == r.prompt]
            if not is_same or not ids:
                absent[lang] = None
                continue
            values = pair_columns([of_lang[i] for i in ids], threshold)
            found.append(PairLog(label, lang, tuple(ids), values, of_lang, pairs, threshold))
    if absent:
        warn(
            f"moderated pairs have no texts on this page in {', '.join(absent)}: give the data that was moderated as "
            "--data"
        )
    return found


def _texts(lang: Lang, data: str | None) -> tuple[str, dict[str, PairItem]]:
    """Fingerprint of the data and its pairs by id; nothing where the data cannot be had."""
    try:
        loaded = load("beavertails", lang, data)
    except Pak3HError:
        return "", {}
    return _fingerprint(loaded.short), {pair.id: pair for pair in pairs_of(cast(Any, loaded))}


def _fingerprint(short: str) -> str:
    return short.rpartition("@")[2]

"""Pairs for people to label, to check a classifier as the paper did: 300 Urdu pairs and their English partners.

A pair is drawn in all languages or in none. The sample is stratified by category (DT, LC, LI) and by the classifier's
verdict in each language, each stratum as large in the sample as among all pairs, so that the agreement found needs no
weights.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from pak3h_tasks.data.moderation_file import ModerationRecord
from pak3h_tasks.errors import DataError
from pak3h_tasks.metrics.safety import is_unsafe, max_harm
from pak3h_tasks.schema import Lang

_LANGS: tuple[Lang, ...] = ("en", "ur", "urmt")
Stratum = tuple[str, ...]
"""Category and the verdict in each language."""


@dataclass(frozen=True)
class AgreementSample:
    """What was drawn.

    Attributes:
        langs: Languages, each with every id.
        ids: In random order, which tells nothing of the verdicts.
        strata: Stratum -> (drawn, of how many).
    """

    langs: tuple[Lang, ...]
    ids: tuple[str, ...]
    strata: dict[Stratum, tuple[int, int]]


def draw(records: Sequence[ModerationRecord], n: int, seed: int, threshold: float) -> AgreementSample:
    """Draw pairs that are scored in every language there is.

    Args:
        records: From `read_moderation`.
        n: Pairs a language; all, where there are fewer.
        seed: Of the draw.
        threshold: Unsafe above it.

    Raises:
        DataError: Several classifiers made the records, or no pair is scored in all languages.
    """
    makers = dict.fromkeys(record.made_by for record in records)
    if len(makers) > 1:
        raise DataError(f"{len(makers)} classifiers made these records ({', '.join(makers)}); give the file of one")
    by_lang: dict[str, dict[str, ModerationRecord]] = defaultdict(dict)
    for record in records:
        if record.probabilities is not None:
            by_lang[record.lang][record.id] = record
    langs = tuple(lang for lang in _LANGS if lang in by_lang)
    strata: dict[Stratum, list[str]] = defaultdict(list)
    for identifier in by_lang[langs[0]] if langs else ():
        own = [by_lang[lang].get(identifier) for lang in langs]
        if all(own):
            verdicts = ("unsafe" if _is_unsafe(record, threshold) else "safe" for record in own if record)
            strata[(str(own[0] and own[0].localization), *verdicts)].append(identifier)
    if not strata:
        raise DataError("no pair is scored in every language; run pak3h moderate again")
    sizes = _allocated({stratum: len(ids) for stratum, ids in strata.items()}, n)
    rng = random.Random(seed)
    # sorted: an output file holds its records in the order of computation
    chosen = [i for stratum in sorted(strata) for i in rng.sample(sorted(strata[stratum]), sizes[stratum])]
    rng.shuffle(chosen)
    return AgreementSample(langs, tuple(chosen), {s: (sizes[s], len(strata[s])) for s in sorted(strata)})


def _is_unsafe(record: ModerationRecord, threshold: float) -> bool:
    return is_unsafe(max_harm(record.probabilities or {}), threshold)


def _allocated(sizes: dict[Stratum, int], n: int) -> dict[Stratum, int]:
    """Shares of `n` in proportion to the sizes, whole, by largest remainder.

    Example:
        >>> _allocated({("dt",): 60, ("lc",): 30, ("li",): 10}, 7)
        {('dt',): 4, ('lc',): 2, ('li',): 1}
    """
    total = sum(sizes.values())
    n = min(n, total)
    found = {stratum: n * size // total for stratum, size in sizes.items()}
    left = sorted(sizes, key=lambda stratum: (-(n * sizes[stratum] % total), stratum))
    for stratum in left[: n - sum(found.values())]:
        found[stratum] += 1
    return found

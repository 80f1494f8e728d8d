"""What people label to check a classifier, as the paper did, or a judge: 300 Urdu items and their English partners.

An item is drawn in all languages or in none. The sample is stratified by category (DT, LC, LI) and by the verdict in
each language, each stratum as large in the sample as among all items, so that the agreement found needs no weights.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pak3h_tasks.data.moderation_file import ModerationRecord
from pak3h_tasks.errors import DataError
from pak3h_tasks.report.moderation import verdict_of
from pak3h_tasks.report.table_specs import LANG_ORDER
from pak3h_tasks.schema import LANGS, Lang

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
    langs = tuple(sorted((lang for lang in LANGS if lang in by_lang), key=LANG_ORDER.__getitem__))
    if not langs:
        raise DataError("no pair is scored in every language; run pak3h moderate again")
    verdicts = {
        lang: {i: "unsafe" if verdict_of(record, threshold).value else "safe" for i, record in by_lang[lang].items()}
        for lang in langs
    }
    splits = {identifier: str(record.localization) for identifier, record in by_lang[langs[0]].items()}
    return drawn(splits, verdicts, n, seed)


def drawn(
    splits: Mapping[str, str], verdicts: Mapping[Lang, Mapping[str, str | None]], n: int, seed: int
) -> AgreementSample:
    """Draw items that have a verdict in every language there is.

    Args:
        splits: Id -> dt, lc or li.
        verdicts: Language -> id -> verdict; None: none.
        n: Items a language; all, where there are fewer.
        seed: Of the draw.

    Raises:
        DataError: No item has a verdict in all languages.
    """
    langs = tuple(verdicts)
    strata: dict[Stratum, list[str]] = defaultdict(list)
    for identifier, split in splits.items():
        own = [of.get(identifier) for of in verdicts.values()]
        if all(own):
            strata[(split, *map(str, own))].append(identifier)
    if not strata:
        raise DataError(f"nothing is scored in every language ({', '.join(langs)}); score what is missing first")
    sizes = _allocated({stratum: len(ids) for stratum, ids in strata.items()}, n)
    rng = random.Random(seed)
    # sorted: an output file holds its records in the order of computation
    chosen = [i for stratum in sorted(strata) for i in rng.sample(sorted(strata[stratum]), sizes[stratum])]
    rng.shuffle(chosen)
    return AgreementSample(langs, tuple(chosen), {s: (sizes[s], len(strata[s])) for s in sorted(strata)})


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

"""Human labels of answers, to compare a judge or classifier with: one row an item and rater."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from pak3h_tasks.data.field_values import boolean, is_missing, text
from pak3h_tasks.data.read_table import read_table
from pak3h_tasks.schema import LANGS
from pak3h_tasks.text.escape import quoted

QUESTIONS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "truthful": ("yes", "no"),
        "informative": ("yes", "no"),
        "preference": ("model", "reference", "tie"),
        "unsafe": ("yes", "no"),
    }
)
"""Questions and their labels."""

_PREFERENCES = {"model": "model", "win": "model", "1": "model", "reference": "reference", "loss": "reference"}
_PREFERENCES |= {"0": "reference", "tie": "tie", "draw": "tie", "0.5": "tie"}


@dataclass(frozen=True)
class HumanLabels:
    """Votes by question, then (language or None, id); a row is a vote.

    Attributes:
        name: The file's name.
        votes: Question -> (language, id) -> labels. Language None: the label holds in every language.
    """

    name: str
    votes: Mapping[str, Mapping[tuple[str | None, str], tuple[str, ...]]]

    def of(self, question: str, lang: str, identifier: str) -> tuple[str, ...]:
        """Votes on one item."""
        votes = self.votes.get(question, {})
        return votes.get((lang, identifier), ()) + votes.get((None, identifier), ())


def read_human_labels(path: Path) -> HumanLabels:
    """Labels from any file that `read_table` reads.

    Columns: ``id``; ``lang`` (optional); and any of ``truthful``, ``informative``, ``unsafe`` (or ``is_safe``) with yes
    or no, ``preference`` with model, reference or tie. An empty cell is no vote; several rows of an item are several
    raters.

    Raises:
        DataError: A column is missing, or a label is none of the allowed; one line a fault.
    """
    table = read_table(path).named(("id", "lang", *QUESTIONS, "is_safe"))
    faults = table.faults_with(("id",), "give the item ids of the data")
    asked = [name for name in (*QUESTIONS, "is_safe") if name in table.columns]
    if not asked:
        faults.raise_now(f"no column of labels; name them {', '.join(QUESTIONS)} or is_safe")
    votes: dict[str, dict[tuple[str | None, str], list[str]]] = defaultdict(lambda: defaultdict(list))
    for position, row in table.rows:
        identifier, lang = text(row.get("id")), row.get("lang")
        lang = None if is_missing(lang) or lang == "" else str(lang)
        if not isinstance(identifier, str) or not identifier:
            faults.add("'id' is empty; give one", position)
            continue
        if lang is not None and lang not in LANGS and lang != "-":
            faults.add(f"'lang' is {quoted(lang)}; use {', '.join(LANGS)}", position)
        for column in asked:
            value = row.get(column)
            if is_missing(value) or str(value).strip() == "":
                continue
            label = _label(column, value)
            if label is None:
                allowed = ", ".join(QUESTIONS["unsafe" if column == "is_safe" else column])
                faults.add(f"{column!r} is {quoted(value)}; use {allowed}", position)
            else:
                votes["unsafe" if column == "is_safe" else column][lang, identifier].append(label)
    if not votes and not faults:
        faults.add("holds no label; fill in at least one")
    if faults:
        raise faults.error()
    return HumanLabels(
        table.name, {name: {key: tuple(given) for key, given in found.items()} for name, found in votes.items()}
    )


def merged(files: Sequence[HumanLabels]) -> HumanLabels:
    """The votes of several files, such as a sheet a rater."""
    votes: dict[str, dict[tuple[str | None, str], tuple[str, ...]]] = defaultdict(dict)
    for labels in files:
        for question, of in labels.votes.items():
            for key, given in of.items():
                votes[question][key] = votes[question].get(key, ()) + given
    return HumanLabels(", ".join(labels.name for labels in files), votes)


def _label(column: str, value: object) -> str | None:
    if column == "preference":
        return _PREFERENCES.get(str(value).strip().lower().removesuffix(".0"))
    flag = boolean(value)
    if not isinstance(flag, bool):
        return None
    return "yes" if flag != (column == "is_safe") else "no"

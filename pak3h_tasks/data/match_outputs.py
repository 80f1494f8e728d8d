"""Which item each answer of a file belongs to: by id, by the text of the instruction, or by that text respelled."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from pak3h_tasks.data.outputs import TEXT_FIELD, AnswerRow, Outputs
from pak3h_tasks.schema import Dataset, Item, Lang
from pak3h_tasks.text.escape import quoted
from pak3h_tasks.text.normalise import normalise


@dataclass(frozen=True)
class Matched:
    """Answers matched to items.

    Attributes:
        answers: Answer by item id, in data order.
        without_answer: Ids of items without one.
        unmatched: One line each, of rows that belong to no item.
        duplicates: One line each, of rows for an item that already had one (the first counts).
        doubtful: One line each, of things about the match that a reader should know.
    """

    answers: Mapping[str, str]
    without_answer: tuple[str, ...]
    unmatched: tuple[str, ...]
    duplicates: tuple[str, ...]
    doubtful: tuple[str, ...]


def match(
    outputs: Outputs, items: Sequence[Item], dataset: Dataset, lang: Lang, same: Mapping[str, Item] | None = None
) -> Matched:
    """Match rows to items.

    A row goes by its ``id``; where it has none, or one that the data does not know, by its text: as it stands, else in
    one Urdu spelling with single spaces, since files that went through other tools come back with Arabic letters and
    changed line ends. An id whose row carries the text of another item matches nothing: numbers made elsewhere would
    otherwise give answers to the wrong items. Items with one and the same text take the rows in file order; where only
    their inputs differ, a row needs ``input`` or ``id``.

    Args:
        outputs: From `read_outputs`.
        items: The dataset's items.
        dataset: Which dataset.
        lang: In which language.
        same: Further ids and the item that stands for them.
    """
    finder = _Finder(items, dataset, lang, same or {})
    found: dict[str, str] = {}
    unmatched: list[str] = []
    duplicates: list[str] = []
    respelled: list[int] = []
    other_text: list[int] = []
    for row in outputs.rows:
        where = f"{outputs.unit} {row.position} ({quoted(row.id if row.id is not None else row.text.strip())})"
        candidates, how = finder.find(row)
        if isinstance(candidates, str):
            unmatched.append(f"{where} {candidates}")
            continue
        item = next((item for item in candidates if item.id not in found), None)
        if item is None:
            duplicates.append(f"{where} answers {quoted(candidates[0].id)} a second time; the first answer counts")
            continue
        found[item.id] = row.answer
        if how == "spelling":
            respelled.append(row.position)
        elif how == "id alone":
            other_text.append(row.position)
    doubtful = []
    if respelled:
        doubtful.append(f"{_named(outputs, respelled)} matched by text in another spelling (Arabic letters, spaces)")
    if other_text:
        doubtful.append(
            f"{_named(outputs, other_text)} matched by id, though the text is none of the data's; see that it belongs"
        )
    return Matched(
        answers={item.id: found[item.id] for item in items if item.id in found},
        without_answer=tuple(item.id for item in items if item.id not in found),
        unmatched=tuple(unmatched),
        duplicates=tuple(duplicates),
        doubtful=tuple(doubtful),
    )


def _named(outputs: Outputs, positions: Sequence[int]) -> str:
    shown = ", ".join(map(str, positions[:3])) + (f" and {len(positions) - 3} more" if len(positions) > 3 else "")
    return f"{outputs.unit}{'s' if len(positions) > 1 else ''} {shown}"


class _Finder:
    """Items by id and by text."""

    def __init__(self, items: Sequence[Item], dataset: Dataset, lang: Lang, same: Mapping[str, Item]) -> None:
        self._dataset, self._lang = dataset, lang
        self._by_id = {**same, **{item.id: item for item in items}}
        whole = [(_whole(item, dataset), item) for item in items]
        # an instruction without the input it has in the data: only good where it leaves no doubt
        alone = [(_text(item, dataset), item) for item in items if _input(item)]
        self._exact = (_index(whole), _index(alone))
        self._spelled = tuple(_index((self._spelling(text), item) for text, item in pairs) for pairs in (whole, alone))

    def find(self, row: AnswerRow) -> tuple[list[Item] | str, str]:
        """Items that a row may answer, or why there is none; and how they were found."""
        known = self._by_id.get(row.id) if row.id is not None else None
        candidates, how = self._by_text(row)
        if known is None:
            if not candidates:
                return "matches no item", how
            if len({_whole(item, self._dataset) for item in candidates}) > 1:
                return f"matches {len(candidates)} items that differ in input or spelling; add 'input' or 'id'", how
            return candidates, how
        if not row.text.strip():
            return [known], "id"
        if not candidates:
            return [known], "id alone"
        if all(item.id != known.id for item in candidates):
            return f"has the text of {quoted(candidates[0].id)}, not of its id; remove one of the two", how
        return [known], "id"

    def _by_text(self, row: AnswerRow) -> tuple[list[Item], str]:
        text, extra = row.text.strip(), row.input.strip()
        wanted = [_join(text, extra)]
        if extra and text.endswith(extra):  # merged, and the column kept
            wanted.append(text)
        for how, (whole, alone), spell in (
            ("text", self._exact, str),
            ("spelling", self._spelled, self._spelling),
        ):
            for key in wanted:
                if key and (found := whole.get(spell(key))):
                    return found, how
            if text and not extra and (found := alone.get(spell(text))):
                return found, how
        return [], "text"

    def _spelling(self, text: str) -> str:
        return " ".join(normalise(text, self._lang).split())


def _index(pairs: Iterable[tuple[str, Item]]) -> dict[str, list[Item]]:
    found: dict[str, list[Item]] = {}
    for text, item in pairs:
        found.setdefault(text, []).append(item)
    return found


def _text(item: Item, dataset: Dataset) -> str:
    return str(getattr(item, TEXT_FIELD[dataset])).strip()


def _input(item: Item) -> str:
    return str(getattr(item, "input", "")).strip()


def _whole(item: Item, dataset: Dataset) -> str:
    return _join(_text(item, dataset), _input(item))


def _join(text: str, extra: str) -> str:
    # as alpaca_eval's users merge the two
    return f"{text}\n\n{extra}" if extra else text

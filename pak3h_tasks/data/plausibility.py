"""Warnings about data that can be used but looks wrong, each with a count and the first ids."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from string import ascii_letters
from typing import TypeVar

from pak3h_tasks.data.mojibake import is_mojibake
from pak3h_tasks.data.prompts import distinct_prompts
from pak3h_tasks.schema import Dataset, HarmlessItem, HelpfulItem, HonestItem, Item, Lang
from pak3h_tasks.text.escape import quoted

AnyItem = TypeVar("AnyItem", bound=Item)

_SHOWN_IDS = 3
_ARABIC_FOR_URDU = {
    "\N{ARABIC LETTER YEH}": "\N{ARABIC LETTER FARSI YEH}",
    "\N{ARABIC LETTER ALEF MAKSURA}": "\N{ARABIC LETTER FARSI YEH}",
    "\N{ARABIC LETTER KAF}": "\N{ARABIC LETTER KEHEH}",
    "\N{ARABIC LETTER HEH}": "\N{ARABIC LETTER HEH GOAL}",
}
_ARABIC = re.compile(f"[{''.join(_ARABIC_FOR_URDU)}]")
# C0 controls but tab and line ends, DEL, C1 controls, and the two marks that override text direction.
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202d\u202e]")
# Without the ligatures that people type (U+FDF0 to U+FDFD, such as U+FDFA) and the ornate brackets.
_PRESENTATION_FORMS = re.compile("[\ufb50-\ufd3d\ufd50-\ufdcf\ufe70-\ufefc]")
_CLOSING_MARKS = " \t\r\n.\N{ARABIC FULL STOP}"
_LATIN_BYTES = ascii_letters.encode()
# First bytes of U+0600 to U+06FF in UTF-8: one such byte is one Arabic-script character.
_ARABIC_LEAD_BYTES = bytes(range(0xD8, 0xDC))


def plausibility_warnings(dataset: Dataset, lang: Lang, items: Sequence[Item]) -> tuple[str, ...]:
    """Warnings about one loaded file, such as "truthfulqa/en: an answer is both correct and incorrect in 2 items".

    Args:
        dataset: Which dataset the items are of.
        lang: Their language; the script checks are for ``ur`` and ``urmt``.
        items: As loaded.

    Returns:
        One line a kind of trouble, with how many items have it and the ids of the first three.
    """
    return tuple(f"{dataset}/{lang}: {warning}" for warning in _found(lang, items) if warning)


def _found(lang: Lang, items: Sequence[Item]) -> Iterator[str | None]:
    honest = [item for item in items if isinstance(item, HonestItem)]
    yield _count("an answer is both correct and incorrect", honest, _both_ways)
    yield _count("the best answer is not among the correct ones", honest, _best_not_correct)
    yield _count("an answer is repeated within its list", honest, _repeated_answer)
    yield _count("an answer has no letter or digit", honest, _wordless_answer)
    helpful = [item for item in items if isinstance(item, HelpfulItem)]
    yield _count("the output has no letter or digit", helpful, lambda item: _wordless(item.output))
    harmless = [item for item in items if isinstance(item, HarmlessItem)]
    yield _count("is_safe contradicts category", harmless, _labels_disagree)
    yield _count("the response is empty", harmless, lambda item: not item.response.strip())
    yield _count("there are control characters or marks that override text direction", items, _has_control)
    misread = {item.id: None for item in items if any(map(is_mojibake, _texts(item)))}
    yield _told(
        "the text looks like UTF-8 read with another code page (Ú©Ú†Ú¾ for کچھ); take the original or save it again,",
        list(misread),
    )
    mixed = [prompt.item.id for prompt in distinct_prompts(harmless) if prompt.is_mixed]
    yield _told(
        "pairs of one prompt carry different labels; each prompt counts once, in the split of most of its pairs,",
        mixed,
        "prompt",
    )
    yield _repeats(items)
    if lang != "en":
        yield _arabic_letters(items)
        yield _count("there are presentation forms of letters, as a PDF has them,", items, _has_presentation_forms)
        readable = [item for item in items if item.id not in misread]
        yield _count("most letters are Latin, though the file should be Urdu,", readable, _mostly_latin)
        yield _count(
            "no letter is of the Arabic script, though the file should be Urdu,", readable, _has_no_urdu_letter
        )


def first_ids(ids: Sequence[str]) -> str:
    """The first ids, quoted for a message.

    Example:
        >>> first_ids(["a", "b", "c", "d"]), first_ids(["a"])
        ("'a', 'b', 'c', ...", "'a'")
    """
    return ", ".join(quoted(name, limit=40) for name in ids[:_SHOWN_IDS]) + (", ..." if len(ids) > _SHOWN_IDS else "")


def _count(message: str, items: Iterable[AnyItem], test: Callable[[AnyItem], bool]) -> str | None:
    return _told(message, [item.id for item in items if test(item)])


def _told(message: str, ids: Sequence[str], unit: str = "item") -> str | None:
    return f"{message} in {len(ids):,} {unit}{'s' if len(ids) > 1 else ''} ({first_ids(ids)})" if ids else None


def _texts(item: Item) -> Iterator[str]:
    """What the model or a reader sees of an item."""
    if isinstance(item, HonestItem):
        yield from (item.question, item.best_answer, *item.correct_answers, *item.incorrect_answers)
    elif isinstance(item, HelpfulItem):
        yield from (item.instruction, item.input, item.output)
    elif isinstance(item, HarmlessItem):
        yield from (item.prompt, item.response)


def _same(answer: str) -> str:
    # Scoring closes every answer with a mark, so "Unknown" and "Unknown." are one answer there.
    return answer.strip(_CLOSING_MARKS)


def _both_ways(item: HonestItem) -> bool:
    return not set(map(_same, item.correct_answers)).isdisjoint(map(_same, item.incorrect_answers))


def _best_not_correct(item: HonestItem) -> bool:
    return _same(item.best_answer) not in set(map(_same, item.correct_answers))


def _repeated_answer(item: HonestItem) -> bool:
    return any(
        len(set(map(_same, answers))) < len(answers) for answers in (item.correct_answers, item.incorrect_answers)
    )


def _wordless_answer(item: HonestItem) -> bool:
    answers = (item.best_answer, *item.correct_answers, *item.incorrect_answers)
    return any(_wordless(answer) for answer in answers)


def _wordless(text: str) -> bool:
    return not any(char.isalnum() for char in text)


def _labels_disagree(item: HarmlessItem) -> bool:
    return item.category is not None and item.is_safe is not None and item.is_safe == any(item.category.values())


def _has_control(item: Item) -> bool:
    return any(_CONTROL.search(text) for text in _texts(item))


def _has_presentation_forms(item: Item) -> bool:
    return any(_PRESENTATION_FORMS.search(text) for text in _texts(item))


def _letters(item: Item) -> tuple[int, int]:
    """Latin letters and characters of the Arabic script."""
    data = " ".join(_texts(item)).encode()
    # Deleting bytes and comparing lengths counts letters about a hundred times faster than looking at each.
    latin, arabic = (len(data) - len(data.translate(None, those)) for those in (_LATIN_BYTES, _ARABIC_LEAD_BYTES))
    return latin, arabic


def _mostly_latin(item: Item) -> bool:
    latin, arabic = _letters(item)
    return latin > arabic


def _has_no_urdu_letter(item: Item) -> bool:
    return _letters(item) == (0, 0)


def _repeats(items: Sequence[Item]) -> str | None:
    seen: set[tuple[str, ...]] = set()
    ids = []
    for item in items:
        # For TruthfulQA the question alone; elsewhere a repeated prompt with another answer is another item.
        key = (item.question,) if isinstance(item, HonestItem) else tuple(_texts(item))
        if key in seen:
            ids.append(item.id)
        seen.add(key)
    return _told("the content was there before under another id", ids)


def _arabic_letters(items: Sequence[Item]) -> str | None:
    letters: Counter[str] = Counter()
    ids = []
    for item in items:
        found = [letter for text in _texts(item) for letter in _ARABIC.findall(text)]
        if found:
            letters.update(found)
            ids.append(item.id)
    if not ids:
        return None
    counts = ", ".join(f"{letter} {count:,}" for letter, count in letters.most_common())
    wanted = " ".join(dict.fromkeys(_ARABIC_FOR_URDU.values()))
    return _told(f"there are Arabic letters ({counts}) where Urdu writes {wanted}", ids)

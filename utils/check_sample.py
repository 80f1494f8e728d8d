"""Check the embedded sample and the primers: everything the design promises of them. Exit 0: all good.

Usage: python utils/check_sample.py [SAMPLE_DIR [PRIMER_JSON]]
"""

from __future__ import annotations

import json
import re
import sys
import unicodedata
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from label_cues import label_cues

from pak3h_tasks.data.load import load
from pak3h_tasks.data.parallel import parallel_warnings
from pak3h_tasks.errors import Pak3HError
from pak3h_tasks.resources import primer_path, sample_dir
from pak3h_tasks.schema import DATASETS, LANGS, SPLITS, HarmlessItem, HonestItem, Item

MIN_ITEMS, MAX_ITEMS = 24, 48
PRIMER_PAIRS = 6
# Arabic letters that Urdu writes otherwise, tatweel, joiners, direction marks, byte-order mark, no-break space.
BANNED = re.compile("[\u064a\u0643\u0647\u0649\u0640\u0629\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff\u00a0]")
# One kind of quotation marks a language, and one spelling: dukandar, samajhdar and the like are one word, except where
# the first part ends in a letter that is written with a space after it in any case (zimma dar, kante dar).
OTHER_QUOTES = {"en": re.compile("[“”‘’«»]"), "ur": re.compile('["‘’«»]')}
PARTED = re.compile(r"\w*[^\W\u06c1\u06d2] دار(?:وں|ی)?\b")


def texts(value: Any) -> Iterator[str]:
    """Every text inside a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, (list, dict)):
        for entry in value.values() if isinstance(value, dict) else value:
            yield from texts(entry)


def text_faults(name: str, value: Any, urdu: bool) -> Iterator[str]:
    """Faults of the letters themselves."""
    for text in texts(value):
        if unicodedata.normalize("NFC", text) != text:
            yield f"{name}: not NFC: {text!r}"
        if text != text.strip():
            yield f"{name}: spaces around {text!r}"
        if urdu and BANNED.search(text):
            yield f"{name}: holds {BANNED.search(text)[0]!a}: {text!r}"  # type: ignore[index]
        if OTHER_QUOTES["ur" if urdu else "en"].search(text):
            yield f"{name}: quotation marks are {'“ ”' if urdu else 'straight'} here: {text!r}"
        if urdu and (parted := PARTED.search(text)):
            yield f"{name}: {parted[0]} is one word elsewhere: {text!r}"


def item_faults(name: str, lang: str, item: Item) -> Iterator[str]:
    """Faults of one item."""
    yield from text_faults(f"{name} {item.id}", item.model_dump(), urdu=lang != "en")
    if isinstance(item, HonestItem):
        mark = "?" if lang == "en" else "\N{ARABIC QUESTION MARK}"
        if not item.question.endswith(mark):
            yield f"{name} {item.id}: the question does not end in {mark}"
    if isinstance(item, HarmlessItem) and (item.category is None or item.is_safe is None):
        yield f"{name} {item.id}: category and is_safe must be given"


def harmless_faults(name: str, items: list[HarmlessItem]) -> Iterator[str]:
    """Faults of the prompts' responses taken together."""
    verdicts = defaultdict(list)
    for item in items:
        verdicts[item.prompt].append(item.is_safe)
    if len(verdicts) == len(items):
        yield f"{name}: no prompt has several responses"
    if not any(True in safe and False in safe for safe in verdicts.values()):
        yield f"{name}: no prompt has a safe and an unsafe response"


def cue_faults(name: str, items: list[Item]) -> Iterator[str]:
    """Cues by which answers could be told apart without reading them; Alpaca's outputs have no labels."""
    honest = [item for item in items if isinstance(item, HonestItem)]
    prompts: dict[str, tuple[list[str], list[str]]] = defaultdict(lambda: ([], []))
    for item in items:
        if isinstance(item, HarmlessItem):
            prompts[item.prompt][0 if item.is_safe else 1].append(item.response)
    for kind, questions in (
        ("answer", [(item.correct_answers, item.incorrect_answers) for item in honest]),
        ("best answer", [([item.best_answer], item.incorrect_answers) for item in honest]),
        ("response", list(prompts.values())),
    ):
        for cue in label_cues(questions) if questions else ():
            yield f"{name}: {kind} {cue}"


def sample_faults(folder: Path) -> Iterator[str]:
    """Faults of the whole sample."""
    for dataset in DATASETS:
        files = {}
        for lang in LANGS:
            name = f"{dataset}/{lang}"
            try:
                loaded = load(dataset, lang, str(folder))
            except Pak3HError as error:
                yield from str(error).splitlines()
                continue
            files[lang] = loaded.items
            yield from loaded.warnings
            for item in loaded.items:
                yield from item_faults(name, lang, item)
            if not MIN_ITEMS <= len(loaded.items) <= MAX_ITEMS:
                yield f"{name}: {len(loaded.items)} items; about 30 are wanted"
            absent = set(SPLITS) - {item.localization for item in loaded.items}
            if absent:
                yield f"{name}: no item is {' or '.join(sorted(absent))}"
            yield from cue_faults(name, loaded.items)
            if dataset == "beavertails":
                yield from harmless_faults(name, [i for i in loaded.items if isinstance(i, HarmlessItem)])
        yield from parallel_warnings(dataset, files)
        if files.get("ur") and files.get("ur") == files.get("urmt"):
            yield f"{dataset}: ur and urmt are the same texts"


def primer_faults(path: Path) -> Iterator[str]:
    """Faults of the six-pair primers."""
    try:
        primer = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        yield f"{path.name}: {error}"
        return
    if set(primer) != {"en", "ur"}:
        yield f"{path.name}: languages must be en and ur, not {sorted(primer)}"
    for lang, pairs in primer.items():
        if len(pairs) != PRIMER_PAIRS:
            yield f"{path.name} {lang}: {len(pairs)} pairs; the official primer has {PRIMER_PAIRS}"
        for number, pair in enumerate(pairs, 1):
            if set(pair) != {"question", "best_answer"}:
                yield f"{path.name} {lang} {number}: fields must be question and best_answer"
            yield from text_faults(f"{path.name} {lang} {number}", pair, urdu=lang == "ur")
            if lang == "ur" and not pair.get("question", "").endswith("\N{ARABIC QUESTION MARK}"):
                yield f"{path.name} ur {number}: the question does not end in \N{ARABIC QUESTION MARK}"


def main(argv: list[str]) -> int:
    folder = Path(argv[0]) if argv else sample_dir()
    primer = Path(argv[1]) if len(argv) > 1 else primer_path()
    faults = [*sample_faults(folder), *primer_faults(primer)]
    print(*faults, f"sample: {len(faults)} faults" if faults else "sample: all good", sep="\n")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

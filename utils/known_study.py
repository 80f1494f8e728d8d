"""A made-up study whose every value is known beforehand: data, answers, and what judges and a classifier say of them.

Of each group of items a known number, drawn with a fixed seed, is won, truthful, unsafe and so on; the numbers are the
paper's published shares, and round ones where it has none. Items and answers carry a number and their maker's word, so
that a stub judge knows which verdict to give.
"""

from __future__ import annotations

import functools
import math
import random
import re
from collections.abc import Iterator
from typing import Any

from pak3h_tasks.report.published import published, published_data
from pak3h_tasks.schema import HARM_CATEGORIES, SPLITS

LANGS = ("en", "ur", "urmt")
GENERATORS = ("gpt-4o-mini", "DeepSeek-V3.2", "Llama-3-70B-Instruct")
JUDGES = ("gpt-4o-mini", "GPT-Judge-7B", "Llama-3-8B-Instruct", "Qwen2.5-7B-Instruct")
SURE = 0.9
"""Probability that a judge gives to its verdict."""
HARM = {True: 0.9, False: 0.2}
"""Largest probability of an unsafe and of a safe pair."""

_NUMBER = {"en": "Item number {}", "ur": "شے نمبر {}", "urmt": "شے عدد {}"}
_MAKERS = {
    "en": ("first", "second", "third"),
    "ur": ("پہلا", "دوسرا", "تیسرا"),
    "urmt": ("اول", "دوم", "سوم"),
}
_OTHERS = {
    "en": ("alpha", "beta", "gamma"),
    "ur": ("آم", "سیب", "انار"),
    "urmt": ("گھر", "شہر", "باغ"),
}
_REST = {"en": "of five words in all.", "ur": "اور اس کے پانچ لفظ", "urmt": "پھر وہ سب پانچ لفظ"}
"""What follows a maker's word in a reference: a copy has every n-gram of BLEU, and the full stop it is scored with."""
"""Words of answers that share nothing with the references, by generator."""


class Study:
    """The study at a scale: 1 is the paper's size.

    Args:
        scale: Share of the paper's items in each split, at least three of each.
    """

    def __init__(self, scale: float = 1.0) -> None:
        self.sizes = {
            one.dataset: {split: max(3, round(scale * n)) for split, n in one.splits.items()}
            for one in published_data()
        }

    def items(self, dataset: str) -> list[tuple[int, str]]:
        """(number, split) of every item, in order."""
        found = [split for split in SPLITS for _ in range(self.sizes[dataset][split])]
        return list(enumerate(found))

    @functools.cache  # noqa: B019 - one study a process
    def chosen(self, dataset: str, what: str, *who: str) -> frozenset[int]:
        """Numbers of the items of which something is so, such as ("alpaca", "win", generator, lang)."""
        found: set[int] = set()
        by_split: dict[str, list[int]] = {split: [] for split in SPLITS}
        for number, split in self.items(dataset):
            by_split[split].append(number)
        for split, numbers in by_split.items():
            k = round(share(dataset, what, who, split) * len(numbers))
            found.update(random.Random(f"{dataset} {what} {who} {split}").sample(numbers, k))
        return frozenset(found)

    def rate(self, dataset: str, what: str, *who: str, split: str = "all") -> float:
        """Share of the items of a split, or of all, of which it is so."""
        numbers = [number for number, own in self.items(dataset) if split in ("all", own)]
        return len(self.chosen(dataset, what, *who).intersection(numbers)) / len(numbers)

    def rows(self, dataset: str, lang: str) -> Iterator[dict[str, Any]]:
        """The data file."""
        for number, split in self.items(dataset):
            text = _NUMBER[lang].format(number)
            row: dict[str, Any] = {"id": f"{dataset}-{number}", "localization": split}
            if dataset == "truthfulqa":
                right = [f"{word} {_REST[lang]}" for word in _MAKERS[lang]]
                wrong = {"en": ["never", "always", "nothing"], "ur": ["کبھی نہیں", "ہمیشہ", "کچھ نہیں"]}
                row |= {
                    "question": f"{text}?",
                    "best_answer": right[0],
                    "correct_answers": right,
                    "incorrect_answers": wrong["en" if lang == "en" else "ur"],
                    "topic": f"Topic {number % 5}",
                }
            elif dataset == "alpaca":
                row |= {"instruction": f"{text}.", "input": "", "output": "word" if lang == "en" else "لفظ"}
            else:
                # at most five responses to a prompt
                prompt = _NUMBER[lang].format(number // 4)
                row |= {"prompt": f"{prompt}?", "response": f"{text}.", "is_safe": True}
                row["category"] = dict.fromkeys(HARM_CATEGORIES, False)
            yield row

    def answer(self, dataset: str, generator: str, lang: str, number: int) -> str:
        """A generator's answer: of honesty a copy of a reference for a known share of items."""
        place = GENERATORS.index(generator)
        if dataset == "truthfulqa" and number in self.chosen(dataset, "copy", generator, lang):
            return f"{_MAKERS[lang][place]} {_REST[lang]}"
        return _OTHERS[lang][place]

    def loglikelihoods(self, generator: str, lang: str, number: int, choices: int, true: int) -> list[float]:
        """Of the choices, true ones first: all true ones above all others, or below."""
        mass = 0.75 if number in self.chosen("truthfulqa", "mc", generator, lang) else 0.25
        shares = [mass / true] * true + [(1 - mass) / (choices - true)] * (choices - true)
        return [math.log(p) for p in shares]

    def says(self, judge: str, prompt: str) -> bool | None:
        """A judge's verdict on a prompt: yes, or the model's answer is better; None: no prompt of this study."""
        lang, number = _item(prompt)
        if lang is None:
            return None
        if "answer-m-" in prompt:
            words = _OTHERS[lang]
            generator = next(GENERATORS[n] for n, word in enumerate(words) if re.search(rf"\n{word}\n", prompt))
            return number in self.chosen("alpaca", "win", generator, lang)
        answers = {w: n for words in (_OTHERS[lang], _MAKERS[lang]) for n, w in enumerate(words)}
        found = re.search(r"<answer-\w+>\n(\S+)", prompt)
        assert found is not None, prompt
        what = "truthful" if "Is the answer truthful?" in prompt else "informative"
        return number in self.chosen("truthfulqa", what, GENERATORS[answers[found[1]]], judge, lang)

    def harms(self, text: str) -> list[float]:
        """The classifier's probabilities of a pair."""
        lang, number = _item(text.rpartition("ASSISTANT:")[2])
        top = HARM[lang is not None and number in self.chosen("beavertails", "unsafe", lang)]
        return [top] + [0.01] * (len(HARM_CATEGORIES) - 1)


def _item(text: str) -> tuple[str | None, int]:
    for lang, pattern in _NUMBER.items():
        if found := re.search(pattern.format(r"(\d+)"), text):
            return lang, int(found[1])
    return None, -1


def share(dataset: str, what: str, who: tuple[str, ...], split: str) -> float:
    """The share that is aimed at: published for language and split, else for all items, else made up."""
    lang = who[-1]
    if dataset == "alpaca":
        found = _published("discrete_win_rate", who[0].replace("gpt-4o-mini", "GPT-4o-mini"), lang, split)
        urdu = _published("discrete_win_rate", who[0].replace("gpt-4o-mini", "GPT-4o-mini"), "ur", split) or 0.0
        return found if found is not None else 0.9 * urdu
    if dataset == "beavertails":
        return {"en": 0.7412, "ur": 0.8874, "urmt": 0.9306}[lang]
    place = GENERATORS.index(who[0])
    if what in ("truthful", "informative"):
        known = _published(what, who[1].replace("gpt-4o-mini", "GPT-4o-mini"), "en" if lang == "en" else "ur", "all")
        assert known is not None
        return known * (1 - 0.1 * place) * (0.95 if lang == "urmt" else 1) * {"dt": 1.0, "lc": 0.9, "li": 0.8}[split]
    if what == "copy":
        return {"en": 0.218, "ur": 0.087, "urmt": 0.05}[lang] * (1 - 0.2 * place)
    return {"en": 0.783, "ur": 0.562, "urmt": 0.5}[lang] * (1 - 0.1 * place)


@functools.cache
def _published(metric: str, system: str, lang: str, split: str) -> float | None:
    wanted = (metric, system, lang, split)
    return next((e.value for e in published() if (e.metric, e.system, e.lang, e.split) == wanted), None)

"""lm-eval documents from items: the item's own fields, `lang`, `data`, and what the task's prompt needs."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from pak3h_tasks import __version__
from pak3h_tasks.data.load import LoadedSet
from pak3h_tasks.metrics.multiple_choice import distinct, marked_answers
from pak3h_tasks.metrics.registry import metrics_of, rule_versions
from pak3h_tasks.schema import Dataset, HarmlessItem, HelpfulItem, HonestItem, Item, Lang


def _document(item: Item, lang: str, data: str) -> dict[str, Any]:
    # a document, and so every spool and sample log, tells by itself what it is and which data it is from
    return {**item.model_dump(), "lang": lang, "data": data}


def multiple_choice(item: HonestItem, lang: str, data: str) -> dict[str, Any]:
    """A question with `choices`: every distinct answer once, the best one first."""
    document = _document(item, lang, data)
    _, correct, incorrect = marked_answers(document)
    return {**document, "choices": distinct([*correct, *incorrect])}


def question(item: HonestItem, lang: str, data: str) -> dict[str, Any]:
    """A question to be answered in words; the best answer closes with a mark, as few-shot targets should."""
    document = _document(item, lang, data)
    return {**document, "best_answer": marked_answers(document)[0]}


def instruction(item: HelpfulItem, lang: str, data: str) -> dict[str, Any]:
    """An instruction with its reference output."""
    return _document(item, lang, data)


def prompt(item: HarmlessItem, lang: str, data: str) -> dict[str, Any]:
    """A prompt alone: the responses of the data and their labels are for `pak3h moderate`, not for a new answer."""
    return {"id": item.id, "localization": item.localization, "prompt": item.prompt, "lang": lang, "data": data}


def primer_shot(pair: tuple[str, str], lang: str) -> dict[str, Any]:
    """A few-shot document: what the prompt templates of both kinds read, and nothing to score."""
    question_text, answer = pair
    return {"question": question_text, "best_answer": answer, "choices": [answer], "lang": lang}


def documents(items: Iterable[Item], lang: str, kind: str, task: str, data: str) -> list[dict[str, Any]]:
    """The documents of a task.

    Args:
        items: Those it asks about (`data.prompts.asked`).
        lang: ``en``, ``ur`` or ``urmt``.
        kind: ``mc`` or ``gen``.
        task: Its name, which every document carries.
        data: `LoadedSet.short` of the data.
    """
    return [{**MAKERS[type(item), kind](item, lang, data), "task": task} for item in items]


def provenance(loaded: LoadedSet[Any], kind: str) -> dict[str, Any]:
    """What a results file says of the data, the package and the rules that made it (``dataset_kwargs.pak3h``)."""
    return {
        "data": loaded.short,
        "data_source": loaded.source,
        "data_fingerprint": loaded.fingerprint,
        **making(loaded.dataset, loaded.lang, kind),
    }


def making(dataset: Dataset, lang: Lang, kind: str) -> dict[str, Any]:
    """The package and the rules that make a task's numbers now."""
    return {"package": f"pak3h-tasks {__version__}", "rules": rule_versions(metrics_of(dataset, kind), lang)}


MAKERS: dict[tuple[type[Item], str], Callable[[Any, str, str], dict[str, Any]]] = {
    (HonestItem, "mc"): multiple_choice,
    (HonestItem, "gen"): question,
    (HelpfulItem, "gen"): instruction,
    (HarmlessItem, "gen"): prompt,
}

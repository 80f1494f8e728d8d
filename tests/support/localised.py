"""Edited items of the localisation pipeline, made without sheets."""

from __future__ import annotations

from pak3h_tasks.localise.edits import Edit
from pak3h_tasks.schema import HarmlessItem, HelpfulItem, HonestItem, Item


def edit(item: Item, texts: dict, *, adapter: str = "ali", reviewer: str = "sana", dropped: bool = False) -> Edit:
    comment = "no counterpart" if dropped else ""
    return Edit(item, texts, adapter, reviewer, dropped, comment, file="draft.csv", row=7)


def helpful(item_id: str, english: str, urdu: str, localization: str = "dt", **people) -> Edit:
    item = HelpfulItem(id=item_id, localization=localization, instruction=english, output="Done.")
    return edit(item, {"instruction": urdu, "input": "", "output": "ہو گیا۔"}, **people)


def harmless(item_id: str, english: str, urdu: str, **people) -> Edit:
    item = HarmlessItem(id=item_id, localization="dt", prompt=english, response=f"No, {item_id}.")
    return edit(item, {"prompt": urdu, "response": f"نہیں، {item_id}۔"}, **people)


def honest(item_id: str, localization: str = "dt", **changes) -> Edit:
    people = {name: changes.pop(name) for name in ("adapter", "reviewer", "dropped") if name in changes}
    item = HonestItem(
        id=item_id,
        localization=localization,
        question=f"What is {item_id}?",
        best_answer="A thing.",
        correct_answers=["A thing.", "An object."],
        incorrect_answers=["Nothing."],
    )
    texts = {
        "question": f"چیز {item_id} کیا ہے؟",
        "best_answer": "ایک چیز۔",
        "correct_answers": ["ایک چیز۔", "ایک شے۔"],
        "incorrect_answers": ["کچھ نہیں۔"],
    }
    return edit(item, texts | changes, **people)

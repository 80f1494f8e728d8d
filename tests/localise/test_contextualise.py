"""English items made local before translation: signed, reviewed by others, revised where flagged."""

import pytest

from pak3h_tasks.errors import DataError
from pak3h_tasks.localise.contextualise import contextualised, read_adaptations, write_adaptation_sheets
from pak3h_tasks.localise.guides import guide
from pak3h_tasks.localise.sheets import read_sheet, write_sheet
from pak3h_tasks.localise.xlsx import SheetLayout
from pak3h_tasks.schema import HarmlessItem, HelpfulItem

ENGLISH = [
    HelpfulItem(id=name, localization=name[:2], instruction=f"Do {name}.", output="Done.")
    for name in ("dt1", "lc1", "lc2", "li1")
]
SIGNED = {"adapter": "ali", "reviewer": "sana"}
GOOD = {
    "lc1": {**SIGNED, "instruction [new]": "Go to Lahore."},
    "lc2": SIGNED,
    "li1": {**SIGNED, "reviewer": "zara", "instruction [new]": "Fly a kite."},
}


@pytest.fixture
def sheets(tmp_path):
    return write_adaptation_sheets(tmp_path / "out", "alpaca", ENGLISH, ["csv"])


def filled(sheets, values, name):
    """The sheets as people give them back."""
    found = []
    for sheet in sheets:
        rows = [row.cells | values.get(row["id"], {}) for row in read_sheet(sheet)]
        found.append(sheet.with_name(f"{name}-{sheet.name}"))
        write_sheet(found[-1], SheetLayout(list(rows[0])), rows)
    return found


def test_only_what_needs_it_is_in_the_sheets_and_starts_from_the_original(sheets):
    assert [path.name for path in sheets] == ["lc.csv", "li.csv"]
    rows = [row.cells for path in sheets for row in read_sheet(path)]
    assert [row["id"] for row in rows] == ["lc1", "lc2", "li1"]
    assert all(row["instruction [new]"] == row["instruction [en]"] == f"Do {row['id']}." for row in rows)


def test_new_texts_are_taken_over_and_dropped_items_left_out(sheets):
    values = {**GOOD, "lc2": {"decision": "drop", "comment": "nobody has one"}}
    found = read_adaptations(filled(sheets, values, "a"), "alpaca", ENGLISH)
    items = contextualised(ENGLISH, found, "alpaca")
    assert [(item.id, item.localization, item.instruction) for item in items] == [
        ("dt1", "dt", "Do dt1."),
        ("lc1", "lc", "Go to Lahore."),
        ("li1", "li", "Fly a kite."),
    ]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"lc1": {"reviewer": ""}}, "no reviewer has signed"),
        ({"lc1": {"adapter": "", "reviewer": ""}}, "no adapter has signed"),
        ({"lc1": {"reviewer": "Ali"}}, "reviews their own adaptation"),
        ({"li1": {"reviewer": "sana"}}, "LI items have reviewers of their own"),
        ({"lc1": {"decision": "revise"}}, "to be revised without a reason"),
        ({"lc1": {"decision": "perhaps"}}, "use keep, revise or drop"),
        ({"lc1": {"instruction [new]": " "}}, "instruction"),
    ],
)
def test_what_is_unfinished_is_named(sheets, changes, said):
    values = {name: {**GOOD[name], **changes.get(name, {})} for name in GOOD}
    with pytest.raises(DataError, match=said):
        contextualised(ENGLISH, read_adaptations(filled(sheets, values, "a"), "alpaca", ENGLISH), "alpaca")


def test_a_sheet_that_is_missing_is_named(sheets):
    with pytest.raises(DataError, match="1 LC and LI items are in no sheet, such as 'li1'"):
        read_adaptations(filled(sheets, GOOD, "a")[:1], "alpaca", ENGLISH)


def test_a_flagged_item_is_revised_in_a_later_sheet_and_then_included(sheets, tmp_path):
    flag = {**GOOD, "lc1": {**GOOD["lc1"], "decision": "revise", "comment": "no such road"}}
    first = filled(sheets, flag, "a")
    found = read_adaptations(first, "alpaca", ENGLISH)
    assert [name for name, edit in found.items() if edit.flagged] == ["lc1"]
    (revised,) = filled(sheets[:1], {"lc1": {**GOOD["lc1"], "instruction [new]": "Go to Multan."}}, "b")
    rows = [row.cells for row in read_sheet(revised) if row["id"] == "lc1"]
    write_sheet(tmp_path / "revised.csv", SheetLayout(list(rows[0])), rows)
    found = read_adaptations([*first, tmp_path / "revised.csv"], "alpaca", ENGLISH)
    assert contextualised(ENGLISH, found, "alpaca")[1].instruction == "Go to Multan."
    # what nobody flagged is not replaced
    with pytest.raises(DataError, match="not flagged; give one of the two"):
        read_adaptations([*filled(sheets, GOOD, "c"), tmp_path / "revised.csv"], "alpaca", ENGLISH)


@pytest.mark.parametrize("step", ["annotate", "contextualise", "edit"])
def test_guides_are_in_english_and_in_urdu_letters(step):
    rows = guide(step)
    assert {len(row) for row in rows} == {3}
    for _, english, urdu in rows[1:]:
        assert english.isascii()
        assert not set(urdu) & set("كيهى")  # Arabic letters, where Urdu has its own
        assert set(urdu) & set("کیہے")


def test_a_prompt_is_shown_once_and_new_in_all_of_its_pairs(tmp_path):
    labels = {"p1": "lc", "q1": "lc", "p2": "lc", "p3": "dt", "q2": "dt"}
    english = [
        HarmlessItem(id=name, localization=label, prompt=f"Where is {name[0]}?", response=f"Answer {name}.")
        for name, label in labels.items()
    ]
    (sheet,) = write_adaptation_sheets(tmp_path / "out", "beavertails", english, ["csv"])
    rows = [row.cells for row in read_sheet(sheet)]
    assert [(row["id"], row["prompt [en]"], row["prompt [new]"]) for row in rows] == [
        ("p1", "Where is p?", "Where is p?"),
        ("p2", "", ""),
        ("q1", "Where is q?", "Where is q?"),
    ]
    new = {"p1": {**SIGNED, "prompt [new]": "Where is Multan?"}, "p2": SIGNED, "q1": SIGNED}
    found = read_adaptations(filled([sheet], new, "a"), "beavertails", english)
    items = {item.id: item for item in contextualised(english, found, "beavertails")}
    assert [items[name].prompt for name in ("p1", "p2", "p3")] == ["Where is Multan?"] * 3
    assert [items[name].prompt for name in ("q1", "q2")] == ["Where is q?"] * 2
    assert items["p2"].response == "Answer p2."

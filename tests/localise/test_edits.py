import pytest

from pak3h_tasks.errors import DataError
from pak3h_tasks.localise.edits import read_edits, write_drafts
from pak3h_tasks.localise.pseudonyms import same_person
from pak3h_tasks.localise.sheets import read_sheet, write_sheet
from pak3h_tasks.localise.xlsx import SheetLayout
from pak3h_tasks.schema import HelpfulItem, HonestItem


def question(item_id, localization="dt"):
    return HonestItem(
        id=item_id,
        localization=localization,
        question=f"{item_id}?",
        best_answer="=Yes.",
        correct_answers=["=Yes.", "Two\nlines."],
        incorrect_answers=["No."],
    )


ENGLISH = [question("q1"), question("q2", "lc"), question("q3", "li")]
DRAFT = {
    "question": "سوال؟",
    "best_answer": "=ہاں۔",
    "correct_answers": ["=ہاں۔", "دو\nسطریں۔"],
    "incorrect_answers": ["نہیں۔"],
}


def drafts(path):
    write_drafts([path], "truthfulqa", ENGLISH, [DRAFT] * 3)
    return path


def filled(path, changes):
    """The draft with cells changed, saved elsewhere: ``{id: {column: text}}``."""
    rows = [row.cells | changes.get(row["id"], {}) for row in read_sheet(path)]
    out = path.with_name("filled.csv")
    write_sheet(out, SheetLayout(list(rows[0])), rows, force=True)
    return out


@pytest.mark.parametrize("suffix", ["csv", "xlsx"])
def test_drafts_come_back_as_texts_and_lists(tmp_path, suffix):
    edits = read_edits([drafts(tmp_path / f"draft.{suffix}")], "truthfulqa", ENGLISH)
    assert list(edits) == ["q1", "q2", "q3"]
    assert edits["q2"].texts == DRAFT
    assert (edits["q2"].item, edits["q2"].adapter, edits["q2"].dropped) == (ENGLISH[1], "", False)
    assert [edit.needs_second_person for edit in edits.values()] == [False, True, True]


def test_what_people_wrote(tmp_path):
    changes = {
        "q1": {"adapter": " ali ", "question [ur]": " نیا\r\nسوال؟ ", "incorrect_answers [ur]": "الف۔\n\n ب۔ \n"},
        "q2": {"adapter": "ali", "reviewer": "sana"},
        "q3": {"decision": "Drop", "comment": "no counterpart"},
    }
    edits = read_edits([filled(drafts(tmp_path / "draft.csv"), changes)], "truthfulqa", ENGLISH)
    assert edits["q1"].adapter == "ali"
    assert edits["q1"].texts["question"] == "نیا\nسوال؟"
    assert edits["q1"].texts["incorrect_answers"] == ["الف۔", "ب۔"]
    assert (edits["q3"].dropped, edits["q3"].comment) == (True, "no counterpart")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"q2": {"adapter": "ali", "reviewer": " ALI"}},
            "row 3: 'ALI' reviews their own adaptation; LC items need a second",
        ),
        (
            {"q3": {"adapter": "ali", "reviewer": "ali"}},
            "row 4: 'ali' reviews their own adaptation; LI items need a second",
        ),
        ({"q1": {"id": "q9"}}, "row 2: unknown id 'q9'"),
        ({"q1": {"id": "q2", "localization": "LC"}}, "row 3: the item is in filled.csv already"),
        ({"q1": {"dataset": "alpaca"}}, "row 2: is of dataset 'alpaca', not truthfulqa"),
        ({"q1": {"localization": "LI"}}, "row 2: localization is LI, the annotators agreed on DT"),
        ({"q1": {"decision": "maybe"}}, "row 2: unknown decision 'maybe'; use keep or drop"),
        ({"q1": {"decision": "drop"}}, "row 2: is dropped without a reason"),
    ],
)
def test_what_makes_no_sense_is_refused(tmp_path, changes, message):
    with pytest.raises(DataError) as error:
        read_edits([filled(drafts(tmp_path / "draft.csv"), changes)], "truthfulqa", ENGLISH)
    assert message in str(error.value)
    assert "\n" not in str(error.value)


def test_direct_translations_may_be_checked_by_their_translator(tmp_path):
    path = filled(drafts(tmp_path / "draft.csv"), {"q1": {"adapter": "ali", "reviewer": "ali"}})
    assert read_edits([path], "truthfulqa", ENGLISH)["q1"].reviewer == "ali"


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("ali", "ＡＬＩ", True),
        ("editor 1", "Editor1", True),
        ("ali", "alia", False),
        ("", " ", False),
        ("علی", "علی ", True),
    ],
)
def test_one_person_under_one_name(one, other, same):
    assert same_person(one, other) is same


def test_empty_inputs_of_alpaca_stay_empty(tmp_path):
    item = HelpfulItem(id="i", localization="dt", instruction="Do.", output="Done.")
    draft = {"instruction": "کریں۔", "input": "", "output": "ہو گیا۔"}
    write_drafts([tmp_path / "d.xlsx"], "alpaca", [item], [draft])
    assert read_edits([tmp_path / "d.xlsx"], "alpaca", [item])["i"].texts == draft

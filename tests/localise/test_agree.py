import pytest

from pak3h_tasks.errors import DataError
from pak3h_tasks.localise.agree import agreement, decide
from pak3h_tasks.localise.ratings import read_ratings
from pak3h_tasks.localise.sheets import write_sheet
from pak3h_tasks.localise.xlsx import SheetLayout

COLUMNS = ("dataset", "id", "question", "label", "comment", "annotator")


def sheet(folder, name, labels, dataset="truthfulqa", annotator=None):
    """One annotator's sheet from ``{"id": "label"}``."""
    rows = [
        {"dataset": dataset, "id": item, "question": f"{item}?", "label": label, "annotator": annotator or ""}
        for item, label in labels.items()
    ]
    path = folder / f"{name}.csv"
    write_sheet(path, SheetLayout(COLUMNS), rows)
    return path


def three(folder, table, prefix="a"):
    """Sheets of three annotators from ``{"id": "DT LC LI"}``; - is an empty label."""
    given = {item: [label.replace("-", "") for label in labels.split()] for item, labels in table.items()}
    return [
        sheet(folder, f"{prefix}{number}", {item: labels[number] for item, labels in given.items()})
        for number in range(3)
    ]


def ratings(folder, table, prefix="a"):
    return read_ratings(three(folder, table, prefix))["truthfulqa"]


TABLE = {"q1": "DT DT DT", "q2": "DT LC LC", "q3": "DT LC LI", "q4": "LI LI DT", "q5": "- - LC", "q6": "LC LC -"}


def test_majority_needs_more_than_half_of_two_or_more(tmp_path):
    decisions = decide(ratings(tmp_path, TABLE))
    assert {item: decision.label for item, decision in decisions.items()} == {
        "q1": "dt", "q2": "lc", "q3": None, "q4": "li", "q5": None, "q6": "lc",
    }  # fmt: skip
    assert decisions["q3"].reason == "no majority in round 1 (DT 1, LC 1, LI 1)"
    assert decisions["q5"].reason == "no majority in round 1 (LC 1)"


def test_the_second_round_decides_alone_or_discards(tmp_path):
    first = ratings(tmp_path, TABLE)
    second = ratings(tmp_path, {"q3": "LI LI DT", "q5": "DT LC -"}, "b")
    decisions = decide(first, second)
    assert (decisions["q3"].label, decisions["q3"].round) == ("li", 2)
    assert (decisions["q5"].label, decisions["q5"].reason) == (None, "no majority in round 2 (DT 1, LC 1)")
    assert decisions["q1"] == decide(first)["q1"]


@pytest.mark.parametrize(
    ("table", "prefix", "message"),
    [
        ({"q3": "DT DT DT"}, "b", r"leaves out conflicted items: 1, such as 'q5'"),
        ({"q3": "DT DT DT", "q5": "DT DT DT", "q1": "LC LC LC"}, "b", r"not conflicted: 1, such as 'q1'"),
        ({"q3": "DT DT DT", "q5": "DT DT DT"}, "a", r"'a0', 'a1', 'a2' labelled in round 1 already"),
    ],
)
def test_a_wrong_second_round_is_refused(tmp_path, table, prefix, message):
    (tmp_path / "second").mkdir()
    second = ratings(tmp_path / "second", table, prefix)
    with pytest.raises(DataError, match=message):
        decide(ratings(tmp_path, TABLE), second)


def test_figures_by_hand(tmp_path):
    figures = agreement(ratings(tmp_path, {"q1": "DT DT DT", "q2": "DT LC LC", "q3": "DT LC LI", "q4": "LI LI DT"}))
    # agreeing pairs 3, 1, 0, 1 of 3; labels DT 6, LC 3, LI 3 of 12
    observed, chance = (1 + 1 / 3 + 0 + 1 / 3) / 4, (36 + 9 + 9) / 144
    assert figures.pairwise == pytest.approx(observed)
    assert figures.kappa == pytest.approx((observed - chance) / (1 - chance))
    assert figures.majority == 3 / 4
    assert (figures.items, figures.labels, figures.skipped, figures.unequal) == (4, 12, 0, False)
    assert figures.boundaries == {"DT-DT": 3, "LC-LC": 1, "LI-LI": 1, "DT-LC": 3, "DT-LI": 3, "LC-LI": 1}
    assert sum(figures.boundaries.values()) == 4 * 3
    # q1 q2 q4 have a majority; a0 is with it on q1 and q4, a1 on all, a2 on q1 and q2
    assert [figures.annotators[name]["with_majority"] for name in ("a0", "a1", "a2")] == pytest.approx(
        [2 / 3, 1, 2 / 3]
    )


def test_skipped_labels_are_counted_and_make_numbers_unequal(tmp_path):
    figures = agreement(ratings(tmp_path, TABLE))
    assert (figures.labels, figures.skipped, figures.unequal) == (15, 3, True)
    assert figures.annotators["a0"] == {
        "labelled": 5, "skipped": 1, "DT": 3, "LC": 1, "LI": 1, "with_majority": pytest.approx(3 / 4),
    }  # fmt: skip


def test_nobody_disagrees_and_nobody_labels(tmp_path):
    figures = agreement(ratings(tmp_path, {"q1": "DT DT DT", "q2": "LI LI LI"}))
    assert (figures.kappa, figures.majority, figures.pairwise, figures.most_disputed) == (1, 1, 1, None)
    (tmp_path / "empty").mkdir()
    empty = agreement(ratings(tmp_path / "empty", {"q1": "- - -"}))
    assert (empty.kappa, empty.majority, empty.pairwise, empty.labels, empty.skipped) == (None, None, None, 0, 3)


def test_the_most_disputed_boundary(tmp_path):
    figures = agreement(ratings(tmp_path, {"q1": "DT LC LC", "q2": "LI LC LC", "q3": "LI LC LI"}))
    # LC-LI pairs: 2 in q2, 2 in q3; DT-LC: 2 in q1
    assert figures.most_disputed == "LC-LI"


def test_labels_are_read_long_or_short_in_any_case(tmp_path):
    path = sheet(tmp_path, "ali", {"q1": " dt ", "q2": "Locally Contextualized", "q3": "li", "q4": ""})
    (read,) = read_ratings([path]).values()
    assert [labels["ali"] for labels in read.labels.values()] == ["dt", "lc", "li", None]


def test_who_labelled_is_in_the_sheet_or_in_its_name(tmp_path):
    paths = [sheet(tmp_path, "renamed (2)", {"q1": "DT"}, annotator="ali"), sheet(tmp_path, "sana", {"q1": "LC"})]
    (read,) = read_ratings(paths).values()
    assert read.annotators == ["ali", "sana"]


def test_one_annotator_under_two_spellings_votes_once(tmp_path):
    first = sheet(tmp_path, "1", {"q1": "DT"}, annotator="Sana K")
    with pytest.raises(DataError, match=r"'Sana K' labels the item in 1\.csv already"):
        read_ratings([first, sheet(tmp_path, "2", {"q1": "DT"}, annotator="sana k ")])
    (read,) = read_ratings([first, sheet(tmp_path, "3", {"q2": "LC"}, annotator="SANAK")], partial=True).values()
    assert read.annotators == ["Sana K"]


def test_all_faults_of_all_sheets_in_one_go(tmp_path):
    one = sheet(tmp_path, "ali", {"q1": "DT", "q2": "XX", "": "LC"})
    two = sheet(tmp_path, "sana", {"q1": "maybe"}, dataset="squad")
    with pytest.raises(DataError) as error:
        read_ratings([one, two])
    assert str(error.value).splitlines() == [
        "ali.csv row 3: unknown label 'XX'; use DT, LC, LI, or leave it empty",
        "ali.csv row 4: 'id' is empty; restore the id the sheet was made with",
        "sana.csv row 2: unknown dataset 'squad'; use one of truthfulqa, alpaca, beavertails",
    ]


def test_a_row_given_twice_is_refused(tmp_path):
    path = sheet(tmp_path, "ali", {"q1": "DT"})
    (tmp_path / "copy").mkdir()
    copy = sheet(tmp_path / "copy", "ali", {"q1": "DT"})
    for twice in ([path, copy], [path, path]):
        with pytest.raises(DataError, match=r"ali.csv row 2: 'ali' labels the item in ali.csv already; give every"):
            read_ratings(twice)


def test_sheets_with_different_items(tmp_path):
    paths = [sheet(tmp_path, "ali", {"q1": "DT", "q2": "LC"}), sheet(tmp_path, "sana", {"q2": "LC", "q3": "LC"})]
    with pytest.raises(DataError, match=r"'ali' has no row for 1 of 3 items, such as 'q3'.*--partial") as error:
        read_ratings(paths)
    assert "\n" not in str(error.value)
    (read,) = read_ratings(paths, partial=True).values()
    assert read.counts() == [[1, 0, 0], [0, 2, 0], [0, 1, 0]]


def test_one_annotator_may_have_two_sheets_and_datasets_stay_apart(tmp_path):
    paths = [
        sheet(tmp_path, "one", {"q1": "DT"}, annotator="ali"),
        sheet(tmp_path, "two", {"q2": "LC"}, annotator="ali"),
        sheet(tmp_path, "three", {"q1": "LI"}, dataset="alpaca", annotator="ali"),
    ]
    read = read_ratings(paths)
    assert read["truthfulqa"].labels == {"q1": {"ali": "dt"}, "q2": {"ali": "lc"}}
    assert read["alpaca"].labels == {"q1": {"ali": "li"}}

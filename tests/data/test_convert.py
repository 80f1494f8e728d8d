import csv
import io
import json
from collections import Counter

import pyarrow
import pyarrow.parquet
import pytest

from pak3h_tasks.data.convert import Recipe, convert
from pak3h_tasks.data.plausibility import plausibility_warnings
from pak3h_tasks.data.write_items import target_path, write_items
from pak3h_tasks.errors import DataError, SettingsError
from pak3h_tasks.schema import HARM_CATEGORIES
from support.data_files import honest, write_jsonl
from support.truthfulqa_csv import truthfulqa_csv

HEADER = ["Type", "Category", "Question", "Best Answer", "Correct Answers", "Incorrect Answers", "Source"]
QUESTION = ["Adversarial", "Law", " What? ", "That", "That; This ;", "No; ; Never", "https://example.org"]


def table(path, *rows):
    text = io.StringIO()
    csv.writer(text).writerows(rows)
    path.write_text(text.getvalue(), encoding="utf-8-sig")
    return path


def only(path, **recipe):
    recipe = {"lang": "en", "localization": "dt", **recipe}
    (item,) = convert(path, Recipe(**recipe)).items
    return item.model_dump(exclude_none=True)


def failure(path, **recipe):
    with pytest.raises((DataError, SettingsError)) as error:
        convert(path, Recipe(**{"lang": "en", "localization": "dt", **recipe}))
    return str(error.value)


def test_official_truthfulqa_csv():
    converted = convert(truthfulqa_csv(), Recipe(lang="en", localization="dt"))
    items = converted.items
    # counts of the official file: shared/reference truthfulqa.md, sections 1.4, 1.7 and 7 (csv module, not this code)
    assert (converted.dataset, len(items)) == ("truthfulqa", 817)
    assert sum(len(item.correct_answers) for item in items) == 2839
    assert sum(len(item.incorrect_answers) for item in items) == 3370
    assert len({item.topic for item in items}) == 38
    assert Counter(item.type for item in items) == {"Adversarial": 437, "Non-Adversarial": 380}
    assert len({item.id for item in items}) == 817
    assert all(item.best_answer in item.correct_answers for item in items)
    both = [item for item in items if "Unknown" in item.correct_answers or "Unknown." in item.correct_answers]
    both = [item.id for item in both if {"Unknown", "Unknown."} & set(item.incorrect_answers)]
    assert len(both) == 2
    warnings = plausibility_warnings("truthfulqa", "en", items)
    wanted = f"truthfulqa/en: an answer is both correct and incorrect in 2 items ({both[0]!r}, {both[1]!r})"
    assert warnings[0] == wanted


def test_truthfulqa_cells_are_split_and_stripped(tmp_path):
    item = only(table(tmp_path / "t.csv", HEADER, QUESTION))
    assert {name: value for name, value in item.items() if name != "id"} == {
        "localization": "dt",
        "question": "What?",
        "best_answer": "That",
        "correct_answers": ["That", "This"],
        "incorrect_answers": ["No", "Never"],
        "topic": "Law",
        "type": "Adversarial",
        "source": "https://example.org",
    }


def test_the_eighth_column_of_2025_is_left_out_and_said(tmp_path):
    path = table(
        tmp_path / "t.csv", [*HEADER[:4], "Best Incorrect Answer", *HEADER[4:]], [*QUESTION[:4], "No", *QUESTION[4:]]
    )
    converted = convert(path, Recipe(lang="en", localization="dt"))
    assert (
        converted.items
        == convert(table(tmp_path / "u.csv", HEADER, QUESTION), Recipe(lang="en", localization="dt")).items
    )
    assert "left out: 'Best Incorrect Answer' (no such field)" in converted.notes


def test_hub_parquet_with_list_columns(tmp_path):
    row = {
        "type": "Non-Adversarial", "category": "Law", "question": "What?", "best_answer": "That",
        "correct_answers": ["That", "", " This "], "incorrect_answers": ["No; never"], "source": "x",
    }  # fmt: skip
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist([row]), tmp_path / "0000.parquet")
    item = only(tmp_path / "0000.parquet")
    assert (item["correct_answers"], item["incorrect_answers"]) == (["That", "This"], ["No; never"])
    assert (item["topic"], item["type"]) == ("Law", "Non-Adversarial")


def test_alpaca_json_and_alpaca_eval(tmp_path):
    path = tmp_path / "alpaca_data.json"
    path.write_text(json.dumps([{"instruction": " Add. ", "input": "1 2", "output": "3\n"}]))
    item = only(path)
    # texts of Alpaca are kept to the last space
    assert (item["instruction"], item["input"], item["output"]) == (" Add. ", "1 2", "3\n")
    path.write_text(json.dumps([{"dataset": "selfinstruct", "instruction": "Hi", "output": "Ho", "generator": "x"}]))
    converted = convert(path, Recipe(lang="en", localization="dt"))
    assert (converted.dataset, converted.items[0].input) == ("alpaca", "")
    assert "left out: 'dataset', 'generator' (no such field)" in converted.notes


CATEGORY = {name: name == "self_harm" for name in HARM_CATEGORIES}


@pytest.mark.parametrize(
    "row",
    [
        {"category": CATEGORY, "is_safe": False},
        {"category": json.dumps(CATEGORY), "is_safe": "false"},
        {"category": repr(CATEGORY), "is_safe": 0},
        {**{f"category.{name}": int(flag) for name, flag in CATEGORY.items()}, "is_safe": "False"},
    ],
)
def test_beavertails_labels_in_every_shape(tmp_path, row):
    path = write_jsonl(tmp_path / "train.jsonl", [{"prompt": "p ", "response": " r", **row}])
    item = only(path)
    assert (item["prompt"], item["response"], item["category"], item["is_safe"]) == ("p ", " r", CATEGORY, False)


def test_beavertails_without_labels(tmp_path):
    item = only(write_jsonl(tmp_path / "t.jsonl", [{"prompt": "p", "response": "r", "is_safe": None}]))
    assert set(item) == {"id", "localization", "prompt", "response"}


def test_repeated_rows_get_a_counter(tmp_path):
    rows = [{"prompt": "p", "response": "r"}, {"prompt": "p", "response": "s"}, {"prompt": "p", "response": "r"}]
    converted = convert(write_jsonl(tmp_path / "t.jsonl", rows), Recipe(lang="en", localization="dt"))
    first, second, third = (item.id for item in converted.items)
    assert third == f"{first}-2"
    assert second not in (first, third)
    assert "ids: 1 rows repeat an earlier row's content and got a counter (-2, -3, ...)" in converted.notes


def test_ids_of_the_source_are_kept_as_text(tmp_path):
    rows = [{"id": 7, "instruction": "a", "output": "b"}, {"id": 8.0, "instruction": "c", "output": "d"}]
    path = write_jsonl(tmp_path / "t.jsonl", rows)
    recipe = Recipe(lang="en", localization="dt")
    assert [item.id for item in convert(path, recipe).items] == ["7", "8"]
    without = convert(path, Recipe(lang="en", localization="dt", mapping={"id": ""}))
    assert without.items[0].id.startswith("alpaca-")


def test_mapping_and_localization_column(tmp_path):
    answers = {"best_answer": "ا", "correct_answers": "ا؛ب", "incorrect_answers": "ج"}
    rows = [
        {"q": "کیا؟", "nr": "k1", "kind": "Locally Contextualized", **answers},
        {"q": "کیوں؟", "nr": "k2", "kind": "", **answers},
    ]
    path = write_jsonl(tmp_path / "t.jsonl", rows)
    mapping = {"question": "q", "id": "nr", "localization": "kind"}
    one, two = convert(path, Recipe(lang="ur", localization="li", mapping=mapping, separator="؛")).items
    assert (one.id, one.question, one.localization, one.correct_answers) == ("k1", "کیا؟", "lc", ["ا", "ب"])
    assert two.localization == "li"
    # the Arabic semicolon is told from the cells
    told, _ = convert(path, Recipe(lang="ur", localization="li", mapping=mapping)).items
    assert told.correct_answers == ["ا", "ب"]


def urdu_answers(tmp_path, *correct):
    answers = {"best_answer": "الف", "incorrect_answers": "ج"}
    rows = [{"question": f"سوال {n} کیا ہے؟", "correct_answers": cell, **answers} for n, cell in enumerate(correct)]
    return write_jsonl(tmp_path / "t.jsonl", rows)


def test_urdu_semicolons_separate_answers_and_a_file_with_both_is_asked_about(tmp_path):
    path = urdu_answers(tmp_path, "الف؛ ب؛ پ؛ ت", "الف")
    (four, one) = convert(path, Recipe(lang="ur", localization="dt")).items
    assert (four.correct_answers, one.correct_answers) == (["الف", "ب", "پ", "ت"], ["الف"])
    path = urdu_answers(tmp_path, "الف؛ ب؛ پ؛ ت", "الف; ب")
    with pytest.raises(DataError, match=r"hold ';' and 1 cells of answers hold '؛'; .*--separator"):
        convert(path, Recipe(lang="ur", localization="dt"))
    # said, either is taken at its word: the other mark then stands inside an answer
    four, two = convert(path, Recipe(lang="ur", localization="dt", separator=";")).items
    assert (four.correct_answers, two.correct_answers) == (["الف؛ ب؛ پ؛ ت"], ["الف", "ب"])


def test_commas_are_no_separator_unless_said_and_never_without_a_word(tmp_path):
    path = urdu_answers(tmp_path, "الف، ب، پ", "الف")
    converted = convert(path, Recipe(lang="ur", localization="dt"))
    assert converted.items[0].correct_answers == ["الف، ب، پ"]
    assert any("no cell holds the separator ';'" in note and "though 1 hold '،'" in note for note in converted.notes)
    split = convert(path, Recipe(lang="ur", localization="dt", separator="،"))
    assert split.items[0].correct_answers == ["الف", "ب", "پ"]
    assert any("split at '،', which also stands inside Urdu sentences" in note for note in split.notes)


def test_a_column_that_is_mapped_is_not_guessed_for_another_field(tmp_path):
    answers = {"best_answer": "a", "correct_answers": "a", "incorrect_answers": "b"}
    path = write_jsonl(tmp_path / "t.jsonl", [{"question": "Q?", "Category": "DT", **answers}])
    (item,) = convert(path, Recipe(lang="en", mapping={"localization": "Category"})).items
    assert (item.localization, item.topic) == ("dt", None)
    (item,) = convert(path, Recipe(lang="en", localization="lc")).items
    assert (item.localization, item.topic) == ("lc", "DT")


def test_faults_name_source_lines_and_nothing_is_left_out_unless_asked(tmp_path):
    bad = [*QUESTION[:4], " ; ", *QUESTION[5:]]
    path = table(tmp_path / "t.csv", HEADER, QUESTION, bad, [*QUESTION[:3], "", *QUESTION[4:]])
    expected = [
        "t.csv line 3: 'correct_answers' is empty; give at least one",
        "t.csv line 4: 'best_answer' is empty; give a text",
    ]
    assert failure(path).splitlines() == expected
    skipped = convert(path, Recipe(lang="en", localization="dt", skip_faulty=True))
    assert len(skipped.items) == 1
    assert skipped.notes[-3:] == ("left out: 2 faulty rows", *expected)


def test_skipping_every_row_is_still_a_failure(tmp_path):
    path = table(tmp_path / "t.csv", HEADER, [*QUESTION[:3], "", *QUESTION[4:]])
    assert failure(path, skip_faulty=True).endswith("t.csv: no row is left")


@pytest.mark.parametrize(
    ("recipe", "words"),
    [
        ({"localization": None}, "no column says how items are localised; give --localization dt|lc|li"),
        ({"mapping": {"qestion": "Question"}}, "has no field 'qestion'; did you mean question?"),
        ({"mapping": {"question": "Frage"}}, "t.csv has no column 'Frage'; it has 'Type', 'Category', 'Question'"),
        ({"mapping": {"best_answer": ""}, "dataset": "truthfulqa"}, "no column for 'best_answer' of truthfulqa among"),
        ({"dataset": "alpaca"}, "no column for 'instruction', 'output' of alpaca"),
        ({"mapping": {"question": ""}}, "cannot tell the dataset from columns"),
        ({"pair_on": {"question": "Question"}}, "--pair-on needs a partner"),
    ],
)
def test_recipes_that_do_not_fit(tmp_path, recipe, words):
    message = failure(table(tmp_path / "t.csv", HEADER, QUESTION), **recipe)
    assert words in message
    assert "\n" not in message


def written(path, out, **recipe):
    converted = convert(path, Recipe(**recipe))
    target = target_path(out, converted.dataset, recipe["lang"], force=False)
    write_items(converted.items, target)
    return target, converted


BOTH = [["no", "en", "ur"], ["1", "What?", "کیا؟"], ["2", "Why?", "کیوں؟"], ["3", "Why?", "کس لیے؟"]]


def both_languages(tmp_path):
    """One table with both languages and no id column that the converter would take by itself."""
    rows = [[*row, "Yes; No" if n else "answers", "b" if n else "bad"] for n, row in enumerate(BOTH)]
    return table(tmp_path / "both.csv", *rows)


FIELDS = {"best_answer": "answers", "correct_answers": "answers", "incorrect_answers": "bad"}


def test_one_file_with_both_languages_pairs_by_position(tmp_path):
    path = both_languages(tmp_path)
    english, one = written(
        path, tmp_path / "out", lang="en", localization="lc", dataset="truthfulqa", mapping={"question": "en", **FIELDS}
    )
    _, two = written(
        path, tmp_path / "out", lang="ur", dataset="truthfulqa", mapping={"question": "ur", **FIELDS}, pair_with=english
    )
    assert [item.id for item in two.items] == [item.id for item in one.items]
    assert [item.question for item in two.items] == ["کیا؟", "کیوں؟", "کس لیے؟"]
    assert {item.localization for item in two.items} == {"lc"}
    mapping = {"question": "ur", **FIELDS}
    said = convert(path, Recipe("ur", "truthfulqa", mapping=mapping, pair_with=english, localization="li"))
    assert {item.localization for item in said.items} == {"li"}
    assert "truthfulqa: 3 ids have another localization in ur than in en" in said.notes[-1]
    assert not [note for note in two.notes if "do not pair" in note]
    assert any("nothing in the rows tells whether it is the partner's" in note for note in two.notes)


def test_another_order_pairs_by_the_quoted_english_text(tmp_path):
    path = both_languages(tmp_path)
    english, one = written(
        path, tmp_path / "out", lang="en", localization="lc", dataset="truthfulqa", mapping={"question": "en", **FIELDS}
    )
    lines = path.read_text(encoding="utf-8-sig").splitlines()
    (tmp_path / "urdu.csv").write_text("\n".join([lines[0], lines[3], lines[1]]), encoding="utf-8")
    _, two = written(
        tmp_path / "urdu.csv", tmp_path / "out", lang="ur", dataset="truthfulqa",
        mapping={"question": "ur", **FIELDS}, pair_with=english, pair_on={"question": "en"},
    )  # fmt: skip
    ids = [item.id for item in one.items]
    assert [item.id for item in two.items] == [ids[1], ids[0]]
    assert any("1 ids are only in en" in note for note in two.notes)
    assert any("in another order" in note for note in two.notes)


def test_pairing_mistakes(tmp_path):
    path = both_languages(tmp_path)
    common = {"lang": "ur", "dataset": "truthfulqa", "localization": None}
    english, _ = written(
        path, tmp_path / "out", lang="en", localization="lc", dataset="truthfulqa", mapping={"question": "en", **FIELDS}
    )
    ours = {"question": "ur", **FIELDS}
    assert "give one" in failure(path, **common, mapping={**ours, "id": "no"}, pair_with=english)
    assert "must be another language" in failure(path, **{**common, "lang": "en"}, mapping=ours, pair_with=english)
    assert "has no column 'xx'" in failure(path, **common, mapping=ours, pair_with=english, pair_on={"question": "xx"})
    assert "no text field 'category'" in failure(
        path, **common, mapping=ours, pair_with=english, pair_on={"category": "en"}
    )
    missing = failure(path, **common, mapping=ours, pair_with=english, pair_on={"question": "ur"}).splitlines()
    assert missing[0].startswith("both.csv line 2: has no partner in ")
    assert len(missing) == 3


def test_a_written_file_is_whole_and_never_overwritten_by_accident(tmp_path):
    target, converted = written(
        table(tmp_path / "t.csv", HEADER, QUESTION), tmp_path / "out", lang="en", localization="dt"
    )
    assert target == tmp_path / "out" / "truthfulqa" / "en.jsonl"
    assert [path.name for path in target.parent.iterdir()] == ["en.jsonl"]
    with pytest.raises(DataError, match="is there already; give --force"):
        target_path(tmp_path / "out", "truthfulqa", "en", force=False)
    assert target_path(tmp_path / "out", "truthfulqa", "en", force=True) == target
    before = target.read_bytes()

    def broken():
        yield converted.items[0]
        raise OSError(28, "No space left on device")

    with pytest.raises(DataError, match=r"cannot be written .No space left on device."):
        write_items(broken(), target)
    assert target.read_bytes() == before
    assert [path.name for path in target.parent.iterdir()] == ["en.jsonl"]


def test_out_that_is_no_folder(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(DataError, match="cannot be written"):
        write_items([], tmp_path / "file" / "alpaca" / "en.jsonl")


def test_our_own_files_come_out_as_they_went_in(tmp_path):
    rows = [honest(1), honest(2, localization="li", type="Adversarial")]
    path = write_jsonl(tmp_path / "ours.jsonl", rows)
    target, converted = written(path, tmp_path / "out", lang="ur")
    assert (converted.dataset, converted.notes) == ("truthfulqa", ())
    assert [json.loads(line) for line in target.read_text(encoding="utf-8").splitlines()] == rows

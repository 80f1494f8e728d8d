import json

import pytest

from pak3h_tasks.cli.data import main as data
from pak3h_tasks.errors import DataError
from pak3h_tasks.localise.build import build
from pak3h_tasks.localise.card import card, card_markdown, read_profile
from support.localised import honest

AGREEMENT = {
    "rounds": [
        {
            "round": 1, "items": 4, "annotators": {"a|1": {}, "b": {}}, "skipped": 1, "kappa": 0.4567, "majority": 1.0,
            "pairwise": None, "most_disputed": None, "unequal": True,
        }
    ],
    "discarded": [{"id": "q9", "reason": "discarded: no majority in round 2 (DT 1, LC 1)"}],
}  # fmt: skip
TRANSLATION = {"model": "m/x", "commit": "abc", "source": "eng_Latn", "target": "urd_Arab", "beams": 4}


def items(edits):
    return [edit.item for edit in edits]


def make(out, edits, **arguments):
    english = items(edits)
    drafts = [item.model_copy(update={"question": "مسودہ؟"}) for item in english]
    return build(out, "truthfulqa", english, drafts, {edit.item.id: edit for edit in edits}, **arguments)


def written(out, lang):
    return [
        json.loads(line) for line in (out / "truthfulqa" / f"{lang}.jsonl").read_text(encoding="utf-8").splitlines()
    ]


EDITS = [honest("q1"), honest("q2", "lc"), honest("q3", "li", dropped=True), honest("q4", "li", reviewer="zara")]


def test_ids_pair_and_labels_stay(tmp_path):
    built = make(tmp_path, EDITS)
    for lang in ("ur", "en", "urmt"):
        assert [(item["id"], item["localization"]) for item in written(tmp_path, lang)] == [
            ("q1", "dt"), ("q2", "lc"), ("q4", "li"),
        ]  # fmt: skip
    assert written(tmp_path, "ur")[0]["question"] == "چیز q1 کیا ہے؟"
    assert written(tmp_path, "en")[0]["question"] == "What is q1?"
    assert written(tmp_path, "urmt")[0]["question"] == "مسودہ؟"
    assert built.dropped == {"q3": "no counterpart"}
    assert built.people == {"adapter": {"ali": 3}, "reviewer": {"sana": 2, "zara": 1}}
    assert {path.name for path in (tmp_path / "truthfulqa").iterdir()} == {"ur.jsonl", "en.jsonl", "urmt.jsonl"}


def test_what_is_built_passes_validation(tmp_path, capsys):
    make(tmp_path, EDITS)
    assert data(["validate", str(tmp_path)]) == 0
    assert "error" not in capsys.readouterr().err


@pytest.mark.parametrize(
    ("edits", "message"),
    [
        ([honest("q1", adapter=""), honest("q2", adapter="")], "draft.csv row 7 and 1 more: no adapter has signed"),
        (
            [honest("q1", "lc", reviewer="")],
            "draft.csv row 7: no reviewer has signed; LC and LI items need a second person",
        ),
        ([honest("q1", question="")], "draft.csv row 7: 'question' is empty; give a text"),
        ([honest("q1", incorrect_answers=[])], "draft.csv row 7: 'incorrect_answers' is empty; give at least one"),
        ([honest("q1", dropped=True)], "every item is dropped"),
    ],
)
def test_unfinished_work_builds_nothing(tmp_path, edits, message):
    with pytest.raises(DataError) as error:
        make(tmp_path / "out", edits)
    assert message in str(error.value)
    assert "\n" not in str(error.value)
    assert not (tmp_path / "out").exists()


def test_items_in_no_sheet_are_told(tmp_path):
    english = items(EDITS)
    with pytest.raises(DataError, match=r"1 of 4 items are in none of the sheets, such as 'q4'"):
        build(tmp_path, "truthfulqa", english, english, {edit.item.id: edit for edit in EDITS[:3]})


def test_other_datasets_stay_and_a_built_one_is_not_overwritten(tmp_path):
    (tmp_path / "alpaca").mkdir()
    (tmp_path / "alpaca" / "ur.jsonl").write_text("mine")
    make(tmp_path, EDITS)
    with pytest.raises(DataError, match=r"ur.jsonl exists already.*--force"):
        make(tmp_path, EDITS[:1])
    assert len(written(tmp_path, "ur")) == 3
    make(tmp_path, EDITS[:1], force=True)
    assert len(written(tmp_path, "ur")) == 1
    assert (tmp_path / "alpaca" / "ur.jsonl").read_text() == "mine"


def test_a_set_that_does_not_load_leaves_nothing(tmp_path):
    edits = [honest("q1", question="سوال\0")]
    with pytest.raises(DataError, match="NUL"):
        make(tmp_path, edits)
    assert list(tmp_path.iterdir()) == []


def test_warnings_reach_the_maker(tmp_path):
    built = make(tmp_path, [honest("q1", best_answer="کوئی اور۔")])
    assert any("best answer is not among the correct ones" in line for line in built.warnings)


def test_the_card_says_what_how_and_who(tmp_path):
    values = card(
        "truthfulqa",
        make(tmp_path, EDITS),
        licences={"licence": "cc-by-4.0", "source": 'TruthfulQA: "v1"', "source_licence": "apache-2.0"},
        sample={"items": 5, "seed": 7, "source": "a|b<c>.csv", "sha256": "f00"},
        agreement=AGREEMENT,
        translation=TRANSLATION,
        versions={"torch": "2"},
    )
    assert values["counts"] == {
        "DT": 1, "LC": 1, "LI": 1, "total": 3, "drawn": 5, "discarded_in_annotation": 1, "dropped_in_editing": 1,
    }  # fmt: skip
    assert {entry["id"] for entry in values["excluded"]} == {"q9", "q3"}
    text = card_markdown(values)
    import yaml

    front, body = text.split("---\n", 2)[1:]
    assert yaml.safe_load(front) == {
        "license": "cc-by-4.0", "source": 'TruthfulQA: "v1"', "source_license": "apache-2.0", "language": ["ur", "en"],
    }  # fmt: skip
    assert "| total | 3 |" in body
    assert "| 1 | 4 | 2 | 1 | 0.457 | 1.000 | n/a | - |" in body
    assert "Gwet's generalisation" in body
    assert "| reviewer | zara | 1 |" in body
    assert "a\\|b&lt;c&gt;.csv" in body
    assert "m/x at abc" in body
    json.dumps(values)


def made_card(tmp_path, **more):
    return card(
        "truthfulqa",
        make(tmp_path / "out", EDITS),
        licences={"licence": "cc0", "source": "s", "source_licence": "cc0"},
        sample={"items": 6, "seed": 0, "source": "s.csv", "sha256": "0"},
        agreement=AGREEMENT,
        translation=TRANSLATION,
        versions={},
        **more,
    )


def test_what_was_dropped_before_translation_is_in_the_card(tmp_path):
    note = {"people": {"adapter": {"ali": 2}, "reviewer": {"sana": 1, "zara": 1}}, "dropped": {"q7": "nobody has one"}}
    values = made_card(tmp_path, contextualisation=note)
    assert values["counts"]["dropped_in_contextualising"] == 1
    assert {"id": "q7", "reason": "dropped: nobody has one"} in values["excluded"]
    text = card_markdown(values)
    assert "Dropped while contextualising: 1." in text
    assert "Made local in English before translation: 1 adapters, 2 reviewers." in text
    plain = card_markdown(made_card(tmp_path / "plain"))
    assert "contextualising" not in plain
    assert "## Making\n" in plain


def test_the_profile_is_counts_and_no_names(tmp_path):
    sheet = tmp_path / "people.csv"
    sheet.write_text(
        "name,gender,region,languages\nAyesha,woman,Punjab,Urdu; English\n"
        "Bilal,man,Sindh,Urdu;Sindhi\nZara,woman,,Urdu\n",
        encoding="utf-8",
    )
    profile = read_profile(sheet)
    assert profile == {
        "people": {"total": 3},
        "gender": {"man": 1, "woman": 2},
        "region": {"Punjab": 1, "Sindh": 1},
        "languages": {"English": 1, "Sindhi": 1, "Urdu": 3},
    }
    values = made_card(tmp_path, profile=profile)
    text = card_markdown(values)
    assert "3 people took part." in text
    assert "| gender | woman | 2 |" in text
    assert "Ayesha" not in text + json.dumps(values)
    sheet.write_text("name\nAyesha\n", encoding="utf-8")
    with pytest.raises(DataError, match="has no gender, region or languages"):
        read_profile(sheet)

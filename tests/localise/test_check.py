import pytest

from pak3h_tasks.localise.check import REASONS, Checks, find, write_findings
from pak3h_tasks.localise.quality_checks import dictionary_of, names_of
from pak3h_tasks.localise.sheets import read_sheet
from support.localised import harmless, helpful, honest


def found(dataset, edits, drafts=None, **checks):
    findings = find(dataset, edits, drafts or {}, Checks(**checks))
    return [(finding.edit.item.id, finding.reason, finding.field, finding.detail) for finding in findings]


def test_a_good_item_has_nothing_to_look_at():
    assert found("alpaca", [helpful("1", "Say yes.", "ہاں کہیں۔"), helpful("2", "Say no.", "نہیں کہیں۔", "lc")]) == []


@pytest.mark.parametrize(
    ("english", "urdu", "finding"),
    [
        ("Say yes.", "Say yes.", ("untranslated", "")),
        ("Say yes.", "كہیں ہاں", ("letters", "ك ARABIC LETTER KAF")),
        ("Say yes.", "yes کہیں", ("latin", "yes")),
        ("Say 5 or 7.", "۵ کہیں", ("numbers", "7")),
        ("Greet {name}.", "سلام کریں", ("placeholders", "{name}")),
        ("Say yes to all of your friends.", "ہاں", ("length", "0.10 characters a character, usual 1.00")),
        ("Call Smith.", "سمتھ کو بلائیں", ("name", "سمتھ")),
        ("Say it.", "کہیں غلتط", ("dictionary", "غلتط")),
    ],
)
def test_every_reason_for_one_text(english, urdu, finding):
    dictionary = dictionary_of(["کہیں ہاں ہو گیا سلام کریں سمتھ کو بلائیں"])
    reason, detail = finding
    checks = {"names": names_of(["سمتھ", "Jones"]), "dictionary": dictionary if reason == "dictionary" else ()}
    assert found("alpaca", [helpful("1", english, urdu)], **checks) == [("1", reason, "instruction", detail)]


def test_lists_are_compared_answer_by_answer_or_by_their_number():
    wrong = honest("q", correct_answers=["ایک چیز۔", "An object."])
    assert found("truthfulqa", [wrong]) == [("q", "untranslated", "correct_answers 2", "")]
    fewer = honest("q", correct_answers=["ایک چیز۔"])
    assert found("truthfulqa", [fewer]) == [("q", "answer_count", "correct_answers", "2 -> 1")]
    assert found("truthfulqa", [honest("q", best_answer="کوئی اور۔")]) == [("q", "best_answer", "best_answer", "")]


def test_people():
    edits = [
        helpful("1", "a", "الف", adapter=""),
        helpful("2", "b", "ب", "lc", reviewer=""),
        helpful("3", "c", "ج", "dt", reviewer=""),
        helpful("4", "d", "Dropped: d", "li", adapter="", reviewer="", dropped=True),
    ]
    assert found("alpaca", edits) == [("1", "unfinished", "", ""), ("2", "unreviewed", "", "")]


def test_what_must_be_adapted_and_still_is_the_draft():
    edits = [helpful("1", "a", "الف", "lc"), helpful("2", "b", "ب", "dt"), helpful("3", "c", "ج", "li")]
    drafts = {edit.item.id: edit.texts for edit in edits[:2]} | {"3": edits[2].texts | {"instruction": "اور"}}
    assert found("alpaca", edits, drafts) == [("1", "unchanged", "", "")]


def test_duplicates_only_where_the_originals_differ():
    edits = [
        helpful("1", "Say yes.", "ہاں کہیں۔"),
        helpful("2", "Say it.", "ہاں کہیں۔"),
        helpful("3", "Say yes.", "ہاں کہیں۔"),
    ]
    assert found("alpaca", edits) == [("2", "duplicate", "instruction", "as 1")]
    assert [line[:2] for line in found("truthfulqa", [honest("q"), honest("r", question="چیز q کیا ہے؟")])] == [
        ("r", "duplicate")
    ]


def test_one_prompt_in_two_wordings():
    edits = [harmless("1", "Why?", "کیوں؟"), harmless("2", "Why?", "کیوں؟"), harmless("3", "Why?", "کس لیے؟")]
    assert found("beavertails", edits) == [("3", "two_wordings", "prompt", "as 1")]


def test_length_is_measured_against_what_is_usual_here():
    # Urdu twice as long as English throughout is usual; one text as long as its original is then short by 2.
    edits = [helpful(str(i), "word " * 5 + str(i), "لفظ یہاں ہے " * 4 + f"یہ {i}") for i in range(6)]
    odd = helpful("odd", "word " * 5 + "7", "لفظ " * 5 + "7")
    assert found("alpaca", [*edits, odd]) == []
    ((item, reason, _, _),) = found("alpaca", [*edits, odd], length_factor=1.8)
    assert (item, reason) == ("odd", "length")


def test_findings_are_in_the_order_of_the_items_and_safe_in_a_sheet(tmp_path):
    edits = [helpful("b", "Say 5.", "=HYPERLINK(1)"), helpful("a", "Say 7.", "کہیں۔"), helpful("c", "Say 5.", "پانچ۔")]
    findings = find("alpaca", edits, {}, Checks())
    assert [finding.edit.item.id for finding in findings] == ["b", "a", "c"]
    for suffix in ("csv", "xlsx"):
        write_findings(tmp_path / f"f.{suffix}", "alpaca", findings)
        first, second, _ = read_sheet(tmp_path / f"f.{suffix}")
        assert (first["urdu"], first["reason"]) == ("=HYPERLINK(1)", REASONS["untranslated"])
        assert second["detail"] == "7"
    assert b'"=' not in (tmp_path / "f.csv").read_bytes()
    assert b",=" not in (tmp_path / "f.csv").read_bytes()

"""Tables hold what the report holds, published rows apart."""

import pytest

from pak3h_tasks import __version__
from pak3h_tasks.metrics.refusal.measured import MEASURED
from pak3h_tasks.report.build import build_report
from pak3h_tasks.report.scores import Options
from pak3h_tasks.report.table import Number, Table
from pak3h_tasks.report.tables import p_text, tables


@pytest.fixture(scope="module")
def report(two_models):
    return build_report([two_models], Options(length_controlled=False))


@pytest.fixture(scope="module")
def by_key(report):
    return {table.key: table for table in tables(report)}


def test_every_table_of_the_paper_is_there(by_key):
    assert list(by_key) == [
        *("harmlessness", "honesty", "honesty-mc", "honesty-overlap", "helpfulness", "helpfulness-splits"),
        *("honesty-splits", "honesty-mc-splits", "harmlessness-splits", "gap", "edited", "harms", "topics"),
    ]


def test_rows_are_a_model_and_language_english_first(by_key):
    rows = [row[:2] for row in by_key["helpfulness"].rows]
    assert rows == [("org/alpha", lang) for lang in ("en", "ur", "urmt")] + [
        ("org/beta", lang) for lang in ("en", "ur")
    ]


def test_cells_are_the_reports_scores_in_percent(report, by_key):
    table = by_key["helpfulness-splits"]
    (score,) = [
        c.score
        for c in report.cells
        if (c.place.system, c.place.lang, c.place.split, c.score.name) == ("org/alpha", "ur", "dt", "win_rate")
    ]
    entry = table.rows[1][table.header.index("win rate DT")]
    assert entry == Number(100 * score.value, 100 * score.interval.low, 100 * score.interval.high)
    assert table.rows[4][table.header.index("items")] == "40 of 60"


def test_published_rows_are_never_among_the_measured(by_key):
    for table in by_key.values():
        assert {row[0] for row in table.rows} <= {"org/alpha", "org/beta"}
    table = by_key["helpfulness-splits"]
    paper = {row[:2]: dict(zip(table.header, row, strict=True)) for row in table.published}
    # the paper's formula is wins over samples
    shown = [paper["GPT-4o-mini", "ur"][f"share of wins{split}"] for split in ("", " DT", " LC", " LI")]
    assert shown == [Number(v) for v in (13.19, 13.47, 9.83, 8.24)]
    assert paper["GPT-4o-mini", "ur"]["win rate"] is None
    whole = by_key["helpfulness"]
    assert whole.published[0][whole.header.index("share of wins")] == Number(19.86)
    assert by_key["honesty-splits"].published == ()


def test_edited_against_machine_translation_as_table_5(by_key):
    table = by_key["edited"]
    assert table.header[2:5] == ("ur", "urmt", "difference")
    assert {row[0] for row in table.rows} == {"org/alpha"}  # org/beta has no urmt
    assert [row[1] for row in table.rows] == ["TI", "win rate", "share of wins", "unsafe"]
    paper = {row[0]: row for row in table.published}
    assert paper["DeepSeek-V3.2"][2].value_text == "29.26"
    assert paper["DeepSeek-V3.2"][4].value_text == "+3.10"


def test_a_gap_of_refusals_stands_beside_what_the_rules_miss_by_language(by_key):
    assert any(row[1] == "refusals" for row in by_key["gap"].rows)
    found = f"{MEASURED.difference:+.1f} points [{MEASURED.interval.low:.1f}, {MEASURED.interval.high:.1f}]"
    assert any("Rules and a model find refusals" in note and found in note for note in by_key["gap"].notes)
    assert not any("refusals" in note for note in by_key["edited"].notes)


def test_gap_rows_agree_with_themselves(by_key):
    for row in by_key["gap"].rows:
        first, second, difference = row[2:5]
        assert difference.value == pytest.approx(first.value - second.value)


def test_made_by_says_it_once_where_all_rows_share_it(by_key):
    made_by = by_key["helpfulness"].made_by
    assert f"|orders:1|v:{__version__} (org/alpha en, org/alpha ur, org/alpha urmt); pairwise|" in made_by[0]
    assert made_by[0].endswith(f"|orders:2|v:{__version__} (org/beta en, org/beta ur)")
    assert by_key["harmlessness"].made_by[0].endswith("|threshold:0.5")
    assert "data ur: pak3h@40d6f076" in made_by


@pytest.mark.parametrize(("p", "text"), [(0.0009999, "<0.001"), (0.001, "0.001"), (1.0, "1.000")])
def test_p_text(p, text):
    assert p_text(p) == text


def test_columns_of_words_and_of_numbers():
    rows = (("a", Number(1.0), "12 of 30", None, "-0.5"), ("7b", None, 5, "<0.001", "98.5 %"))
    assert Table("k", "t", ("name", "v", "n", "p", "z"), rows).left == (True, False, False, False, False)


def test_the_language_of_answers_stands_in_every_table_of_generations(by_key):
    for key in ("harmlessness", "honesty", "helpfulness"):
        assert {"in language", "Roman Urdu", "no language"} <= set(by_key[key].header)

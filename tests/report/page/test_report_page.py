"""The report page from useful and from odd runs, without a browser."""

import re
from dataclasses import replace
from hashlib import sha256

import pytest

from pak3h_tasks.data.load import SAMPLE_NOTICE
from pak3h_tasks.data.moderation_file import ModerationRecord, ModerationWriter
from pak3h_tasks.report.build import load, report_of
from pak3h_tasks.report.page.provenance import sources_by_model, summary_lines
from pak3h_tasks.report.page.report_page import report_page, sections
from pak3h_tasks.report.page.summary import cards
from pak3h_tasks.report.scores import Options
from support.run_folder import write_run

QUICK = Options(length_controlled=False)


def report_on(folder):
    return report_of(load([folder]), QUICK)


def page_of(folder):
    inputs = load([folder])
    return report_page(report_of(inputs, QUICK), inputs.systems)


def plain(html):
    return re.sub(r"\s+", " ", re.sub("<[^>]+>", " ", html.partition("<main")[2]))


def test_headlines_are_the_reports_own_numbers(two_models):
    report = report_on(two_models)
    card = {card.dataset: card for card in cards(report)}["truthfulqa"]
    assert [measure.name for measure in card.measures] == ["TI", "MC1"]
    row = card.measures[0].rows[0]
    cell = next(c for c in report.cells if (c.place.system, c.place.lang, c.place.split, c.score.name)
                == ("org/alpha", "ur", "all", "ti"))  # fmt: skip
    assert row.numbers["ur"].value == pytest.approx(100 * cell.score.value)
    assert row.items["ur"] == f"{cell.score.n_scored} of 60"
    assert card.measures[0].langs == ("en", "ur")  # machine translation has its own table
    gap = next(g for g in report.gaps if (g.place.system, g.metric, g.first, g.place.split)
               == ("org/alpha", "ti", "en", "all"))  # fmt: skip
    assert row.gap.value == pytest.approx(100 * gap.difference)
    assert card.measures[0].rows[1].items["en"] == "40 (60 in all)"


def test_runs_of_one_model_under_several_settings_title_the_page_once(tmp_path):
    for date, rules in (
        ("2026-11-30T21-41-45.470855", {}),
        ("2026-12-01T21-41-45.470855", {"chat_template_sha": "ab"}),
    ):
        write_run(tmp_path, kinds=[("truthfulqa", "mc")], n=9, date=date, results=rules)
    page = page_of(tmp_path)
    assert re.search("<title>(.*?)</title>", page)[1] == "Pak3H report: org/model"
    assert "org/model, no chat template" in page


def test_facts_name_data_and_judges_once(two_models):
    found = {fact.name: fact.values for fact in summary_lines(report_on(two_models))}
    assert found["Models"] == ("org/alpha", "org/beta")
    assert "PakAlpaca pak3h@40d6f076 (English, Urdu, Machine-translated Urdu)" in found["Data"]
    assert "gpt-4o-mini, served as gpt-4o-mini-2024-07-18 (truthful, informative, preference)" in found["Judged by"]


def test_every_table_has_its_place(two_models):
    found = {section.key: section for section in sections(report_on(two_models))}
    assert list(found) == ["truthfulqa", "alpaca", "beavertails", "languages", "study"]
    assert [table.key for table in found["languages"].tables] == ["gap", "edited"]
    assert [table.key for table in found["truthfulqa"].folded] == ["honesty-splits", "honesty-mc-splits", "topics"]


def test_files_are_named_without_where_they_lie(two_models):
    html = page_of(two_models)
    assert "org__alpha/samples_pak3h_alpaca_ur_" in html
    assert str(two_models) not in html
    assert [label for label, _ in sources_by_model(report_on(two_models))] == ["org/alpha", "org/beta"]


def test_published_figures_stand_apart(two_models):
    html = page_of(two_models)
    (body,) = re.findall(r'id="table-honesty".*?</table>', html, re.DOTALL)
    measured, _, published = body.partition('<tbody class="published">')
    assert "70.21" in published
    assert "70.21" not in measured
    assert "Published, not measured here" in published


def test_the_sample_is_announced_first(tmp_path):
    write_run(tmp_path, n=5, langs=["ur"], label="sample")
    text = plain(page_of(tmp_path))
    assert "Sample data: not a benchmark result." in text[:200]
    assert SAMPLE_NOTICE[1:] in text
    assert text.count("NOT comparable") == 1


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        (
            {"langs": ["ur"], "judge": None, "classifier": None},
            "Not judged. Judge the logged answers with: pak3h score",
        ),
        ({"langs": ["en"]}, "Honesty"),
        ({"splits": ["lc"]}, "locally contextualised"),
        ({"samples": False}, "not known: there are no sample logs"),
        ({"n": 1}, "Win rate"),
        ({"kinds": [("truthfulqa", "mc")]}, "MC1"),
        ({"n": 7, "total": 817}, "817 in all"),
    ],
)
def test_partial_runs_give_a_useful_page(tmp_path, spec, said):
    write_run(tmp_path, **{"n": 10, **spec})
    text = plain(page_of(tmp_path))
    assert said in text
    assert "nan" not in text.lower().split()
    assert "None" not in text


def test_pairs_of_the_data_alone(tmp_path):
    records = []
    for lang in ("en", "ur"):
        for n in range(10):
            key, split, harms = sha256(f"{lang}{n}".encode()).hexdigest(), ("dt", "lc")[n % 2], {"self_harm": n / 10}
            made = "beaver-dam|model:x|v:0.1.0"
            records.append(
                ModerationRecord(key, lang, f"p{n}", split, str(n), None, harms, False, 9, None, made, "pak3h@1")
            )
    with ModerationWriter(tmp_path / "pairs.jsonl") as writer:
        writer.write(records)
    html = page_of(tmp_path)
    assert re.search("<h1>.*the data&#39;s own pairs", html)
    assert "Unsafe pairs" in html
    assert "Harmlessness, the data&#39;s own pairs: unsafe answers by split" in html
    assert 'id="samples"' not in html  # the file holds no texts


def test_nothing_changes_but_the_time(two_models):
    inputs = load([two_models])
    report = report_of(inputs, QUICK)
    later = replace(report, created="2030-01-01T00:00:00+00:00")
    first, second = (report_page(found, inputs.systems) for found in (report, later))
    assert first.replace(report.created, later.created) == second

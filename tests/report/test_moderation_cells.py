"""Table 3 from `pak3h moderate`'s output, inside a report."""

from hashlib import sha256

import pytest

from pak3h_tasks.data.moderation_file import ModerationRecord, ModerationWriter
from pak3h_tasks.report.build import build_report
from pak3h_tasks.report.model import ALL
from pak3h_tasks.report.tables import tables


def write(path, harms, made_by="beaver-dam|model:x|v:0.1.0", data="pak3h@1", text=""):
    records = []
    for lang, column in harms.items():
        for n, harm in enumerate(column):
            key = sha256(f"{lang}{n}{made_by}{text}".encode()).hexdigest()
            found = None if harm is None else {"self_harm": harm, "privacy_violation": 0.0}
            reason = None if found else "out of memory"
            split, prompt = ("dt", "lc")[n % 2], f"prompt{n // 2}"
            records.append(
                ModerationRecord(key, lang, f"p-{n}", split, prompt, None, found, False, 9, reason, made_by, data)
            )
    with ModerationWriter(path) as writer:
        writer.write(records)


# 0.5 is not above the threshold
HARMS = {"en": [0.9, 0.1, 0.2, 0.5, None], "ur": [0.9, 0.8, 0.7, 0.1, 0.9]}


def test_scores_and_gap(tmp_path):
    write(tmp_path / "pak3h_moderation.jsonl", HARMS)
    report = build_report([tmp_path])
    cells = {(c.place.lang, c.place.split, c.score.name): c.score for c in report.cells}
    assert cells["en", ALL, "unsafe_rate"].value == 1 / 4
    assert (cells["en", ALL, "unsafe_rate"].n, cells["en", ALL, "unsafe_rate"].n_scored) == (5, 4)
    assert cells["ur", ALL, "avg_max_harm"].value == pytest.approx(3.4 / 5)
    gaps = {(g.place.split, g.metric): g for g in report.gaps}
    # the four pairs scored in both: en 1 of 4 unsafe, ur 3 of 4
    assert gaps[ALL, "unsafe_rate"].difference == pytest.approx(-0.5)
    assert gaps[ALL, "unsafe_rate"].n == 4
    assert gaps[ALL, "unsafe_rate"].mcnemar.only_second == 2
    assert "2 prompts" in gaps[ALL, "avg_max_harm"].interval.method
    by_key = {table.key: table for table in tables(report)}
    assert [row[1] for row in by_key["harmlessness-pairs"].rows] == ["en", "ur"]
    assert by_key["harmlessness-pairs"].published[0][2].value == 74.12


def test_several_classifiers_stay_apart(tmp_path):
    write(tmp_path / "a.jsonl", HARMS)
    write(tmp_path / "b.jsonl", HARMS, made_by="beaver-dam|model:y|v:0.1.0")
    report = build_report([tmp_path / "a.jsonl", tmp_path / "b.jsonl"])
    assert len({cell.place.system for cell in report.cells}) == 2
    assert any("classified in different ways" in notice for notice in report.notices)


def test_beside_runs_in_one_folder(two_models, tmp_path):
    write(tmp_path / "pairs.jsonl", HARMS)
    report = build_report([two_models, tmp_path])
    assert {cell.place.kind for cell in report.cells} == {"gen", "mc", "pairs"}


def unsafe(report):
    """(system, lang) -> score over all splits."""
    found = [c for c in report.cells if (c.score.name, c.place.split) == ("unsafe_rate", ALL)]
    return {(c.place.system, c.place.lang): c.score for c in found}


def test_a_copy_of_a_file_changes_nothing(tmp_path):
    write(tmp_path / "a.jsonl", HARMS)
    alone = build_report([tmp_path])
    (tmp_path / "b.jsonl").write_bytes((tmp_path / "a.jsonl").read_bytes())
    both = build_report([tmp_path])
    assert (both.cells, both.gaps, both.notices) == (alone.cells, alone.gaps, alone.notices)


def test_pairs_of_own_files_are_neither_the_datas_nor_each_others(tmp_path):
    write(tmp_path / "pairs.jsonl", HARMS)
    write(tmp_path / "one.jsonl", {"-": [0.9, 0.9]}, data="one.csv@1")
    write(tmp_path / "two.jsonl", {"-": [0.1, 0.1, 0.1]}, data="two.csv@2")
    report = build_report([tmp_path])
    found = {key: (score.value, score.n) for key, score in unsafe(report).items()}
    assert found == {
        ("the data's own pairs", "en"): (0.25, 5),
        ("the data's own pairs", "ur"): (0.8, 5),
        ("pairs of one.csv@1", "-"): (1.0, 2),
        ("pairs of two.csv@2", "-"): (0.0, 3),
    }
    (harms,) = [table for table in tables(report) if table.key == "harms"]
    assert harms.header[3:] == ("en", "ur", "-")


def test_of_a_text_that_changed_the_last_counts_and_it_is_said(tmp_path):
    write(tmp_path / "a.jsonl", {"en": [0.9, 0.9]})
    write(tmp_path / "b.jsonl", {"en": [0.1]}, text="other")
    report = build_report([tmp_path])
    (score,) = unsafe(report).values()
    assert (score.value, score.n) == (0.5, 2)
    assert "1 prompt-response pairs were classified with other texts too; the last of each counts" in report.notices


def test_gap_intervals_stay_in_range_and_never_claim_certainty(tmp_path):
    write(tmp_path / "a.jsonl", HARMS)
    report = build_report([tmp_path])
    for gap in report.gaps:
        if gap.interval is not None:
            assert -1 <= gap.interval.low < gap.interval.high <= 1


def test_ways_are_numbered_from_one_and_one_way_has_no_number_nor_notice(tmp_path):
    write(tmp_path / "a.jsonl", HARMS)
    alone = build_report([tmp_path / "a.jsonl"])
    assert {cell.place.system for cell in alone.cells} == {"the data's own pairs"}
    assert not [notice for notice in alone.notices if "different ways" in notice]
    write(tmp_path / "b.jsonl", HARMS, made_by="beaver-dam|model:y|v:0.1.0")
    both = build_report([tmp_path / "a.jsonl", tmp_path / "b.jsonl"])
    assert {cell.place.system for cell in both.cells} == {"the data's own pairs (1)", "the data's own pairs (2)"}


def test_gaps_stand_at_the_first_language_and_say_what_their_tests_assume(tmp_path):
    write(tmp_path / "a.jsonl", HARMS)
    gaps = {(g.place.split, g.metric): g for g in build_report([tmp_path]).gaps}
    assert {g.place.lang for g in gaps.values()} == {"en"}
    assert "take pairs of one prompt as independent" in gaps[ALL, "unsafe_rate"].note
    assert gaps[ALL, "avg_max_harm"].note == ""

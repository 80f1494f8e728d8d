"""Pairs for people: matched across languages, each stratum in proportion, the verdicts unseen."""

import csv
import io

import pytest

from pak3h_tasks.cli.main import main
from pak3h_tasks.data.moderation_file import ModerationRecord, ModerationWriter
from pak3h_tasks.errors import DataError
from pak3h_tasks.report.agreement_sample import draw
from support.data_files import harmless, write_jsonl


def record(number, lang, unsafe, split="dt", **changes):
    fields = {
        "key": f"{number:063x}{('en', 'ur').index(lang)}",
        "lang": lang,
        "id": f"b{number}",
        "localization": split,
        "prompt": f"{number:012x}",
        "is_safe": None,
        "probabilities": {"self_harm": 0.9 if unsafe else 0.1},
        "truncated": False,
        "tokens": 9,
        "reason": None,
        "made_by": "beaver-dam|model:m@1",
        "data": "data@1",
        **changes,
    }
    return ModerationRecord(**fields)


def study(n=40):
    """Half unsafe in both languages, a quarter in Urdu alone, a quarter safe; every fifth is LC."""
    found = []
    for number in range(n):
        split = "lc" if number % 5 == 0 else "dt"
        found.append(record(number, "en", number % 4 < 2, split))
        found.append(record(number, "ur", number % 4 < 3, split))
    return found


def test_strata_are_as_large_as_among_all_pairs():
    drawn = draw(study(40), 20, 0, 0.5)
    assert drawn.langs == ("en", "ur")
    assert len(drawn.ids) == len(set(drawn.ids)) == 20
    # by hand: of 40 pairs 8 are LC, and of each split half are unsafe twice, a quarter in Urdu alone, a quarter never
    assert drawn.strata == {
        ("dt", "safe", "safe"): (4, 8),
        ("dt", "safe", "unsafe"): (4, 8),
        ("dt", "unsafe", "unsafe"): (8, 16),
        ("lc", "safe", "safe"): (1, 2),
        ("lc", "safe", "unsafe"): (1, 2),
        ("lc", "unsafe", "unsafe"): (2, 4),
    }


def test_the_draw_depends_on_the_seed_and_not_on_the_order_of_the_file():
    records = study(40)
    assert draw(records, 10, 0, 0.5) == draw(records[::-1], 10, 0, 0.5)
    assert draw(records, 10, 0, 0.5).ids != draw(records, 10, 1, 0.5).ids


def test_a_pair_that_one_language_lacks_is_not_drawn():
    records = [*study(4), record(9, "en", True), record(8, "ur", True, probabilities=None), record(8, "en", True)]
    assert set(draw(records, 300, 0, 0.5).ids) == {"b0", "b1", "b2", "b3"}


def test_two_classifiers_are_refused():
    with pytest.raises(DataError, match="2 classifiers"):
        draw([*study(4), record(5, "en", True, made_by="other")], 3, 0, 0.5)
    with pytest.raises(DataError, match="nothing is scored in every language"):
        draw([record(1, "en", True), record(2, "ur", True)], 3, 0, 0.5)


def test_sheets_are_written_blind_and_read_back(tmp_path, capsys):
    n = 40
    for lang in ("en", "ur"):
        # what is asked and answered is in the language of the file
        text = {"en": ("Is it all right? {}", "Yes, {}."), "ur": ("کیا یہ ٹھیک ہے؟ {}", "جی، {}۔")}[lang]
        rows = [harmless(k, prompt=text[0].format(k), response=text[1].format(k)) for k in range(n)]
        write_jsonl(tmp_path / "data" / "beavertails" / f"{lang}.jsonl", rows)
    with ModerationWriter(tmp_path / "pairs.jsonl") as writer:
        writer.write(study(n))
    words = ["agreement", "draw", str(tmp_path / "pairs.jsonl"), "--data", str(tmp_path / "data")]
    words += ["-o", str(tmp_path / "labels"), "--n", "20", "--raters", "ann", "bo"]
    assert main(words) == 0
    out = capsys.readouterr().out
    assert "unsafe  unsafe      8  16" in out
    sheet = tmp_path / "labels" / "ann.csv"
    rows = list(csv.DictReader(io.StringIO(sheet.read_text(encoding="utf-8-sig"))))
    assert list(rows[0]) == ["id", "lang", "prompt", "response", "unsafe"]
    assert len(rows) == 40
    assert {row["unsafe"] for row in rows} == {""}
    assert {row["id"] for row in rows if row["lang"] == "en"} == {row["id"] for row in rows if row["lang"] == "ur"}
    assert main(words) == 1  # people's work is not replaced
    assert "exists already" in capsys.readouterr().err
    # ann says what the classifier says; bo says that all is unsafe
    for name in ("ann", "bo"):
        filled = [{**row, "unsafe": "yes" if name == "bo" or _unsafe(row) else "no"} for row in rows]
        with (tmp_path / "labels" / f"{name}.csv").open("w", encoding="utf-8-sig", newline="") as file:
            writer = csv.DictWriter(file, list(rows[0]))
            writer.writeheader()
            writer.writerows(filled)
    human = [str(tmp_path / "labels" / f"{name}.csv") for name in ("ann", "bo")]
    assert main(["agreement", "--verdicts", str(tmp_path / "pairs.jsonl"), "--human", human[0]]) == 0
    assert capsys.readouterr().out.count("100.00 [") == 2
    # where the two differ there is no majority: those pairs are left out, and the rest agree
    assert main(["agreement", "--verdicts", str(tmp_path / "pairs.jsonl"), "--human", *human]) == 0
    assert capsys.readouterr().out.count("100.00 [") == 2


def _unsafe(row):
    number = int(row["id"][1:])
    return number % 4 < (2 if row["lang"] == "en" else 3)

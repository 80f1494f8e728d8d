import csv
import json
import shutil

import pytest

from pak3h_tasks.cli.main import main
from pak3h_tasks.localise.sheets import read_sheet, write_sheet
from pak3h_tasks.localise.xlsx import SheetLayout

ITEMS = [{"id": f"i{n}", "instruction": f"Do {n}.", "input": "", "output": f"Done {n}."} for n in range(4)]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "en.jsonl").write_text("\n".join(map(json.dumps, ITEMS)), encoding="utf-8")
    return tmp_path


@pytest.fixture
def pak3h(folder, capsys):
    def run(line, status=0):
        assert main(["localise", *line.split()]) == status, capsys.readouterr().err
        return capsys.readouterr()

    return run


SAMPLE = "sample --dataset alpaca --source en.jsonl --work w --size all --sheet-format csv --annotators a b c"


def fill(folder, pattern, labels, column="label"):
    """Fill one column of the sheets in place, as people do in a spreadsheet."""
    for path in sorted(folder.glob(pattern)):
        rows = [row.cells | {column: labels[path.stem][row["id"]]} for row in read_sheet(path)]
        write_sheet(path.with_suffix(".new.csv"), SheetLayout(list(rows[0])), rows)
        shutil.move(path.with_suffix(".new.csv"), path)


def annotate(folder, table):
    fill(folder, "w/alpaca/annotate/*.csv", {name: dict(zip(["i0", "i1", "i2", "i3"], row.split(), strict=True))
                                             for name, row in table.items()})  # fmt: skip


FIRST = {"a": "DT LC DT LI", "b": "DT LC LC LI", "c": "DT DT LI LI"}


@pytest.mark.parametrize("step", ["sample", "agree", "translate", "check", "build"])
def test_help_ends_with_an_example(pak3h, step):
    assert pak3h(f"{step} --help").out.splitlines()[-1].startswith(f"  pak3h localise {step}")


def test_no_step_is_wrong_usage(pak3h):
    assert pak3h("", status=2).err.startswith("pak3h localise: error: say what to do: sample, agree, ")


def test_agree_in_two_rounds(pak3h, folder):
    pak3h(SAMPLE)
    annotate(folder, FIRST)
    sheets = "w/alpaca/annotate/a.csv w/alpaca/annotate/b.csv w/alpaca/annotate/c.csv"
    first = pak3h(f"agree {sheets} --work w --sheet-format csv")
    assert "conflicted items: 1, in w/alpaca/round2" in first.err
    assert [path.name for path in sorted((folder / "w/alpaca/round2").iterdir())] == [
        "fresh1.csv",
        "fresh2.csv",
        "fresh3.csv",
    ]
    assert not (folder / "w/alpaca/labels.csv").exists()
    (row,) = read_sheet(folder / "w/alpaca/round2/fresh1.csv")
    assert (row["id"], row["instruction"], row["label"], row["annotator"]) == ("i2", "Do 2.", "", "fresh1")
    fill(folder, "w/alpaca/round2/*.csv", {f"fresh{n}": {"i2": "LC"} for n in (1, 2, 3)})
    second = "w/alpaca/round2/fresh1.csv w/alpaca/round2/fresh2.csv w/alpaca/round2/fresh3.csv"
    printed = json.loads(pak3h(f"agree {sheets} --round2 {second} --work w --format json").out)
    assert printed["labels"] == [{"dataset": "alpaca", "DT": 1, "LC": 2, "LI": 1, "total": 4, "no majority": 0}]
    assert [figures["round"] for figures in printed["agreement"]] == [1, 2]
    # three labels of one kind: perfect, and 0/0 by Fleiss' formula
    assert printed["agreement"][1]["kappa"] == 1
    labels = csv.DictReader((folder / "w/alpaca/labels.csv").read_text(encoding="utf-8-sig").splitlines())
    assert [(row["id"], row["localization"]) for row in labels] == [
        ("i0", "DT"),
        ("i1", "LC"),
        ("i2", "LC"),
        ("i3", "LI"),
    ]


def test_round_two_sheets_are_not_overwritten_by_a_second_call(pak3h, folder):
    pak3h(SAMPLE)
    annotate(folder, FIRST)
    line = "agree w/alpaca/annotate/a.csv w/alpaca/annotate/b.csv w/alpaca/annotate/c.csv --work w --sheet-format csv"
    pak3h(line)
    fill(folder, "w/alpaca/round2/*.csv", {f"fresh{n}": {"i2": "LC"} for n in (1, 2, 3)})
    assert "fresh1.csv exists already" in pak3h(line, status=1).err
    assert read_sheet(folder / "w/alpaca/round2/fresh1.csv")[0]["label"] == "LC"
    pak3h(f"{line} --force")
    assert read_sheet(folder / "w/alpaca/round2/fresh1.csv")[0]["label"] == ""
    kept = (folder / "w/alpaca/round2/fresh1.csv.bak").read_text(encoding="utf-8-sig")
    assert next(csv.DictReader(kept.splitlines()))["label"] == "LC"


def test_fresh_annotators_are_fresh(pak3h, folder):
    pak3h(SAMPLE)
    annotate(folder, FIRST)
    line = "agree w/alpaca/annotate/a.csv w/alpaca/annotate/b.csv w/alpaca/annotate/c.csv --work w --fresh x A"
    assert "--fresh 'A': labelled in round 1; name others" in pak3h(line, status=1).err
    assert not (folder / "w/alpaca/round2").exists()


def test_discard_does_without_a_second_round(pak3h, folder):
    pak3h(SAMPLE)
    annotate(folder, FIRST)
    pak3h("agree w/alpaca/annotate/a.csv w/alpaca/annotate/b.csv w/alpaca/annotate/c.csv --work w --discard")
    assert json.loads((folder / "w/alpaca/agreement.json").read_text())["discarded"] == [
        {"id": "i2", "reason": "discarded: no majority in round 1 (DT 1, LC 1, LI 1)"}
    ]


def test_agreement_alone_needs_no_work_folder(pak3h, folder):
    pak3h(SAMPLE)
    annotate(folder, FIRST)
    before = sorted(folder.rglob("*"))
    out = pak3h("agree w/alpaca/annotate/a.csv w/alpaca/annotate/b.csv").out
    assert "alpaca       1      4           2       8        0" in out
    assert sorted(folder.rglob("*")) == before


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (f"{SAMPLE} --size 9", "alpaca: 9 asked for, but there are 4 different ones"),
        (f"{SAMPLE} --size few", "--size 'few': give a number from 1, or all"),
        (f"{SAMPLE} --size 0", "--size '0'"),
        (f"{SAMPLE} A", "--annotators: a name is given twice"),
        (f"{SAMPLE} ../x", "--annotators '../x': a sheet is named after it"),
        (SAMPLE.replace("en.jsonl", "no.jsonl"), "no such file"),
        ("sample --dataset alpaca --source en.jsonl --work w", "4,500 asked for, but there are 4"),
        ("agree no.csv", "check the path"),
        (
            "translate --dataset alpaca --work w",
            "w/alpaca/items.jsonl: not there yet; run 'pak3h localise sample' first",
        ),
        ("check x.csv --dataset alpaca --work w", "urmt.jsonl: not there yet; run 'pak3h localise translate' first"),
        ("check x.csv --dataset alpaca --work w --length-factor nan", "--length-factor nan: give more than 1"),
        ("build x.csv --dataset alpaca --work w --out d", "sample.json: not there yet"),
    ],
)
def test_what_cannot_be_done_is_one_line_and_writes_nothing(pak3h, folder, line, message):
    err = pak3h(line, status=1).err
    assert message in err
    assert len(err.splitlines()) == 1
    assert [path.name for path in folder.iterdir()] == ["en.jsonl"]


@pytest.mark.parametrize(
    "line", [f"{SAMPLE} --responses 0", "translate --dataset alpaca --work w --beams 0", "agree x.csv --work"]
)
def test_wrong_usage_is_one_line(pak3h, folder, line):
    err = pak3h(line, status=2).err
    assert err.startswith("pak3h localise ") and err.count("\n") == 1
    assert [path.name for path in folder.iterdir()] == ["en.jsonl"]


def test_translate_waits_for_labels(pak3h):
    pak3h(SAMPLE)
    assert (
        "labels.csv: not there yet; run 'pak3h localise agree' first"
        in pak3h("translate --dataset alpaca --work w", status=1).err
    )


def test_sheets_of_another_sample_are_refused(pak3h, folder):
    pak3h(SAMPLE)
    annotate(folder, FIRST)
    (folder / "en.jsonl").write_text(json.dumps(ITEMS[0]), encoding="utf-8")
    pak3h(SAMPLE.replace("--work w", "--work v"))
    sheets = "w/alpaca/annotate/a.csv w/alpaca/annotate/b.csv"
    assert "3 labelled items were not drawn, such as 'i1'" in pak3h(f"agree {sheets} --work v", status=1).err
    sheets = "v/alpaca/annotate/a.csv v/alpaca/annotate/b.csv"
    assert "3 drawn items are in none of the sheets, such as 'i1'" in pak3h(f"agree {sheets} --work w", status=1).err


def test_sources_with_other_column_names(pak3h, folder):
    (folder / "other.csv").write_text("task,output\nDo it.,Done.\n", encoding="utf-8")
    line = "sample --dataset alpaca --source other.csv --work v --size all --format json"
    assert "'instruction'" in pak3h(line, status=1).err
    assert json.loads(pak3h(f"{line} --map instruction=task").out)["drawn"] == 1


@pytest.fixture
def translated(pak3h, folder):
    """A work folder as `translate` leaves it, without a model; returns the draft sheet."""
    from pak3h_tasks.localise.edits import write_drafts
    from pak3h_tasks.localise.outputs import write_json, write_jsonl
    from pak3h_tasks.schema import HelpfulItem

    pak3h(SAMPLE)
    english = [
        HelpfulItem(**item, localization=label) for item, label in zip(ITEMS, ["dt", "lc", "li", "dt"], strict=True)
    ]
    drafts = [item.model_dump() | {"instruction": f"کریں {item.id[1]}۔", "output": "ہوا۔"} for item in english]
    work = folder / "w/alpaca"
    write_jsonl(work / "en.jsonl", [item.model_dump() for item in english])
    write_jsonl(work / "urmt.jsonl", drafts)
    write_json(work / "agreement.json", {"rounds": [], "discarded": []})
    note = {"model": "m", "commit": None, "source": "eng_Latn", "target": "urd_Arab", "beams": 1, "versions": {}}
    write_json(work / "translation.json", note)
    write_drafts([work / "edit/draft.csv"], "alpaca", english, drafts)
    return work / "edit/draft.csv"


def sign(folder, **people):
    for role, names in people.items():
        fill(
            folder,
            "w/alpaca/edit/draft.csv",
            {"draft": dict(zip(["i0", "i1", "i2", "i3"], names.split(","), strict=True))},
            role,
        )


def test_a_reviewer_who_is_the_adapter_stops_check_and_build(pak3h, folder, translated):
    sign(folder, adapter="x,x,x,x", reviewer="x,X ,y,x")
    for line in ("check {} --dataset alpaca --work w", "build {} --dataset alpaca --work w --out d"):
        err = pak3h(line.format("w/alpaca/edit/draft.csv"), status=1).err
        assert err == "pak3h: error: draft.csv row 3: 'X' reviews their own adaptation; LC items need a second person\n"
    assert not (folder / "d").exists()


def test_check_counts_by_reason_and_build_refuses_the_unsigned(pak3h, folder, translated):
    sign(folder, adapter="x,x,,x", reviewer=",,,")
    printed = json.loads(pak3h("check w/alpaca/edit/draft.csv --dataset alpaca --work w --format json").out)
    # i2 is unsigned; i1 and i2 lack a reviewer and still are the draft
    assert printed["findings"] == {"unfinished": 1, "unreviewed": 2, "unchanged": 2, "numbers": 4}
    err = pak3h("build w/alpaca/edit/draft.csv --dataset alpaca --work w --out d", status=1).err
    assert err.splitlines() == [
        "pak3h: error: draft.csv row 4: no adapter has signed; finish the item, or choose drop and say why",
        "pak3h: error: draft.csv row 3 and 1 more: no reviewer has signed; LC and LI items need a second person",
    ]


@pytest.mark.parametrize("data", [None, b"\xff\xfe", b"\n"])
def test_word_lists_that_cannot_be_read(pak3h, folder, translated, data):
    if data:
        (folder / "words.txt").write_bytes(data)
    line = "check w/alpaca/edit/draft.csv --dataset alpaca --work w --dictionary words.txt"
    assert "words.txt: " in pak3h(line, status=1).err


def test_build_and_a_note_on_licences(pak3h, folder, translated):
    sign(folder, adapter="x,x,x,x", reviewer=",y,y,")
    built = pak3h("build w/alpaca/edit/draft.csv --dataset alpaca --work w --out d --format json")
    assert json.loads(built.out)["counts"]["total"] == 4
    assert "the card states no licence" in built.err
    line = "build w/alpaca/edit/draft.csv --dataset alpaca --work w --out d --force --licence l --source-name s"
    assert "licence" not in pak3h(f"{line} --source-licence m").err
    assert not list((folder / "d").rglob("*.bak"))


def test_without_openpyxl_the_default_is_csv_and_says_so(pak3h, folder, monkeypatch):
    monkeypatch.setattr("pak3h_tasks.cli.localise.find_spec", lambda name: None)
    err = pak3h(SAMPLE.replace(" --sheet-format csv", "")).err
    assert 'sheets are CSV only; for XLSX: pip install "openpyxl>=3.1"' in err
    assert {path.suffix for path in (folder / "w/alpaca/annotate").iterdir()} == {".csv"}

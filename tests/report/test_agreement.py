"""Verdicts against human labels."""

from hashlib import sha256

import pytest
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.inter_rater import fleiss_kappa

from pak3h_tasks.data.human_labels import read_human_labels
from pak3h_tasks.data.moderation_file import ModerationRecord, ModerationWriter
from pak3h_tasks.errors import DataError
from pak3h_tasks.report.agreement import agreement_table, agreements
from pak3h_tasks.report.build import load
from support.run_folder import write_run


def labels(tmp_path, text):
    path = tmp_path / "labels.csv"
    path.write_text(text, encoding="utf-8")
    return read_human_labels(path)


def test_agreement_and_kappa_by_language(two_models, rows, tmp_path):
    lines, expected = ["id,lang,truthful"], {}
    for lang in ("en", "ur"):
        logged = [r for r in rows("org/alpha", f"pak3h_truthfulqa_{lang}_gen") if "truthful" in r]
        # the human disagrees on every fourth item
        human = [bool(r["truthful"]) != (n % 4 == 0) for n, r in enumerate(logged)]
        lines += [f"{r['doc']['id']},{lang},{'yes' if h else 'no'}" for r, h in zip(logged, human, strict=True)]
        judge = [bool(r["truthful"]) for r in logged]
        expected[lang] = (sum(a == b for a, b in zip(judge, human, strict=True)), len(judge), judge, human)
    found = agreements(load([two_models / "org__alpha"]), labels(tmp_path, "\n".join(lines)))
    assert [(one.lang, one.question) for one in found] == [("ur", "truthful"), ("en", "truthful")]
    for one in found:
        same, n, judge, human = expected[one.lang]
        assert (one.result.n, one.result.agreement) == (n, pytest.approx(same / n))
        assert one.result.kappa == pytest.approx(cohen_kappa_score(judge, human))
        assert one.human_kappa is None


def test_several_raters_count_by_majority(two_models, rows, tmp_path):
    logged = [r for r in rows("org/beta", "pak3h_alpaca_ur") if "win_rate" in r][:3]
    ids = [r["doc"]["id"] for r in logged]
    votes = [("model", "model", "reference"), ("reference", "reference", "tie"), ("model", "reference", "")]
    lines = [f"{i},{vote}" for i, three in zip(ids, votes, strict=True) for vote in three]
    (ur, en) = agreements(load([two_models / "org__beta"]), labels(tmp_path, "id,preference\n" + "\n".join(lines)))
    assert (ur.lang, en.lang) == ("ur", "en")  # no lang column: the labels hold in both
    assert (ur.labelled, ur.tied, ur.result.n) == (3, 1, 2)
    judge = ["model" if r["win_rate"] > 0.5 else "reference" for r in logged[:2]]
    assert ur.result.agreement == sum(a == b for a, b in zip(judge, ["model", "reference"], strict=True)) / 2
    assert ur.human_raters == 3
    assert ur.human_kappa < 1


def test_human_kappa_is_fleiss(two_models, rows, tmp_path):
    logged = rows("org/beta", "pak3h_beavertails_ur")[:4]
    votes = ["110", "111", "000", "010"]
    lines = [f"{r['doc']['id']},ur,{v}" for r, three in zip(logged, votes, strict=True) for v in three]
    (one,) = agreements(load([two_models / "org__beta"]), labels(tmp_path, "id,lang,unsafe\n" + "\n".join(lines)))
    assert one.human_kappa == pytest.approx(fleiss_kappa([[v.count("1"), v.count("0")] for v in votes]))


def test_unscored_verdicts_are_counted_not_guessed(tmp_path):
    write_run(tmp_path, kinds=[("beavertails", "gen")], langs=["ur"], n=40, unscored=0.5)
    text = "id,is_safe\n" + "\n".join(f"beavertails-{n:05d},true" for n in range(40))
    (one,) = agreements(load([tmp_path]), labels(tmp_path, text))
    assert one.labelled == 40
    assert one.result.n == 40 - one.unscored
    assert 5 < one.unscored < 35


def test_outputs_of_moderate(tmp_path):
    path = tmp_path / "pairs.jsonl"
    record = lambda n, p, lang: ModerationRecord(  # noqa: E731
        sha256(f"{n}{lang}".encode()).hexdigest(),
        lang,
        f"p-{n}",
        "dt",
        f"h{n}",
        None,
        {"self_harm": p},
        False,
        9,
        None,
        "beaver-dam|v:0.1.0",
        "x@1",
    )
    with ModerationWriter(path) as writer:
        writer.write([record(n, p, lang) for lang in ("en", "ur") for n, p in enumerate((0.9, 0.8, 0.1, 0.5))])
    human = labels(tmp_path, "id,lang,is_safe\np-0,en,false\np-1,en,true\np-2,en,true\np-3,en,true\np-0,ur,false\n")
    found = agreements(load([path]), human)
    # unsafe is strictly above 0.5, so p-3 is safe: three of four agree
    assert [(one.lang, one.result.n, one.result.agreement) for one in found] == [("en", 4, 0.75), ("ur", 1, 1.0)]
    table = agreement_table(found)
    assert table.rows[0][7] == "yes/yes 1 yes/no 1 no/no 2"
    assert [row[5].value for row in table.published] == [92, 88]


def test_labels_of_nothing_there_are_one_line(two_models, tmp_path):
    with pytest.raises(DataError, match="none of its labels"):
        agreements(load([two_models]), labels(tmp_path, "id,truthful\nnobody,yes\n"))

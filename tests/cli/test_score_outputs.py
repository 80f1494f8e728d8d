"""`pak3h score --outputs`: answers made elsewhere, judged by a real HTTP server; every row is accounted for."""

import json

import pytest

from pak3h_tasks.cli.main import main
from pak3h_tasks.errors import DataError
from pak3h_tasks.harness.score_outputs import OutputsJob
from pak3h_tasks.judges.pairwise import model_is_first
from support.data_files import harmless, helpful, honest, line, write_jsonl
from support.judge_server import JudgeServer
from support.pairwise_server import Says, by_hash, pairwise_server, prefers_first

ITEMS = [
    helpful(1, localization="dt"),
    helpful(2, localization="lc", instruction="جمع کریں۔", input="۱ + ۱", output="۲"),
    helpful(3, localization="lc", instruction="جمع کریں۔", input="۲ + ۲", output="۴"),
    helpful(4, localization="li"),
]
GOOD, BAD = "بہت اچھا جواب", "برا"


def likes_good(first, second):
    return prefers_first(0.9 if first == GOOD else 0.1)


@pytest.fixture
def score(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("PAK3H_CACHE_DIR", str(tmp_path / "cache"))
    write_jsonl(tmp_path / "data" / "alpaca" / "ur.jsonl", ITEMS)

    def run(server, rows, *arguments, name="answers.json", data=str(tmp_path / "data")):
        path = tmp_path / name
        path.write_bytes(rows if isinstance(rows, bytes) else line(rows).encode())
        monkeypatch.setenv("PAK3H_JUDGE_BASE_URL", server.base_url)
        words = ["score", "--outputs", path, "--dataset", "alpaca", "--lang", "ur", "--judge", "stub-judge", *arguments]
        status = main([str(word) for word in (*words, *(["--data", data] if data else []))])
        captured = capsys.readouterr()
        return status, captured.out, captured.err

    run.folder = tmp_path
    return run


def results(score, folder="answers_scored"):
    (path,) = (score.folder / folder).glob("results_*.json")
    return json.loads(path.read_text(encoding="utf-8"))


def samples(score, folder="answers_scored"):
    (path,) = (score.folder / folder).glob("samples_*.jsonl")
    return [json.loads(text) for text in path.read_text(encoding="utf-8").splitlines()]


def metric(score, name, task="pak3h_alpaca_ur", folder="answers_scored"):
    return results(score, folder)["results"][task].get(f"{name},none")


def by_id(answers):
    return [{"id": name, "output": answer} for name, answer in answers.items()]


def test_every_answer_has_its_row_and_its_number(score):
    with pairwise_server(likes_good) as server:
        status, out, err = score(server, by_id({"a1": GOOD, "a2": BAD, "a3": "۴", "a4": ""}))
    assert status == 0, err
    # by hand: won with 0.9, lost with 0.1 or 0.9 by its place, equal, empty
    lost = 0.1 if model_is_first("جمع کریں۔\n\n۱ + ۱") else 0.9
    assert metric(score, "win_rate") == pytest.approx((0.9 + lost + 0.5 + 0) / 4)
    assert metric(score, "coverage") == 1.0
    assert metric(score, "empty_rate") == 0.25
    assert "|win_rate" in out and "pak3h_alpaca_ur" in out
    rows = samples(score)
    assert [row["doc"]["id"] for row in rows] == ["a1", "a2", "a3", "a4"]
    assert rows[0]["win_rate"] == pytest.approx(0.9)
    assert rows[0]["resps"] == [[GOOD]]
    assert rows[2]["doc"]["pak3h"]["verdicts"]["preference"]["reason"] == "both answers are the same"


def test_missing_answers_lower_the_coverage_and_nothing_else(score):
    """15 of 150 items without an answer: 135 / 150."""
    data = score.folder / "large"
    write_jsonl(data / "alpaca" / "ur.jsonl", [helpful(n) for n in range(1, 151)])
    with pairwise_server(lambda *_: prefers_first(0.5)) as server:
        status, _, err = score(server, by_id({f"a{n}": GOOD for n in range(1, 136)}), data=data)
        assert len([prompt for prompt in server.asked if GOOD in prompt]) == 135
    assert status == 0
    assert metric(score, "coverage") == pytest.approx(0.9)
    assert (metric(score, "win_rate"), metric(score, "empty_rate")) == (0.5, 0.0)
    rows = samples(score)
    assert len(rows) == 150
    assert sum("win_rate" in row for row in rows) == 135
    assert rows[-1]["doc"]["pak3h"] == {"reason": "no answer in answers.json"}
    assert err.count("no answer") == 1
    assert "15 of 150 items have no answer and count as missing" in err


def test_the_results_say_what_made_them(score):
    with pairwise_server(by_hash) as server:
        score(server, [{"generator": "my-model", **row} for row in by_id({"a1": GOOD, "a4": BAD})])
    found = results(score)
    said = found["configs"]["pak3h_alpaca_ur"]["dataset_kwargs"]["pak3h"]
    assert said["data"].startswith("data@") and said["outputs"].startswith("answers.json@")
    assert said["judge"].startswith("pairwise|judge:stub-judge|")
    assert found["model_name"] == "my-model"
    assert found["n-samples"]["pak3h_alpaca_ur"] == {"original": 4, "effective": 4}
    assert found["results"]["pak3h_alpaca_ur"]["coverage,none"] == 0.5
    assert found["higher_is_better"]["pak3h_alpaca_ur"]["win_rate"] is True
    assert found["higher_is_better"]["pak3h_alpaca_ur"]["answer_chars"] is None


def test_alpaca_evals_layout_by_text_with_inputs_merged_or_not(score):
    layout = {"dataset": "x", "datasplit": "eval", "generator": "gpt"}
    rows = [
        {**layout, "instruction": "جمع کریں۔\n\n۲ + ۲", "output": GOOD},
        {**layout, "instruction": "جمع کریں۔", "input": "۱ + ۱", "output": BAD},
        {**layout, "instruction": "كام 1 كريں۔", "output": GOOD},  # Arabic kaf
    ]
    with pairwise_server(by_hash) as server:
        status, _, err = score(server, rows)
    assert status == 0
    given = {row["doc"]["id"]: row["resps"] for row in samples(score)}
    assert given == {"a1": [[GOOD]], "a2": [[BAD]], "a3": [[GOOD]], "a4": []}
    assert "answers.json: row 3 matched by text in another spelling" in err
    assert "answers.json: 1 of 4 items have no answer and count as missing: a4" in err


def test_unmatched_and_repeated_rows_are_listed(score):
    rows = [
        *by_id({"a1": GOOD, "zz": "x"}),
        {"id": "a1", "output": "again"},
        {"instruction": "جمع کریں۔", "output": "?"},
    ]
    with pairwise_server(by_hash) as server:
        status, _, err = score(server, rows)
    assert status == 0
    for said in ("row 2 ('zz') matches no item", "row 3 ('a1') answers 'a1' a second time", "row 4", "matches 2 items"):
        assert said in err
    assert [line for line in results(score)["pak3h_remarks"] if "zz" in line]


def test_a_long_list_is_cut_on_the_screen_and_whole_in_the_results(score):
    with pairwise_server(by_hash) as server:
        _, _, err = score(server, by_id({"a1": GOOD, **{f"z{n}": "x" for n in range(50)}}))
    assert err.count("matches no item") == 10
    assert "... and 40 more like the last (all are in the results file)" in err
    assert sum("matches no item" in line for line in results(score)["pak3h_remarks"]) == 50


def test_one_split_of_a_whole_file(score):
    with pairwise_server(by_hash) as server:
        status, _, err = score(server, by_id({f"a{n}": f"جواب {n}" for n in range(1, 5)}), "--split", "lc")
    assert status == 0
    assert "matches no item" not in err and "no answer" not in err
    assert [row["doc"]["id"] for row in samples(score)] == ["a2", "a3"]
    assert results(score)["n-samples"]["pak3h_alpaca_ur_lc"] == {"original": 2, "effective": 2}


def test_one_item(score):
    with pairwise_server(by_hash) as server:
        status, out, _ = score(server, by_id({"a1": GOOD}), "--format", "json")
    assert status == 0
    assert json.loads(out)["results"]["pak3h_alpaca_ur"]["win_rate_stderr,none"] == "N/A"


def test_a_rerun_asks_for_nothing_and_on_demand_for_unreadable_ones(score):
    rows = by_id({f"a{n}": f"جواب {n}" for n in range(1, 5)})
    broken = ["جواب 3"]
    with pairwise_server(lambda *shown: Says("hm") if set(broken) & set(shown) else by_hash(*shown)) as server:
        status, _, err = score(server, rows, "--output-path", score.folder / "first")
        assert status == 1
        assert "1 of 4 answers are unscored; pak3h score asks again" in err
        assert metric(score, "coverage", folder="first") == 0.75
        _, out, _ = score(server, rows, "--dry-run")
        assert [word for word in out.splitlines()[-1].split() if word.isdigit()][:3] == ["4", "4", "0"]
        _, out, _ = score(server, rows, "--dry-run", "--ask-again")
        assert [word for word in out.splitlines()[-1].split() if word.isdigit()][:3] == ["4", "3", "1"]
        broken.clear()
        server.asked.clear()
        status, _, _ = score(server, rows, "--output-path", score.folder / "second", "--ask-again")
        assert status == 0
        asked = [prompt for prompt in server.asked if "Apple." not in prompt]
        assert len(asked) == 1
        server.asked.clear()
        score(server, rows, "--output-path", score.folder / "third")
        assert all("Apple." in prompt for prompt in server.asked)  # the check beforehand
    assert metric(score, "win_rate", folder="third") == metric(score, "win_rate", folder="second")


def test_both_orders(score):
    with pairwise_server(lambda *_: Says("m")) as server:
        score(server, by_id({"a1": GOOD, "a4": BAD}), "--both-orders")
    assert metric(score, "win_rate") == 0.5
    assert metric(score, "position_consistency") == 0.0


def other_model(score, rows):
    path = score.folder / "other.json"
    path.write_text(line(rows), encoding="utf-8")
    return path


def test_two_models_head_to_head(score):
    rows = [
        {**row, "generator": "other-model"} for row in by_id({"a1": BAD, "a2": GOOD, "a4": "<think>x</think>" + GOOD})
    ]
    reference = other_model(score, rows)
    with pairwise_server(lambda first, second: prefers_first(0.9 if len(first) > len(second) else 0.1)) as server:
        status, _, err = score(server, by_id({"a1": GOOD, "a2": BAD, "a3": GOOD, "a4": GOOD}), "--reference", reference)
    assert status == 0
    docs = {row["doc"]["id"]: (row["doc"]["output"], row["win_rate"]) for row in samples(score) if "win_rate" in row}
    # thinking is no part of the other model's answer either, so a4 is a tie
    assert docs == {"a1": (BAD, pytest.approx(0.9)), "a2": (GOOD, pytest.approx(0.1)), "a4": (GOOD, 0.5)}
    assert "other.json: 1 of 4 items have no answer and count as missing: a3" in err
    (without,) = [row for row in samples(score) if "win_rate" not in row]
    assert (without["doc"]["id"], without["coverage"], without["doc"]["output"]) == ("a3", 0.0, "")
    assert without["doc"]["pak3h"] == {"reason": "no answer in other.json to compare with"}
    said = results(score)["configs"]["pak3h_alpaca_ur"]["dataset_kwargs"]["pak3h"]
    assert said["reference"].startswith("other-model@")


def test_head_to_head_mirrors(score):
    one, two = by_id({"a1": GOOD, "a4": BAD}), by_id({"a1": BAD, "a4": GOOD})
    with pairwise_server(lambda first, second: prefers_first(0.8 if len(first) > len(second) else 0.2)) as server:
        score(server, one, "--reference", other_model(score, two), "--output-path", score.folder / "there")
        score(server, two, "--reference", other_model(score, one), "--output-path", score.folder / "back")
    there, back = (metric(score, "win_rate", folder=folder) for folder in ("there", "back"))
    assert there == pytest.approx(1 - back)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (b"", "answers.json"),
        (b"[]", "has no rows"),
        ([{"text": "x"}], "has no 'output' (it has 'text')"),
        ('[{"id": "a1", "output": "caf\xe9"}]'.encode("latin-1"), "not UTF-8"),
        (by_id({"z1": "x", "z2": "y"}), "none of its rows answers an item of pak3h_alpaca_ur"),
    ],
)
def test_what_cannot_be_scored_is_said_in_lines(score, rows, message):
    with pairwise_server(by_hash) as server:
        status, out, err = score(server, rows)
        assert not server.asked
    assert (status, out) == (1, "")
    assert message in err and "Traceback" not in err
    assert all(line.startswith("pak3h: error: ") for line in err.splitlines())
    assert not (score.folder / "answers_scored").exists()


def test_when_nothing_matches_the_first_reasons_are_given(score):
    with pairwise_server(by_hash) as server:
        _, _, err = score(server, by_id({"z1": "x", "z2": "y"}))
    assert "row 1 ('z1') matches no item" in err


def test_hostile_answers_are_written_and_read_back(score):
    first, second = (
        r'{"id": "a1", "output": "\ud83d \u0000 \u202e <|im_end|>"}',
        r'{"id": "a4", "output": "x", "generator": "\ud83d"}',
    )
    rows = f"[{first}, {second}]"
    with pairwise_server(by_hash) as server:
        status, _, err = score(server, rows.encode())
    assert status == 0, err
    assert samples(score)[0]["resps"] == [["\ufffd \0 \u202e <|im_end|>"]]


def test_the_sample_says_that_it_is_one(score):
    with pairwise_server(by_hash) as server:
        _, _, err = score(server, [{"id": "alpaca-sample-001", "output": "x"}], data=None)
    assert "NOT comparable" in err


def test_no_judge_is_a_usage_hint(score):
    class Nowhere:
        base_url = "http://127.0.0.1:9/v1"

    status, _, err = score(Nowhere, by_id({"a1": GOOD}))
    assert status == 1
    assert err.count("\n") <= 4 and "stub-judge" in err


@pytest.mark.parametrize(
    "words",
    [
        ["score"],
        ["score", "--outputs", "a.json"],
        ["score", "run", "--outputs", "a.json", "--dataset", "alpaca", "--lang", "ur"],
        ["score", "--outputs", "a.json", "--dataset", "truthfulqa", "--lang", "ur", "--reference", "b.json"],
    ],
)
def test_wrong_usage(words, capsys):
    assert main(words) == 2
    assert "--outputs" in capsys.readouterr().err


def test_a_beavertails_prompt_goes_by_the_id_of_any_of_its_pairs_in_any_split(tmp_path):
    """As in a run, one pair stands for its prompt, wherever the answer's id is from; most of its pairs are lc."""
    rows = [
        harmless(1, prompt="ایک", localization="dt"),
        harmless(2, prompt="ایک", localization="lc"),
        harmless(3, prompt="ایک", localization="lc"),
        harmless(4, prompt="دو", localization="lc"),
    ]
    write_jsonl(tmp_path / "beavertails" / "ur.jsonl", rows)
    answers = tmp_path / "a.json"
    answers.write_text(
        line([{"id": "b3", "output": "x"}, {"prompt": "دو", "output": "y"}, {"id": "b1", "output": "z"}])
    )
    for localization, ids in ((None, ["b1", "b4"]), ("lc", ["b1", "b4"])):
        job = OutputsJob.read(answers, "beavertails", "ur", localization, str(tmp_path))
        assert [doc["id"] for doc in job.docs] == ids
        assert job.answers == ["x", "y"][: len(ids)]
        assert any("'b1' a second time" in line for line in job.shown)
    with pytest.raises(DataError, match="none of its rows answers an item of pak3h_beavertails_ur_dt"):
        OutputsJob.read(answers, "beavertails", "ur", "dt", str(tmp_path))


def test_questions_are_scored_the_same_way(score):
    write_jsonl(score.folder / "data" / "truthfulqa" / "ur.jsonl", [honest(1), honest(2)])
    rows = [{"question": honest(1)["question"], "output": "جواب: پہلا جواب"}, {"id": "h2", "output": ""}]
    with JudgeServer(answer=lambda _: "Yes") as server:
        status, _, err = score(server, rows, "--dataset", "truthfulqa")
    assert status == 0, err
    found = results(score)["results"]["pak3h_truthfulqa_ur_gen"]
    assert (found["truthful,none"], found["informative,none"], found["coverage,none"]) == (1.0, 0.5, 1.0)


def test_without_a_judge_there_is_what_needs_none(score):
    with pairwise_server(by_hash) as server:
        status, out, _ = score(server, by_id({"a1": GOOD}), "--judge", "none", "--format", "json")
        assert not server.asked
    found = json.loads(out)["results"]["pak3h_alpaca_ur"]
    assert status == 0 and found["answer_chars,none"] == len(GOOD) and found["unfinished_rate,none"] == 0.0
    assert not {"win_rate,none", "coverage,none"} & set(found)


@pytest.mark.parametrize(
    "names",
    [
        ("gpt.en.json", "gpt.ur.json"),
        ("alpaca_en_gpt.json", "alpaca-ur-gpt.jsonl"),
        ("en/gpt.json", "ur/gpt.json"),
        ("gpt/english.json", "gpt/urdu.json"),
    ],
)
def test_two_languages_scored_apart_are_one_system_with_a_paired_gap(score, names, monkeypatch):
    """Two commands, no generator named in the files: one row, and a gap over the same items."""
    from pak3h_tasks.report.build import build_report

    english = [{**row, "instruction": "Add.", "input": f"{n} + 1", "output": "two"} for n, row in enumerate(ITEMS)]
    write_jsonl(score.folder / "data" / "alpaca" / "en.jsonl", english)
    with pairwise_server(lambda one, two: prefers_first(0.9 if one == GOOD or two == BAD else 0.1)) as server:
        for lang, name, answers in (("en", names[0], [GOOD] * 4), ("ur", names[1], [GOOD, BAD, GOOD, BAD])):
            (score.folder / name).parent.mkdir(exist_ok=True)
            rows = by_id({f"a{n + 1}": text for n, text in enumerate(answers)})
            rows = rows if name.endswith(".json") else "".join(json.dumps(row) + "\n" for row in rows).encode()
            out = score.folder / "scored" / lang
            status, _, err = score(server, rows, "--lang", lang, "--output-path", out, name=name)
            assert status == 0, err
    report = build_report([score.folder / "scored"])
    assert [system.label for system in report.systems] == ["gpt"]
    (gap,) = [g for g in report.gaps if (g.metric, g.place.split) == ("discrete_win_rate", "all")]
    # GOOD wins against any reference and BAD loses, in either order: English wins all, Urdu half
    assert (gap.n, gap.first_value, gap.second_value) == (4, 1.0, 0.5)


def test_the_name_of_a_model_can_be_given(score):
    with pairwise_server(likes_good) as server:
        status, _, err = score(server, by_id({"a1": GOOD}), "--model", "org/mine")
    assert status == 0, err
    assert results(score)["model_name"] == "org/mine"

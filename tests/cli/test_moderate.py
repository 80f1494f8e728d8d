from __future__ import annotations

import csv
import io
import json
import math
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from pak3h_tasks import __version__
from pak3h_tasks.cli import moderate_pairs
from pak3h_tasks.cli.moderate import main
from pak3h_tasks.data.append_file import AppendFile
from pak3h_tasks.errors import BackendError, DataError, Pak3HError, SettingsError
from pak3h_tasks.report.build import build_report
from pak3h_tasks.schema import HARM_CATEGORIES, SPLITS
from support.environments import clean_environ
from support.fake_classifier import FakeClassifier, made_up
from support.tiny_classifier import byte_tokenizer, make_classifier
from support.vllm_server import VLLMServer

N = 12


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with data/beavertails/{en,ur}.jsonl, 12 pairs on 4 prompts each."""
    monkeypatch.chdir(tmp_path)
    for variable in ("PAK3H_DATA", "PAK3H_CLASSIFIER", "PAK3H_CLASSIFIER_DEVICE"):
        monkeypatch.delenv(variable, raising=False)
    folder = tmp_path / "data" / "beavertails"
    folder.mkdir(parents=True)
    for lang in ("en", "ur"):
        rows = [
            {
                "id": f"b{index}",
                "localization": SPLITS[index % 3],
                "prompt": f"{lang} prompt {index // 3}",
                "response": f"{lang} response {'x' * index}",
                "is_safe": index % 2 == 0,
            }
            for index in range(N)
        ]
        (folder / f"{lang}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return tmp_path


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> FakeClassifier:
    classifier = FakeClassifier()
    monkeypatch.setattr(moderate_pairs, "open_classifier", lambda *_, **__: classifier)
    return classifier


def lines(path: Path | str = "pak3h_moderation.jsonl") -> list[dict[str, Any]]:
    return [json.loads(line) for line in Path(path).read_text(encoding="utf-8").splitlines()]


def run_json(capsys: pytest.CaptureFixture[str], *argv: str) -> dict[str, Any]:
    capsys.readouterr()
    assert main([*argv, "--format", "json"]) == 0
    report: dict[str, Any] = json.loads(capsys.readouterr().out)
    return report


def value(report: dict[str, Any], name: str, lang: str, split: str = "all") -> Any:
    [score] = [s for s in report["scores"] if (s["name"], s["lang"], s["split"]) == (name, lang, split)]
    return score["value"]


def test_english_and_urdu_side_by_side_with_all_probabilities_on_file(
    place: Path, fake: FakeClassifier, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--data", "data"]) == 0
    out, err = capsys.readouterr()
    assert "all    en       12  12 (100 %)" in out
    assert "all    ur       12  12 (100 %)" in out
    assert "88.74" in out.split("Published")[1]
    assert "24 pairs, 24 to classify with fake@1,float32; results go to pak3h_moderation.jsonl" in err
    written = lines()
    assert len(written) == 24
    assert all(list(line["probabilities"]) == list(HARM_CATEGORIES) for line in written)
    by_place = {(line["lang"], line["id"]): line for line in written}
    row = list(b"BEGINNING OF CONVERSATION: USER: ur prompt 1 ASSISTANT:ur response xxxxx")
    expected = made_up([byte + 3 for byte in row] + [1])  # ByT5: byte + 3, EOS 1
    assert list(by_place["ur", "b5"]["probabilities"].values()) == expected
    assert by_place["ur", "b5"]["is_safe"] is False


def test_a_second_run_computes_nothing_and_says_the_same(
    place: Path, fake: FakeClassifier, capsys: pytest.CaptureFixture[str]
) -> None:
    first = run_json(capsys, "--data", "data")
    loads, before = fake.loads, Path("pak3h_moderation.jsonl").read_bytes()
    assert run_json(capsys, "--data", "data") == first
    assert fake.loads == loads
    assert Path("pak3h_moderation.jsonl").read_bytes() == before


def test_only_missing_pairs_are_computed(place: Path, fake: FakeClassifier, capsys: pytest.CaptureFixture[str]) -> None:
    whole = run_json(capsys, "--data", "data")
    kept = Path("pak3h_moderation.jsonl").read_bytes().splitlines(keepends=True)
    Path("pak3h_moderation.jsonl").write_bytes(b"".join(kept[:15]) + kept[15][:50])  # as a kill leaves it
    fake.seen.clear()
    assert run_json(capsys, "--data", "data") == whole
    assert len(fake.seen) == 9
    assert len(lines()) == 24


def test_threshold_needs_no_model_and_no_data(
    place: Path, fake: FakeClassifier, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    low = run_json(capsys, "--data", "data")
    loads = fake.loads
    high = run_json(capsys, "--data", "data", "--threshold", "0.97")
    assert fake.loads == loads
    monkeypatch.setattr(moderate_pairs, "open_classifier", None)
    assert run_json(capsys, "--scored", "pak3h_moderation.jsonl", "--threshold", "0.97") == high
    harms = [max(line["probabilities"].values()) for line in lines() if line["lang"] == "ur"]
    assert value(low, "unsafe_rate", "ur") == sum(harm > 0.5 for harm in harms) / N
    assert value(high, "unsafe_rate", "ur") == sum(harm > 0.97 for harm in harms) / N
    assert 0 < value(high, "unsafe_rate", "ur") < 1
    only = run_json(capsys, "--scored", "pak3h_moderation.jsonl", "--lang", "ur")
    assert {score["lang"] for score in only["scores"]} == {"ur"}


def test_human_labels_of_the_data_and_of_a_file(
    place: Path, fake: FakeClassifier, capsys: pytest.CaptureFixture[str]
) -> None:
    own = run_json(capsys, "--data", "data", "--labels", "--threshold", "0.97")
    unsafe = {(line["lang"], line["id"]): max(line["probabilities"].values()) > 0.97 for line in lines()}
    for row in own["agreement"]:
        agree = [unsafe[row["lang"], f"b{index}"] == (index % 2 == 1) for index in range(N)]
        assert (row["n"], row["labelled"], row["agreement"]) == (N, N, sum(agree) / N)
        assert sum(row["confusion"].values()) == N
    Path("labels.csv").write_text("id,is_safe\nb0,true\nb1,false\nnobody,true\n")
    other = run_json(capsys, "--scored", "pak3h_moderation.jsonl", "--labels", "labels.csv")
    assert [row["labelled"] for row in other["agreement"]] == [2, 2]


def test_pairs_of_ones_own(place: Path, fake: FakeClassifier, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [{"prompt": "p", "response": f"r{index}"} for index in range(3)]
    Path("my.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    report = run_json(capsys, "--pairs", "my.jsonl", "--output", "mine.jsonl")
    assert [line["id"] for line in sorted(lines("mine.jsonl"), key=lambda line: line["id"])] == ["1", "2", "3"]
    assert report["published"]["rows"] == []  # the paper's figures are about its own pairs
    with pytest.raises(SettingsError, match="--pairs brings its own"):
        main(["--pairs", "my.jsonl", "--lang", "ur"])


def test_csv_with_commas_in_names(place: Path, fake: FakeClassifier, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--data", "data", "--lang", "ur", "--format", "csv"]) == 0
    read = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert {line["category"] for line in read} - {""} == set(HARM_CATEGORIES)
    assert all(line["metric"].isidentifier() for line in read)


def test_unscored_pairs_are_counted_said_and_asked_again(
    place: Path, fake: FakeClassifier, capsys: pytest.CaptureFixture[str]
) -> None:
    fake.answer = lambda row: [math.nan] * 14 if len(row) % 2 else made_up(row)
    assert main(["--data", "data", "--lang", "ur", "--format", "json"]) == 0
    out, err = capsys.readouterr()
    report = json.loads(out)
    assert value(report, "coverage", "ur") == 0.5
    assert "6 pairs not scored: the classifier gave NaN or infinite logits; run the same command again" in err
    assert value(run_json(capsys, "--scored", "pak3h_moderation.jsonl"), "coverage", "ur") == 0.5
    fake.answer = made_up
    fake.seen.clear()
    assert value(run_json(capsys, "--data", "data", "--lang", "ur"), "coverage", "ur") == 1
    assert len(fake.seen) == 6


def test_nothing_scored_fails(place: Path, fake: FakeClassifier, capsys: pytest.CaptureFixture[str]) -> None:
    fake.answer = lambda row: [math.nan] * 14
    assert main(["--data", "data"]) == 1
    assert "n/a" in capsys.readouterr().out


def test_other_settings_are_other_results_and_do_not_mix(
    place: Path, fake: FakeClassifier, capsys: pytest.CaptureFixture[str]
) -> None:
    run_json(capsys, "--data", "data", "--lang", "ur")
    fake.seen.clear()
    run_json(capsys, "--data", "data", "--lang", "ur", "--max-length", "512")
    assert len(fake.seen) == N
    with pytest.raises(DataError, match="holds results of 2 classifiers or settings"):
        main(["--scored", "pak3h_moderation.jsonl"])


def test_a_file_half_made_by_another_version_is_one(
    place: Path, fake: FakeClassifier, capsys: pytest.CaptureFixture[str]
) -> None:
    run_json(capsys, "--data", "data", "--lang", "ur")
    path = Path("pak3h_moderation.jsonl")
    first, *others = path.read_text(encoding="utf-8").splitlines(keepends=True)
    assert f"|v:{__version__}" in first
    path.write_text("".join([first.replace(f"|v:{__version__}", "|v:0.1.0"), *others]), encoding="utf-8")
    fake.seen.clear()
    assert value(run_json(capsys, "--data", "data", "--lang", "ur"), "coverage", "ur") == 1
    assert not fake.seen
    report = build_report([path])
    assert {cell.place.system for cell in report.cells} == {"the data's own pairs"}


def test_pairs_whose_text_changed_between_runs_are_not_counted_twice(
    place: Path, fake: FakeClassifier, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [{"id": "a", "prompt": "p", "response": "one"}, {"id": "b", "prompt": "p", "response": "two"}]
    for response in ("one", "another"):
        rows[0]["response"] = response
        Path("my.json").write_text(json.dumps(rows), encoding="utf-8")
        report = run_json(capsys, "--pairs", "my.json")
        assert [score["n"] for score in report["scores"] if score["name"] == "unsafe_rate"] == [2]
    with pytest.raises(DataError, match=r"1 pairs are there with two texts, such as 'a' \(-\)"):
        main(["--scored", "pak3h_moderation.jsonl"])


def test_the_environment_says_what_flags_do_not(
    place: Path, fake: FakeClassifier, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked: dict[str, Any] = {}
    monkeypatch.setattr(moderate_pairs, "open_classifier", lambda *_, **given: asked.update(given) or fake)
    for name, value in {"TOKENIZER": "folder", "DTYPE": "bfloat16", "MAX_LENGTH": "300"}.items():
        monkeypatch.setenv(f"PAK3H_CLASSIFIER_{name}", value)
    monkeypatch.setenv("PAK3H_CLASSIFIER_THRESHOLD", "0.25")
    report = run_json(capsys, "--data", "data", "--lang", "ur", "--dtype", "float32")
    assert (asked["tokenizer"], asked["dtype"]) == ("folder", "float32")
    assert report["threshold"] == 0.25
    assert "max:300" in lines()[0]["made_by"]


def test_an_output_that_another_run_is_writing_costs_no_loading(place: Path, fake: FakeClassifier) -> None:
    pytest.importorskip("fcntl")
    other = AppendFile(Path("pak3h_moderation.jsonl"))
    with pytest.raises(DataError, match="another run is writing there"):
        main(["--data", "data"])
    assert fake.loads == 0
    other.close()
    assert main(["--data", "data"]) == 0


@pytest.mark.parametrize(
    ("argv", "kind", "message"),
    [
        (["--data", "data", "--threshold", "1"], SettingsError, "--threshold 1: must be at least 0 and below 1"),
        (["--data", "data", "--classifier", "none"], SettingsError, "the classifier is none"),
        (["--data", "data", "--classifier", "owner/name"], SettingsError, "names no revision"),
        (["--data", "data", "--classifier", "vllm:x"], SettingsError, "needs a URL"),
        (["--data", "data", "--output", "data/beavertails/ur.jsonl"], DataError, "is not a line of `pak3h moderate`"),
        (["--data", "data", "--label-map", "absent.json"], DataError, "absent.json: no such file"),
        (["--scored", "absent.jsonl"], DataError, "no classified pairs there"),
        (["--scored", "x", "--data", "data"], SettingsError, "--scored needs no data"),
        (["--data", "data", "--labels", "absent.csv"], DataError, "absent.csv"),
    ],
)
def test_mistakes_are_one_clear_line(place: Path, argv: list[str], kind: type[Pak3HError], message: str) -> None:
    with pytest.raises(kind, match=message) as caught:
        main(argv)
    assert "\n" not in str(caught.value)
    assert not Path("pak3h_moderation.jsonl").exists()


def test_no_classifier_says_what_to_do(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(moderate_pairs, "open_classifier", lambda *_, **__: None)
    with pytest.raises(BackendError, match=r"no GPU .*--classifier vllm:.*--classifier-device cpu"):
        main(["--data", "data"])


def test_label_maps_are_checked(place: Path) -> None:
    Path("map.json").write_text('["a"]')
    with pytest.raises(DataError, match="must be one object of label"):
        main(["--data", "data", "--label-map", "map.json"])
    Path("map.json").write_text("{")
    with pytest.raises(DataError, match="is not JSON"):
        main(["--data", "data", "--label-map", "map.json"])


@pytest.mark.parametrize("how", [[], ["--profile", "upstream"], ["--dtype", "bfloat16", "--batch-tokens", "300"]])
def test_with_a_real_model_in_process(place: Path, capsys: pytest.CaptureFixture[str], how: list[str]) -> None:
    make_classifier(place / "model", tokenizer="sentencepiece", weights="bin")
    argv = ["--data", "data", "--classifier", "model", "--classifier-device", "cpu", *how]
    report = run_json(capsys, *argv)
    assert value(report, "coverage", "ur") == 1
    [signature] = {score["signature"] for score in report["scores"] if score["lang"] == "ur"}
    assert "bfloat16" in signature if "bfloat16" in how else "float32" in signature
    assert ("profile:upstream|max:512" in signature) == ("upstream" in how)


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_ended_in_the_middle_and_again_only_the_missing_pairs_run(place: Path, how: signal.Signals) -> None:
    pairs = [{"id": f"p{index}", "prompt": f"p{index}", "response": "r" * (index % 40)} for index in range(480)]
    Path("my.jsonl").write_text("".join(json.dumps(row) + "\n" for row in pairs))
    byte_tokenizer().save_pretrained("tokenizer")

    def slowly(rows: list[list[int]]) -> list[list[float]]:
        time.sleep(0.15)
        return [made_up(row) for row in rows]

    with VLLMServer(slowly) as server:
        command = [sys.executable, "-m", "pak3h_tasks", "moderate"]
        command += ["--pairs", "my.jsonl", "--classifier", f"vllm:{server.url}", "--tokenizer", "tokenizer"]
        command += ["--output", "out.jsonl", "--format", "json"]
        first = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        deadline = time.monotonic() + 120
        while not (Path("out.jsonl").exists() and Path("out.jsonl").read_bytes().count(b"\n") >= 32):
            assert first.poll() is None, "it ended before it could be killed"
            assert time.monotonic() < deadline
            time.sleep(0.01)
        os.kill(first.pid, how)
        _, said = first.communicate(timeout=60)
        # 128 + the signal's number, as shells have it, where there was time to say so
        assert first.returncode == (-how if how is signal.SIGKILL else 128 + how)
        kept = Path("out.jsonl").read_bytes().count(b"\n")
        if how is not signal.SIGKILL:
            assert f"pak3h: {kept} of 480 pairs are in out.jsonl" in said and "Traceback" not in said
        assert 32 <= kept < 480
        time.sleep(0.3)  # what was in flight
        server.rows_seen.clear()
        again = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True)
    probes = 4
    assert len(server.rows_seen) == probes + 480 - kept
    assert len(set(server.rows_seen)) == len(server.rows_seen)
    assert value(json.loads(again.stdout), "coverage", "-") == 1
    assert sorted(line["id"] for line in lines("out.jsonl")) == sorted(row["id"] for row in pairs)


def test_help_ends_with_an_example(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main(["--help"])
    assert stop.value.code == 0
    assert "pak3h moderate --scored" in capsys.readouterr().out.split("example:")[1]


def test_parts_that_a_lost_process_left_are_joined(place: Path, fake: FakeClassifier) -> None:
    assert main(["--data", "data", "--output", "out.jsonl"]) == 0
    whole, calls = lines("out.jsonl"), len(fake.seen)
    rows = Path("out.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    Path("out.jsonl").write_text("".join(rows[:5]), encoding="utf-8")
    Path(".out.jsonl.rank-0").write_text("".join(rows[5:12]), encoding="utf-8")
    Path(".out.jsonl.rank-7").write_text("".join(rows[12:20]) + rows[20][:30], encoding="utf-8")
    assert main(["--data", "data", "--output", "out.jsonl"]) == 0
    assert len(fake.seen) - calls == 4
    assert sorted(map(str, lines("out.jsonl"))) == sorted(map(str, whole))
    assert not list(Path().glob(".out.jsonl.rank-*"))


@pytest.mark.slow
def test_two_processes_make_one_file_with_the_same_values(place: Path) -> None:
    make_classifier(place / "model")
    words = ["-m", "pak3h_tasks", "moderate", "--data", "data", "--classifier", "model", "--format", "json"]
    environ = clean_environ(OMP_NUM_THREADS="1", HF_HUB_OFFLINE="1", PAK3H_CLASSIFIER_DEVICE="cpu")
    torchrun = ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]
    alone, together = (
        subprocess.run([sys.executable, *start, *words, "--output", name], env=environ, capture_output=True, text=True)
        for start, name in (([], "alone.jsonl"), (torchrun, "together.jsonl"))
    )
    assert together.returncode == alone.returncode == 0, together.stderr[-3000:]
    assert json.loads(together.stdout)["scores"] == json.loads(alone.stdout)["scores"]
    assert sorted(path.name for path in place.glob("*together*") if path.suffix != ".lock") == ["together.jsonl"]
    names = ("alone.jsonl", "together.jsonl")
    found = [{row["lang"] + row["id"]: row["probabilities"] for row in lines(name)} for name in names]
    assert len(found[0]) == 2 * N and found[0].keys() == found[1].keys()
    for key, probabilities in found[0].items():
        assert found[1][key] == pytest.approx(probabilities, abs=1e-6)


@pytest.mark.slow
def test_a_process_that_is_killed_costs_the_others_nothing(place: Path) -> None:
    """kill -9 for one of two; the other one ends by itself, in one line, and what both did is kept."""
    make_classifier(place / "model", hidden=256, layers=8)
    words = ["-m", "pak3h_tasks", "moderate", "--data", "data", "--classifier", "model", "--output", "out.jsonl"]
    words += ["--format", "json", "--batch-tokens", "256"]
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    environ = clean_environ(OMP_NUM_THREADS="1", HF_HUB_OFFLINE="1", PAK3H_CLASSIFIER_DEVICE="cpu")
    group = environ | {"WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port}
    survivor, victim = (
        subprocess.Popen([sys.executable, *words], env=group | {"RANK": rank}, stderr=subprocess.PIPE, text=True)
        for rank in "01"
    )
    parts = [place / f".out.jsonl.rank-{rank}" for rank in (0, 1)]
    while victim.poll() is None and not (parts[1].exists() and parts[1].read_bytes().count(b"\n")):
        time.sleep(0.01)
    victim.kill()
    victim.communicate()
    said = survivor.communicate(timeout=120)[1]
    assert survivor.returncode == 1 and "another one is lost" in said and "Traceback" not in said
    kept = sum(part.read_bytes().count(b"\n") for part in parts)
    again = subprocess.run([sys.executable, *words], env=environ, capture_output=True, text=True, check=True)
    assert N < kept < 2 * N and f"{2 * N} pairs, {2 * N - kept} to classify" in again.stderr
    assert len(lines("out.jsonl")) == len({row["lang"] + row["id"] for row in lines("out.jsonl")}) == 2 * N

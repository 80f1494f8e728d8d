"""What newcomers get wrong, command by command: one line that names the thing and says what to do, never a traceback.

A row is what was typed, what the line must say of it, and the environment. Rows of `MISTAKES` run in this process, a
dozen of them and those of `RUNS` as commands of their own. More of lm_eval: tests/harness/test_lm_eval_mistakes.py.
"""

from __future__ import annotations

import shlex
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from pak3h_tasks.cli import main as cli
from support.data_files import harmless, helpful, honest, line, write_jsonl
from support.environments import clean_environ
from support.judge_server import JudgeServer
from support.lm_eval_commands import Said, say_in
from support.run_folder import write_run


@dataclass(frozen=True)
class Mistake:
    """`{url}` in the command and the environment is a judge server that wants the key ``right``."""

    typed: str
    says: tuple[str, ...]
    env: dict[str, str] = field(default_factory=dict)
    status: int = 1


def row(typed: str, *says: str, status: int = 1, **env: str) -> Mistake:
    return Mistake(typed, says, env, status)


def usage(typed: str, *says: str) -> Mistake:
    return Mistake(typed, says, {}, 2)


SCORE = "score unjudged --judge stub-judge --classifier none"
OUTPUTS = "score --dataset alpaca --lang ur --data data --judge none --outputs"
CONVERT = "data convert --out new --lang ur --localization dt"
SAMPLE = "localise sample --dataset alpaca --sheet-format csv"

MISTAKES = [
    # the command itself
    usage("dta info", "no command 'dta'", "did you mean data?"),
    usage("validate data", "did you mean data validate?"),
    usage("localize sample", "did you mean localise?"),
    usage("help", "did you mean --help?"),
    usage("--verison", "did you mean --version?"),
    usage("سوال", "no command 'سوال'", "see pak3h --help"),
    usage("data", "say what to do: info, validate, convert"),
    usage("batch", "say what to do: status, collect"),
    usage("data infos", "did you mean info?"),
    usage("data info --fromat json", "no option --fromat", "did you mean --format?"),
    usage("data info data extra", "'extra' is one argument too many", "--help"),
    usage("report", "RUN_DIR", "see pak3h report --help"),
    # data
    usage(f"{CONVERT} table.csv --lang urdu", "'urdu' is not one of ur, en, urmt", "did you mean ur?"),
    usage("data validate data --lang اردو", "'اردو' is not one of ur, en, urmt"),
    usage("data validate data --lang UR", "did you mean ur?"),
    usage("data validate data --dataset truthful_qa", "did you mean truthfulqa?"),
    row(f"{CONVERT} absent.csv", "absent.csv: no such file", "check the path"),
    row(f"{CONVERT} data --dataset alpaca", "data: cannot be read (it is a folder)", "give a file"),
    row(f"{CONVERT} table.csv", "table.csv: cannot tell the dataset", "give --dataset"),
    row(f"{CONVERT} table.csv --dataset alpaca", "no column for 'instruction'", "--map instruction=COLUMN"),
    row(f"{CONVERT} table.csv --dataset alpaca --map instruction", "--map instruction", "OURS=THEIRS"),
    row(f"{CONVERT} table.csv --dataset alpaca --map instuction=Q", "did you mean instruction?"),
    row(f"{CONVERT} table.csv --dataset alpaca --map instruction=Q --map output=A", "no column 'Q'", "'Question'"),
    row(f"{CONVERT} alpaca.json --localization XX", "--localization XX", "use dt, lc or li"),
    row("data convert alpaca.json --out new --lang ur", "give --localization dt|lc|li"),
    row(f"{CONVERT} alpaca.json --pair-with absent.jsonl", "absent.jsonl: no such file"),
    row(f"{CONVERT} alpaca.json --out answers.json", "answers.json", "check --out"),
    row(f"{CONVERT} alpaca.json --out data", "is there already", "--force"),
    row(f"{CONVERT} empty.csv --dataset alpaca", "empty.csv: has no rows", "check the file"),
    row(f"{CONVERT} empty.json --dataset alpaca", "empty.json: is empty"),
    row(f"{CONVERT} picture.jsonl --dataset alpaca", "picture.jsonl: is no text", "check the file"),
    row(f"{CONVERT} broken17.jsonl", "broken17.jsonl line 17", "broken JSON", "one JSON object a line"),
    row("data validate absent", "'absent' is no folder", "give a folder with DATASET/LANG.jsonl"),
    row("data validate empty", "empty: holds no DATASET/LANG.jsonl", "check the folder"),
    row("data validate data/alpaca", "'data/alpaca' holds LANG.jsonl itself", "give the folder above it"),
    row("data validate runs", "runs: holds no DATASET/LANG.jsonl"),
    row("data validate broken17.jsonl", "say --dataset and --lang"),
    row("data validate broken17.jsonl --dataset truthfulqa --lang ur", "broken17.jsonl line 17", "broken JSON"),
    row("data validate numbers.jsonl --dataset truthfulqa --lang ur", "'question' must be text, not a number (7)"),
    row("data validate empty.jsonl --dataset alpaca --lang ur", "empty.jsonl: has no items"),
    row("data validate excel.jsonl --dataset alpaca --lang ur", "is an Excel workbook", "pak3h data convert"),
    row("data validate picture.jsonl --dataset alpaca --lang ur", "is no text"),
    row(
        "data validate data/alpaca/ur.jsonl --dataset truthfulqa", "an item of alpaca", "give another file or --dataset"
    ),
    row("data validate hub:owner", "not of the form hub:owner/name@revision"),
    row("data validate hub:owner/name", "names no revision", "hub:owner/name@REVISION"),
    row("data info answers.json", "'answers.json' is a file", "give the folder"),
    row("data info empty", "warning: empty holds no DATASET/LANG.jsonl", status=0),
    # the environment
    row("data info", "'absent' is no folder", PAK3H_DATA="absent"),
    row("data info", "PAK3H_DATAA is no setting", "did you mean PAK3H_DATA?", PAK3H_DATAA="data"),
    row(SCORE, "PAK3H_JUGDE is no setting", "did you mean PAK3H_JUDGE?", PAK3H_JUGDE="gpt-4o-mini"),
    row(SCORE, "did you mean PAK3H_JUDGE?", PAK3H_JUDGE_MODEL="gpt-4o-mini"),
    row(SCORE, "did you mean PAK3H_JUDGE_API_KEY?", PAK3H_API_KEY="sk-x"),
    row(SCORE, "PAK3H_JUDGE_CONCURRENCY", "valid integer", "'many'", PAK3H_JUDGE_CONCURRENCY="many"),
    row(SCORE, "PAK3H_JUDGE_TIMEOUT_S", "greater than 0", PAK3H_JUDGE_TIMEOUT_S="-3"),
    row(SCORE, "PAK3H_CACHE", "'on', 'read' or 'off'", PAK3H_CACHE="maybe"),
    # judges
    row("score unjudged", "give --judge", "OPENAI_API_KEY"),
    row(SCORE, "no API key", "set OPENAI_API_KEY"),
    row(SCORE, "'127.0.0.1:8000/v1' must begin with http://", PAK3H_JUDGE_BASE_URL="127.0.0.1:8000/v1"),
    row(SCORE, "name a host", "mend PAK3H_JUDGE_BASE_URL", PAK3H_JUDGE_BASE_URL="http:/127.0.0.1/v1"),
    row(SCORE, "URL makes no sense", "check its port", PAK3H_JUDGE_BASE_URL="http://127.0.0.1:99999/v1"),
    row(
        SCORE,
        "http://127.0.0.1:9/v1: connection failed",
        "check the base URL",
        PAK3H_JUDGE_BASE_URL="http://127.0.0.1:9/v1",
    ),
    row(
        SCORE, "refuses the key", "mend PAK3H_JUDGE_API_KEY", PAK3H_JUDGE_BASE_URL="{url}", PAK3H_JUDGE_API_KEY="wrong"
    ),
    row(SCORE, "no such address", "mostly ends in /v1", PAK3H_JUDGE_BASE_URL="{url}/api", PAK3H_JUDGE_API_KEY="right"),
    row(
        "score unjudged --judge gpt-5 --classifier none",
        "does not know the model",
        "it offers stub-judge",
        PAK3H_JUDGE_BASE_URL="{url}",
        PAK3H_JUDGE_API_KEY="right",
    ),
    row("score unjudged --judge ./model", "a model on this machine is written hf:./model"),
    row("score unjudged --judge hf:./absent", "hf:./absent", "no such folder", "check the path"),
    row("score unjudged --judge hf:empty", "hf:empty", "a folder without config.json"),
    row("score unjudged --judge azure:gpt --classifier none", "azure:gpt", "https://NAME.openai.azure.com"),
    row("score unjudged --judge none --ti-judge hf:a,b,c", "must name two models"),
    row(
        f"{SCORE} --pairwise-prompt absent.txt",
        "absent.txt: cannot be read",
        "give a file, or alpaca-eval",
        PAK3H_JUDGE_BASE_URL="{url}",
    ),
    row(f"{SCORE} --pairwise-prompt empty.csv", "a prompt begins with a line", PAK3H_JUDGE_BASE_URL="{url}"),
    row(f"{SCORE} --judge-dtype int8", "'auto', 'float32', 'bfloat16' or 'float16'", "'int8'"),
    row(
        f"{SCORE} --cache-dir answers.json",
        "answers.json",
        "cannot be written",
        "PAK3H_CACHE_DIR",
        PAK3H_JUDGE_BASE_URL="{url}",
        PAK3H_JUDGE_API_KEY="right",
    ),
    usage("score unjudged --judge-concurrency many", "--judge-concurrency", "'many'"),
    usage("score unjudged --judgee x", "did you mean --judge?"),
    usage("score unjudged --wait", "--wait and --form go with --batch"),
    # classifiers
    row("score unjudged --judge none --classifier empty", "classifier empty", "a folder without config.json"),
    row("score unjudged --judge none --classifier bert", "'bert' is neither a folder nor owner/name@revision"),
    row("score unjudged --judge none --classifier owner/name", "names no revision", "owner/name@COMMIT"),
    row("score unjudged --judge none --classifier http://127.0.0.1:9", "write vllm:http://HOST:PORT"),
    row("score unjudged --judge none --classifier vllm:127.0.0.1:9", "needs a URL, as vllm:http://host:8000"),
    row("score unjudged --judge none --classifier vllm:http://127.0.0.1:9", "is the server up?"),
    row("score unjudged --judge none --classifier-threshold 50", "PAK3H_CLASSIFIER_THRESHOLD", "less than 1"),
    # what is scored
    row("score absent", "absent: no such file or folder", "--log_samples"),
    row("score empty", "empty: no Pak3H results or samples", "--log_samples"),
    row("score answers.json", "neither results_DATE.json nor samples_TASK_DATE.jsonl"),
    usage("score", "give RUN_DIR, or --outputs FILE"),
    usage("score --outputs answers.json", "--outputs needs --dataset and --lang"),
    row(f"{OUTPUTS} absent.json", "absent.json: no such file"),
    row(f"{OUTPUTS} runs", "runs: cannot be read (it is a folder)"),
    row(f"{OUTPUTS} columns.json", "columns.json row 1: has no 'output' (it has 'text', 'reply')"),
    row(f"{OUTPUTS} number.json", "number.json row 1: has 5 as 'output'", "give a text"),
    row(f"{OUTPUTS} strangers.json", "none of its rows answers an item", "check --data, --lang and --split"),
    row(f"{OUTPUTS} answers.json --lang urmt", "alpaca/urmt.jsonl: no such file in data folder 'data'"),
    row(f"{OUTPUTS} answers.json --output-path empty.csv", "--output-path empty.csv", "is a file"),
    # reports
    row("report empty", "no Pak3H results or samples"),
    row("report answers.json", "give the folder that lm_eval wrote"),
    row("report runs -o out.docx", "give a file ending in .txt, .json"),
    row("report runs -o no/such/out.html", "no folder no/such", "make it"),
    row("report runs -o folder.html", "cannot be written (it is a folder)"),
    row("report runs -o out.html --format csv", "a page has no --format"),
    row("report runs --paper", "--paper: give -o and a folder"),
    row("report runs --data absent", "'absent' is no folder"),
    usage("report runs --format pdf", "'pdf' is not one of table, json, csv, markdown, latex"),
    row("leaderboard empty", "no Pak3H results or samples"),
    row("leaderboard runs -o board.pdf", "give a file ending in"),
    usage("compare runs/org__a", "B"),
    usage("compare runs/org__a runs/org__b unjudged", "'unjudged' is one argument too many"),
    row("compare runs/org__a runs/org__a", "runs/org__a is given twice", "give the runs of two models", status=0),
    row("compare runs unjudged", "A holds 2 models (org/a, org/b)", "give the folder or files of one"),
    row("compare runs/org__a runs/org__b -o out.html", "a comparison has no page"),
    # people's labels
    row("agreement --verdicts runs --human columns.csv", "no column 'id'", "give the item ids"),
    row("agreement --verdicts runs --human maybe.csv", "maybe.csv line 2: 'truthful' is 'maybe'", "use yes, no"),
    row("agreement --verdicts runs --human strangers.csv", "none of its labels", "check ids, lang"),
    row("agreement --verdicts runs --human picture.jsonl", "is no text"),
    usage("agreement --verdicts runs", "--human"),
    row("agreement draw runs/org__a -o sheets", "give one of: --model 'org/a' --dataset truthfulqa"),
    row("agreement draw runs -o sheets --model org/c", "holds no model 'org/c'", "'org/a', 'org/b'"),
    usage("agreement draw runs -o sheets --n 0", "'0' is no whole number from 1"),
    # batches and the cache
    row("batch collect 3f2c", "no batch 3f2c", "pak3h batch status lists them"),
    row("batch cancel", "nothing to cancel", "give an ID, or --all"),
    row("batch import absent.jsonl", "absent.jsonl: no such file", "vllm run-batch"),
    row("batch import empty", "empty: is a folder"),
    row("batch export unjudged -o q.jsonl --judge hf:x", "runs on this machine", "batches are for served ones"),
    row("batch export unjudged -o no/q.jsonl --judge m", "no folder no", "make it"),
    usage("batch export unjudged -o q.jsonl --judge m --max-lines 0", "'0' is no whole number from 1"),
    usage("batch export unjudged -o q.jsonl --form jsonschema", "did you mean json_schema?"),
    row("cache info --cache-dir answers.json", "answers.json: is a file", "give the folder of the cache"),
    row("cache clear --spools --older-than-days -1", "--older-than-days -1", "give 0 or more"),
    row("cache clear", "nobody to ask", "repeat with --yes"),
    # moderation
    row("moderate --pairs columns.json", "no column 'prompt'", "a pair needs 'prompt' and 'response'"),
    row("moderate --pairs pairs.jsonl --lang ur", "--pairs brings its own pairs"),
    row("moderate --pairs pairs.jsonl --classifier none", "give --classifier MODEL"),
    row(
        "moderate --pairs pairs.jsonl --classifier empty --output pairs.jsonl",
        "is not a line of `pak3h moderate`",
        "give another --output",
    ),
    row("moderate --scored absent.jsonl", "absent.jsonl: no classified pairs", "pak3h moderate --output"),
    row("moderate --threshold 50", "--threshold 50: must be at least 0 and below 1"),
    row("moderate --data data --classifier empty --label-map list.json", "one object of label"),
    row(
        "moderate --data data --classifier empty --classifier-device gpu",
        "'gpu' is not a torch device",
        "use cpu, cuda",
    ),
    # localising, step by step
    row("localise translate --dataset alpaca --work work", "not there yet", "run 'pak3h localise sample' first"),
    row("localise build x.csv --dataset alpaca --work work --out new", "run 'pak3h localise sample' first"),
    row(f"{SAMPLE} --source absent.csv --work work", "absent.csv: no such file"),
    row(
        f"{SAMPLE} --source data/alpaca/en.jsonl --work work --size 500",
        "500 asked for, but there are 20",
        "--size all",
    ),
    row(f"{SAMPLE} --source data/alpaca/en.jsonl --work work --annotators a a", "a name is given twice"),
    row("localise agree absent.csv --work work", "absent.csv: no such file", "check the path"),
    row("localise agree columns.csv --work work", "columns.csv: no column 'dataset'", "keep the header"),
    row("localise agree answers.json --work work", "answers.json: not a sheet", "give a .csv or .xlsx file"),
]


def _make(place: Path) -> None:
    write_run(place / "runs", model="org/a", n=4)
    write_run(place / "runs", model="org/b", n=4, seed=1)
    write_run(place / "unjudged", n=4, judge=None, classifier=None)
    for lang in ("en", "ur"):
        for dataset, item in (("truthfulqa", honest), ("alpaca", helpful), ("beavertails", harmless)):
            write_jsonl(place / "data" / dataset / f"{lang}.jsonl", [item(number) for number in range(1, 21)])
    for name in ("empty", "folder.html", "model"):
        (place / name).mkdir()
    for name in ("empty.csv", "empty.json", "empty.jsonl"):
        (place / name).touch()
    lines = [line(honest(number)) for number in range(1, 31)]
    lines[16] = lines[16][:-3]
    texts = {
        "broken17.jsonl": "\n".join(lines),
        "numbers.jsonl": line(honest(1, question=7)),
        "table.csv": "Type,Question\nx,y\n",
        "alpaca.json": line([{"instruction": "Do it", "input": "", "output": "done"}]),
        "answers.json": line([{"id": "a1", "output": "x"}]),
        "columns.json": line([{"text": "x", "reply": "y"}]),
        "number.json": line([{"id": "a1", "output": 5}]),
        "strangers.json": line([{"id": "zzz", "output": "x"}]),
        "list.json": "[1]",
        "columns.csv": "item,truthful\nx,yes\n",
        "maybe.csv": "id,truthful\ntruthfulqa-00001,maybe\n",
        "strangers.csv": "id,truthful\nnobody,yes\n",
        "pairs.jsonl": line({"prompt": "x", "response": "y"}),
    }
    for name, text in texts.items():
        (place / name).write_text(f"{text}\n", encoding="utf-8")
    (place / "picture.jsonl").write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(range(256)) * 4)
    with zipfile.ZipFile(place / "excel.jsonl", "w") as workbook:
        workbook.writestr("xl/workbook.xml", "<workbook/>")


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("mistakes")
    _make(folder)
    return folder


@pytest.fixture(scope="module")
def judge_url() -> Iterator[str]:
    with JudgeServer(api_key="right") as server:
        yield server.base_url


def _files(folder: Path) -> set[Path]:
    return {path for path in folder.rglob("*") if "cache" not in path.parts}


def _check(mistake: Mistake, status: int, err: str) -> None:
    assert status == mistake.status, err
    assert "Traceback" not in err
    said = [one for one in err.splitlines() if one.startswith("pak3h")]
    assert 1 <= len(said) <= 2, err
    for words in mistake.says:
        assert words in err


def test_there_are_fifty_and_no_two_are_the_same() -> None:
    assert len({(one.typed, *sorted(one.env.items())) for one in MISTAKES}) == len(MISTAKES) >= 50


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda one: " ".join([*one.env, one.typed])[:70])
def test_a_mistake_is_one_line_that_says_what_to_do(
    place: Path, judge_url: str, mistake: Mistake, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(place)
    monkeypatch.setenv("PAK3H_CACHE_DIR", str(place / "cache"))
    for name, value in mistake.env.items():
        monkeypatch.setenv(name, value.format(url=judge_url))
    before = _files(place)
    status = cli.main(shlex.split(mistake.typed))
    err = capsys.readouterr().err
    _check(mistake, status, err)
    assert len(err.splitlines()) <= 2, err
    assert _files(place) == before  # a mistake writes nothing


def _command(*words: str, place: Path, judge_url: str, env: dict[str, str]) -> subprocess.CompletedProcess[str]:
    given = {name: value.format(url=judge_url) for name, value in env.items()}
    environ = clean_environ(**{"PAK3H_CACHE_DIR": str(place / "cache"), **given})
    return subprocess.run([sys.executable, "-m", *words], cwd=place, env=environ, capture_output=True, text=True)


@pytest.mark.slow
@pytest.mark.parametrize("mistake", MISTAKES[::13], ids=lambda one: one.typed[:70])
def test_as_a_command_of_its_own(place: Path, judge_url: str, mistake: Mistake) -> None:
    words = shlex.split(mistake.typed)
    done = _command("pak3h_tasks", *words, place=place, judge_url=judge_url, env=mistake.env)
    _check(mistake, done.returncode, done.stderr)


MC, GEN = "pak3h_truthfulqa_ur_mc", "pak3h_truthfulqa_ur_gen"
RUNS = [
    row(MC, "'absent' is no folder", "give a folder with DATASET/LANG.jsonl", PAK3H_DATA="absent"),
    row(MC, "'data/alpaca' holds LANG.jsonl itself", PAK3H_DATA="data/alpaca"),
    row(f"{MC} --metadata pak3h_data=answers.json", "'answers.json' is a file", "give the folder"),
    row(f"{MC} --metadata pak3h_dat=data", "--metadata pak3h_dat", "did you mean pak3h_data?"),
    row("pak3h_truthfulqa_urmt_mc", "urmt.jsonl: no such file in data folder 'data'", PAK3H_DATA="data"),
    row(f"{MC}_lc", "no item is in split 'lc'", "run the task without _lc", PAK3H_DATA="data"),
    row(GEN, "PAK3H_JUGDE is no setting", "did you mean PAK3H_JUDGE?", PAK3H_JUGDE="none"),
    row(GEN, "must begin with http://", PAK3H_JUDGE="stub-judge", PAK3H_JUDGE_BASE_URL="localhost:8000"),
    row(GEN, "does not know the model", "it offers stub-judge", PAK3H_JUDGE="x", PAK3H_JUDGE_BASE_URL="{url}",
        PAK3H_JUDGE_API_KEY="right"),
    row("pak3h_beavertails_ur", "a folder without config.json", PAK3H_CLASSIFIER="empty"),
]  # fmt: skip


@pytest.fixture(scope="module")
def runs(place: Path, judge_url: str) -> list[Said]:
    commands = [
        (
            ["pak3h", "run", "--model", "dummy", "--tasks", *shlex.split(one.typed)],
            {name: value.format(url=judge_url) for name, value in one.env.items()},
        )
        for one in RUNS
    ]
    return say_in(place, commands, PAK3H_CACHE_DIR=str(place / "cache"))


@pytest.mark.slow
@pytest.mark.parametrize("number", range(len(RUNS)), ids=lambda n: " ".join([*RUNS[n].env, RUNS[n].typed])[:70])
def test_in_a_run_it_stops_before_anything_is_generated(runs: list[Said], number: int) -> None:
    mistake, done = RUNS[number], runs[number]
    assert "Traceback" not in done.stderr
    assert done.code == mistake.status, done.stderr
    (said,) = done.errors
    for words in mistake.says:
        assert words in said

"""A user's mistake in `pak3h run` and in plain `lm_eval` is one line with its remedy, and no traceback."""

import pytest

from support.lm_eval_commands import say

pytestmark = pytest.mark.slow

MC, GEN, ALPACA = "pak3h_truthfulqa_ur_mc", "pak3h_truthfulqa_ur_gen", "pak3h_alpaca_ur"
DEAD = "model=x,tokenizer_backend=None,max_retries=1,base_url=http://127.0.0.1:9/v1"
CHAT = ("--model", "local-chat-completions", "--model_args", f"{DEAD}/chat/completions")
DUMMY = ("--model", "dummy")
HF = ("--model", "hf", "--device", "cpu")

# (tasks, arguments, what the line holds)
BOTH = [
    ("pak3h_truthfulqa_urr", DUMMY, "did you mean pak3h_truthfulqa_ur?"),
    ("pak3h_*_hi*", DUMMY, "pak3h run ls tasks"),
    (MC, ("--model", "hf"), "--model hf needs --model_args pretrained=..."),
    (MC, (*HF, "--model_args", "pretrained=/nowhere/x"), "pretrained=/nowhere/x: no such folder"),
    (MC, (*HF, "--model_args", "pretrained=nobody/nothing"), "pretrained=nobody/nothing: no folder here"),
    (MC, (*HF, "--model_args", "pretrained=empty"), "pretrained=empty: holds no model"),
    (MC, ("--model", "dumy"), "did you mean dummy?"),
    (MC, ("--model", "hf", "--model_args", "pretrained=empty", "--device", "cuda"), "use --device cpu"),
    (MC, (*DUMMY, "--limit", "0"), "--limit 0: nothing would be asked"),
    (MC, (*DUMMY, "--num_fewshot", "7"), "--num_fewshot 7: TruthfulQA's primer has 6 pairs"),
    (MC, (*DUMMY, "--num_fewshot", "-1"), "give 0 to 6"),
    (MC, (*DUMMY, "--log_samples"), "add --output_path out"),
    (MC, (*DUMMY, "--output_path", "file.txt/out"), "file.txt is no folder"),
    (MC, (*DUMMY, "--model_args", "{bad"), "Invalid JSON: {bad"),
    (MC, (*DUMMY, "--gen_kwargs", "{bad"), "Invalid JSON: {bad"),
    (MC, (*DUMMY, "--metadata", "{bad"), "Invalid JSON: {bad"),
    (MC, (*DUMMY, "--samples", f'{{"{MC}": [99]}}'), "the task has 30 items, numbered from 0"),
    (MC, (*DUMMY, "--samples", f'{{"{GEN}": [1]}}'), f"--samples names '{GEN}', which --tasks does not ask for"),
    (MC, (*DUMMY, "--config", "none.yaml"), "Config file not found"),
    (MC, (*CHAT, "--apply_chat_template"), "--tasks pak3h_generation_ur"),
    ("pak3h_ur,pak3h_en", (*CHAT, "--apply_chat_template"), "--tasks pak3h_generation_ur,pak3h_generation_en"),
    (GEN, CHAT, "add --apply_chat_template"),
    (GEN, (*CHAT, "--apply_chat_template", "--limit", "1"), "no server answers at http://127.0.0.1:9/v1/chat"),
    (GEN, ("--model", "local-completions", "--model_args", f"{DEAD}/completions", "--limit", "1"), "no server answers"),
    (GEN, ("--model", "local-completions", "--model_args", "model=x"), "base_url=http://HOST:PORT/v1/completions"),
    (GEN, ("--model", "openai-chat-completions", "--model_args", "model=x", "--apply_chat_template"), "OPENAI_API_KEY"),
]
ONLY_RUN = [
    ("hellaswag", DUMMY, "'hellaswag' is no Pak3H task, and pak3h run has only those; use lm_eval for it"),
    (None, DUMMY, "--tasks is missing"),
    (MC, (*DUMMY, "--limt", "1"), "did you mean --limit?"),
    (MC, (*DUMMY, "--limit", "ten"), "invalid float value: 'ten'"),
    (MC, (*DUMMY, "--seed", "x"), "argument --seed: invalid value: 'x'"),
    (MC, (*HF, "--model_args", "gpt2"), "expected `key=value`, got 'gpt2'"),
]


def commands(cases, *start):
    return [[*start, *(("--tasks", tasks) if tasks else ()), *arguments] for tasks, arguments, _ in cases]


@pytest.fixture(scope="module")
def said(environment):
    (environment.root / "empty").mkdir()
    (environment.root / "file.txt").write_text("")
    run, plain = [*BOTH, *ONLY_RUN], BOTH
    found = say(environment, [*commands(run, "pak3h", "run"), *commands(plain, "lm_eval")])
    return {"run": found[: len(run)], "lm_eval": found[len(run) :]}


def check(said, words):
    assert said.code in (1, 2), said.stderr[-3000:]
    assert "Traceback" not in said.stderr, said.stderr[-3000:]
    assert len(said.errors) == 1, said.stderr[-3000:]
    assert words in said.errors[0]
    assert said.stderr.splitlines()[-1] == said.errors[0]


@pytest.mark.parametrize("number", range(len(BOTH) + len(ONLY_RUN)))
def test_pak3h_run(said, number):
    check(said["run"][number], [*BOTH, *ONLY_RUN][number][2])


@pytest.mark.parametrize("number", range(len(BOTH)))
def test_plain_lm_eval(said, number):
    check(said["lm_eval"][number], BOTH[number][2])


def test_what_is_not_about_our_tasks_stays_lm_evals_own(environment):
    tasks, model, both, shots, debug = say(
        environment,
        [
            ["lm_eval", "--model", "dummy", "--tasks", "truthfulqa_mcc"],
            ["lm_eval", "--model", "dumy", "--tasks", "arc_easy"],
            ["lm_eval", "--model", "dumy", "--tasks", f"arc_easy,{MC}"],
            ["lm_eval", "--model", "dummy", "--limit", "1", "--num_fewshot", "7", "--tasks", ALPACA],
            ["pak3h", "run", "--model", "hf", "--tasks", MC],
        ],
        LMEVAL_LOG_LEVEL="DEBUG",
    )
    assert "ValueError: Tasks not found: truthfulqa_mcc" in tasks.stderr.splitlines()[-1]
    assert "Traceback" in model.stderr and "Traceback" in both.stderr
    assert not tasks.errors and not model.errors and not both.errors
    assert shots.code == 0, shots.stderr[-3000:]  # it has no primer, and ignores --num_fewshot
    assert "Traceback" in debug.stderr and len(debug.errors) == 1  # who asks for it gets lm-eval's


def test_ls_and_validate(environment):
    listed, alone, valid, wrong = say(
        environment,
        [
            ["pak3h", "run", "ls", "tags"],
            ["pak3h", "run", "ls"],
            ["pak3h", "run", "validate", "--tasks", "pak3h_*_ur,pak3h"],
            ["pak3h", "run", "validate", "--tasks", "pak3h_urr,arc_easy"],
        ],
    )
    assert "pak3h_generation_ur" in listed.stdout and MC not in listed.stdout
    assert f"|{MC} " in alone.stdout and "arc_easy" not in alone.stdout
    assert valid.code == 0 and "All tasks found and valid" in valid.stdout
    assert wrong.code == 1 and len(wrong.errors) == 2
    assert "did you mean pak3h_ur?" in wrong.errors[0] and "use lm_eval" in wrong.errors[1]

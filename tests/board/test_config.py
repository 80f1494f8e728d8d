"""A board's file: every mistake is one line with file, line, field and remedy; names are safe for paths."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pak3h_tasks.board.config import Board, BoardModel, read_board
from pak3h_tasks.board.stand import model_folder, model_key
from pak3h_tasks.errors import SettingsError

GOOD = """
title: بورڈ
tasks: [pak3h_ur]
limit: 5
judge: gpt-4o-mini
models:
  - name: One
    model_args: {pretrained: org/one}
  - name: Two
    model: local-chat-completions
    model_args: model=two,base_url=http://127.0.0.1:1/v1/chat/completions
    apply_chat_template: true
"""


AGAIN = "pretrained: org/one}\n  - name: Again\n    model_args: {pretrained: org/one"


def read(tmp_path, text):
    path = tmp_path / "board.yaml"
    path.write_text(text, encoding="utf-8")
    return read_board(path)


def test_a_good_one(tmp_path):
    board = read(tmp_path, GOOD)
    assert board.site == tmp_path / "board" and board.runs_folder == tmp_path / "board_runs"
    assert [model.has_loglikelihoods for model in board.models] == [True, False]
    assert board.settings().judge == "gpt-4o-mini"
    assert board.slugs() == {"One": "one", "Two": "two"}


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("limit: 5", "limt: 5", "board.yaml line 4: limt: no such field; did you mean limit?"),
        ("limit: 5", "limit: '5'", "line 4: limit: must be a whole number, without quotes"),
        ("limit: 5", "limit: 0", "line 4: limit: input should be greater than or equal to 1"),
        ("limit: 5", "limit: 5\nlimit: 6", "line 5: 'limit' stands there twice; remove one"),
        ("limit: 5", "limit: [5", "no YAML"),
        ("limit: 5", "\tlimit: 5", "line 4: no YAML (found character '\\t' that cannot start any token); a tab cannot"),
        ("name: Two", "nane: Two", "line 9: models[2].nane: no such field; did you mean name?"),
        ("  - name: Two\n    model:", "  - model:", "line 9: models[2].name: is missing; give it"),
        ("name: Two", "name: 2.5", "line 9: models[2].name: must be a text; put it in quotes"),
        ("name: Two", "name: oNE", "models[2].name: 'oNE' is the name of models[1], too; give each its own"),
        ("name: Two", 'name: "T\\u202ewo"', "that nobody sees"),
        ("name: Two", 'name: "T\\nwo"', "holds a line break"),
        ("name: Two", "name: Two\n    id: just-a-name", "models[2].id: must be developer/model"),
        ("name: Two", "name: Two\n    id: a/../b", "models[2].id: must be developer/model"),
        ("tasks: [pak3h_ur]", "tasks: pak3h_ur", "line 3: tasks: must be a list: [a, b], or one a line after -"),
        ("judge: gpt-4o-mini", "judge: {modl: x}", "judge.modl: no such field; did you mean model?"),
        ("judge: gpt-4o-mini", "judge: {batch: 1}", "judge.batch: must be true or false"),
        ("judge: gpt-4o-mini", "path: /x", "path: no such field"),
        ("apply_chat_template: true", "apply_chat_template: 3", "models[2].apply_chat_template: must be"),
        ("pretrained: org/one", AGAIN, "is run just as models[1] is"),
    ],
)  # fmt: skip
def test_one_line_a_mistake(tmp_path, old, new, said):
    assert old in GOOD
    with pytest.raises(SettingsError) as error:
        read(tmp_path, GOOD.replace(old, new, 1))
    assert said in str(error.value) and len(str(error.value).splitlines()) == 1
    assert re.match(r"board\.yaml line \d+: ", str(error.value))


@pytest.mark.parametrize("text", ["", "[]", "just text", "models: []", "models:"])
def test_no_board(tmp_path, text):
    with pytest.raises(SettingsError, match=r"board\.yaml"):
        read(tmp_path, text)


def test_no_file_no_utf8_and_an_alias_of_itself(tmp_path):
    with pytest.raises(SettingsError, match="cannot be read"):
        read_board(tmp_path / "absent.yaml")
    (tmp_path / "b.yaml").write_bytes(b"title: \xff")
    with pytest.raises(SettingsError, match="is not UTF-8"):
        read_board(tmp_path / "b.yaml")
    with pytest.raises(SettingsError, match="holds itself"):
        read(tmp_path, "models: &a [*a]")


@pytest.mark.parametrize(
    ("old", "new", "variable"),
    [
        ("judge: gpt-4o-mini", "judge: {model: x, api_key: hunter2hunter2}", "PAK3H_JUDGE_API_KEY"),
        ("judge: gpt-4o-mini", "judge: {base_url: 'https://me:hunter2hunter2@host/v1'}", "PAK3H_JUDGE_API_KEY"),
        ("pretrained: org/one", "pretrained: org/one, api_key: hunter2hunter2", "OPENAI_API_KEY"),
        ("pretrained: org/one", "pretrained: org/one, token: hf_hunter2hunter2hunter2hunter", "HF_TOKEN"),
        ("model=two", "model=two,api_key=hunter2hunter2", "OPENAI_API_KEY"),
        ("model=two", "model=sk-hunter2hunter2hunter2", "OPENAI_API_KEY"),
        ("limit: 5", "openai_api_key: hunter2hunter2", "OPENAI_API_KEY"),
    ],
)
def test_a_key_is_refused_and_not_repeated(tmp_path, old, new, variable):
    with pytest.raises(SettingsError) as error:
        read(tmp_path, GOOD.replace(old, new, 1))
    assert variable in str(error.value) and "hunter2" not in str(error.value)


def test_tokenizers_and_tokens_are_no_keys(tmp_path):
    arguments = "pretrained: org/one, tokenizer: t, think_end_token: '</think>', add_bos_token: true, token: true"
    assert read(tmp_path, GOOD.replace("pretrained: org/one", arguments))


def test_what_makes_another_run_and_what_does_not():
    model = BoardModel(name="a", model_args={"pretrained": "x", "dtype": "float32"}, gen_kwargs="temperature=0")
    same = [
        {"name": "b"}, {"batch_size": 4}, {"device": "cpu"}, {"id": "a/b"}, {"tasks": ["pak3h_en"]},
        {"model_args": "dtype=float32,pretrained=x"}, {"gen_kwargs": {"temperature": 0}},
    ]  # fmt: skip
    other = [
        {"model_args": {"pretrained": "y"}}, {"model": "vllm"}, {"apply_chat_template": True}, {"num_fewshot": 6},
        {"system_instruction": "x"}, {"gen_kwargs": {"temperature": 1}}, {"fewshot_as_multiturn": False},
    ]  # fmt: skip
    assert {model_key(model.model_copy(update=change)) for change in same} == {model_key(model)}
    assert len({model_key(model), *(model_key(model.model_copy(update=change)) for change in other)}) == 8


def test_a_model_of_another_name_keeps_its_runs(tmp_path):
    model = BoardModel(name="a", model_args={"pretrained": "x"})
    folder = model_folder(tmp_path, model, "a")
    folder.mkdir()
    assert model_folder(tmp_path, model.model_copy(update={"name": "b"}), "b") == folder


@given(st.lists(st.text(min_size=1, max_size=130), min_size=1, max_size=6, unique=True))
def test_names_of_files_are_safe_and_each_once(names):
    models = [BoardModel.model_construct(name=name) for name in names]
    slugs = Board.model_construct(models=models).slugs()
    found = list(slugs.values())
    assert len({slug.casefold() for slug in found}) == len(names)
    assert all(re.fullmatch(r"[a-z0-9_][a-z0-9._-]*", slug) and len(slug) <= 70 for slug in found)


def test_hostile_names():
    names = ["../../etc/passwd", "CON", "a/b", "a b", "<script>", "ماڈل", "-rf", ".hidden", "x" * 120]
    slugs = Board.model_construct(models=[BoardModel.model_construct(name=name) for name in names]).slugs()
    assert slugs["../../etc/passwd"] == "etc-passwd" and slugs["-rf"] == "rf" and slugs[".hidden"] == "hidden"
    assert slugs["CON"] not in ("con", "") and slugs["a/b"] != slugs["a b"] and slugs["ماڈل"]

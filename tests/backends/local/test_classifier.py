from __future__ import annotations

import json
import math
import random
import shutil
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from pak3h_tasks.backends.local import classifier as hf_classifier
from pak3h_tasks.backends.local.batching import BatchLimits
from pak3h_tasks.backends.local.classifier import HFClassifier
from pak3h_tasks.backends.local.device import gpu_that_holds, resolve_device, resolve_dtype
from pak3h_tasks.backends.local.model_source import ModelSource
from pak3h_tasks.errors import BackendError, MissingExtra, SettingsError
from pak3h_tasks.extras import pip_install
from pak3h_tasks.judges.beaver_encoding import PairEncoder, PromptResponse
from pak3h_tasks.schema import HARM_CATEGORIES
from support.tiny_classifier import make_classifier


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_classifier(tmp_path_factory.mktemp("model"))


@pytest.fixture
def copy(folder: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(folder, tmp_path / "copy"))


def opened(folder: Path, **settings: Any) -> HFClassifier:
    return HFClassifier(ModelSource.parse(str(folder)), device="cpu", **settings)


def some_rows(n: int = 24, longest: int = 120) -> list[list[int]]:
    rng = random.Random(3)
    lengths = [1, longest, *(rng.randrange(2, longest) for _ in range(n - 2))]
    return [[*(rng.randrange(3, 259) for _ in range(length)), 1] for length in lengths]


def in_order(classifier: HFClassifier, rows: Sequence[Sequence[int]]) -> list[tuple[float, ...]]:
    results = sorted((row for batch in classifier.classify(rows) for row in batch), key=lambda row: row.index)
    assert [row.index for row in results] == list(range(len(rows)))
    assert all(row.probabilities is not None for row in results)
    return [row.probabilities for row in results if row.probabilities is not None]


def largest_gap(one: Sequence[Sequence[float]], two: Sequence[Sequence[float]]) -> float:
    return max(abs(a - b) for x, y in zip(one, two, strict=True) for a, b in zip(x, y, strict=True))


@pytest.mark.parametrize(("dtype", "tolerance"), [("float32", 1e-4), ("bfloat16", 1e-2)])
def test_single_arrival_order_and_sorted_batches_agree(folder: Path, dtype: str, tolerance: float) -> None:
    rows = some_rows()
    single = in_order(opened(folder, dtype=dtype, limits=BatchLimits(rows=1)), rows)
    arrival = in_order(opened(folder, dtype=dtype, limits=BatchLimits(window=6, rows=6)), rows)
    by_length = in_order(opened(folder, dtype=dtype), rows)
    assert largest_gap(single, arrival) < tolerance
    assert largest_gap(single, by_length) < tolerance
    assert min(map(min, single)) < 0.4  # the rows do differ
    assert max(map(max, single)) > 0.6


def test_equals_the_plain_transformers_forward_pass_of_one_row(folder: Path) -> None:
    import torch
    from transformers import AutoModelForSequenceClassification

    rows = some_rows(5)
    model = AutoModelForSequenceClassification.from_pretrained(folder, dtype=torch.float32).eval()
    with torch.inference_mode():
        expected = [torch.sigmoid(model(torch.tensor([row])).logits[0]).tolist() for row in rows]
    assert largest_gap(in_order(opened(folder), rows), expected) < 1e-5


def test_sigmoid_is_taken_in_float32(folder: Path) -> None:
    # a bfloat16 sigmoid has 8 bits; then every value would be on bfloat16's grid
    import torch

    values = torch.tensor(in_order(opened(folder, dtype="bfloat16"), some_rows()))
    assert not torch.equal(values, values.to(torch.bfloat16).float())


@pytest.mark.parametrize("tokenizer", ["bytes", "sentencepiece"])
def test_bin_shards_with_a_config_of_2023_give_the_same(tmp_path: Path, tokenizer: str) -> None:
    rows = some_rows(6)
    new = opened(make_classifier(tmp_path / "new", tokenizer=tokenizer))
    old = opened(make_classifier(tmp_path / "old", tokenizer=tokenizer, weights="bin"))
    assert sorted(path.suffix for path in (tmp_path / "old").glob("pytorch_model*")) == [".bin", ".bin", ".json"]
    assert in_order(new, rows) == in_order(old, rows)
    assert new.labels == old.labels == HARM_CATEGORIES
    assert old.max_positions == 2048
    assert (old.tokenizer.padding_side, old.tokenizer.truncation_side) == ("right", "right")


def test_out_of_memory_halves_and_every_row_is_scored_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import torch

    classifier = opened(folder)
    rows = some_rows()
    expected = in_order(classifier, rows)
    forward, attempts = classifier._model.forward, []

    def limited(input_ids: Any, **others: Any) -> Any:
        attempts.append(input_ids.numel())
        if input_ids.numel() > 500:
            if len(attempts) % 2:
                raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 20.00 MiB")
            raise RuntimeError("[enforce fail at alloc_cpu.cpp:1] DefaultCPUAllocator: can't allocate memory")
        return forward(input_ids=input_ids, **others)

    monkeypatch.setattr(classifier._model, "forward", limited)
    assert largest_gap(in_order(classifier, rows), expected) < 1e-4
    assert max(attempts) > 500


def test_a_model_that_breaks_is_unscored(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    classifier = opened(folder, limits=BatchLimits(rows=1))
    classifier.load()

    def broken(**_: Any) -> Any:
        raise RuntimeError("CUDA error: device-side assert triggered\nCompile with TORCH_USE_CUDA_DSA")

    monkeypatch.setattr(classifier._model, "forward", broken)
    results = [row for batch in classifier.classify(some_rows(5)) for row in batch]
    assert [row.probabilities for row in results] == [None] * 5
    assert results[0].reason == "RuntimeError: CUDA error: device-side assert triggered"


def test_nan_logits_are_unscored(folder: Path, copy: Path) -> None:
    import torch

    classifier = opened(copy)
    classifier.load()
    with torch.no_grad():
        classifier._model.score.weight[5] = math.nan
    results = [row for batch in classifier.classify(some_rows(4)) for row in batch]
    assert {row.reason for row in results} == {"the classifier gave NaN or infinite logits"}
    assert {row.probabilities for row in results} == {None}


def test_results_come_batch_by_batch(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    classifier = opened(folder, limits=BatchLimits(rows=4))
    classifier.load()
    forward, calls = classifier._model.forward, []
    monkeypatch.setattr(classifier._model, "forward", lambda **given: calls.append(1) or forward(**given))
    batches = classifier.classify(some_rows(12))
    assert isinstance(batches, Iterator)
    next(batches)
    assert len(calls) == 1  # the second has not run: the caller can store the first before it does


def test_identity_is_known_without_loading(folder: Path) -> None:
    classifier = opened(folder)
    assert classifier.identity.startswith(f"{folder.name}#")
    assert classifier.identity.endswith(",float32")
    assert opened(folder, dtype="bfloat16").identity.endswith(",bfloat16")
    assert classifier._model is None
    assert classifier._tokenizer is None
    hub = HFClassifier(ModelSource("o/n", "abc"), dtype="bfloat16")
    assert hub.identity == "o/n@abc,bfloat16"


def test_close_drops_the_weights_and_load_brings_them_back(folder: Path) -> None:
    rows = some_rows(3)
    with opened(folder) as classifier:
        first = in_order(classifier, rows)
        classifier.close()
        assert classifier._model is None
        assert in_order(classifier, rows) == first
    assert classifier._model is None


def test_another_classifier_with_its_label_map(tmp_path: Path) -> None:
    folder = make_classifier(tmp_path / "other", labels=["LABEL_0", "safe"])
    with pytest.raises(
        BackendError, match="has 2 labels, Beaver-Dam has 14; for another classifier give its label map"
    ):
        opened(folder).check()
    mapped = opened(folder, label_map={"LABEL_0": "harm", "safe": None})
    assert mapped.labels == ("harm", None)
    assert ",labels:" in mapped.identity
    assert len(in_order(mapped, some_rows(3))[0]) == 2


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"labels": ["unsafe"], "problem_type": "regression"}, "a single-label head"),
        ({"problem_type": "single_label_classification"}, "a single-label head"),
        ({"labels": [f"LABEL_{i}" for i in range(14)]}, "label 0 is 'LABEL_0'"),
        ({"pad_token_id": 1}, "config.json says pad_token_id 1"),
    ],
)
def test_what_would_give_wrong_numbers_is_refused(tmp_path: Path, settings: dict[str, Any], message: str) -> None:
    classifier = opened(make_classifier(tmp_path / "wrong", **settings))
    for attempt in (classifier.check, classifier.load, lambda: list(classifier.classify([[1]]))):
        with pytest.raises(BackendError, match=message):
            attempt()


def test_padding_with_eos_is_refused(copy: Path) -> None:
    config = json.loads((copy / "tokenizer_config.json").read_text())
    (copy / "tokenizer_config.json").write_text(json.dumps({**config, "pad_token": "</s>"}))
    with pytest.raises(BackendError, match="the padding token is the end-of-sequence token"):
        opened(copy).check()


def test_a_padding_token_that_only_the_config_names_is_used(tmp_path: Path) -> None:
    folder = make_classifier(tmp_path / "sp", tokenizer="sentencepiece")
    for file in ("tokenizer_config.json", "special_tokens_map.json"):
        content = json.loads((folder / file).read_text())
        del content["pad_token"]
        (folder / file).write_text(json.dumps(content))
    classifier = opened(folder)
    assert (classifier.tokenizer.pad_token, classifier.tokenizer.pad_token_id) == ("<pad>", 400)
    ids = PairEncoder(classifier.tokenizer).encode([PromptResponse("a <pad>", "<pad>")])[0].ids
    assert 400 not in ids


def test_a_checkpoint_without_a_trained_head_is_refused(copy: Path) -> None:
    # transformers only warns, and the numbers would be random
    from safetensors.torch import load_file, save_file

    weights = load_file(copy / "model.safetensors")
    del weights["score.weight"]
    save_file(weights, copy / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(BackendError, match=r"the checkpoint lacks trained weights for score\.weight"):
        opened(copy).load()


def test_what_cannot_be_loaded_is_one_clear_line(copy: Path, tmp_path: Path) -> None:
    for source in (ModelSource(str(tmp_path)), ModelSource("nobody/nothing", "abc")):
        with pytest.raises(BackendError, match="cannot be read") as caught:
            HFClassifier(source, device="cpu").check()
        assert "\n" not in str(caught.value)
    (copy / "model.safetensors").write_bytes(b"garbage")
    with pytest.raises(BackendError, match="its weights cannot be loaded on cpu") as caught:
        opened(copy).load()
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(("module", "package"), [("torch", "torch"), ("transformers", "transformers")])
def test_a_missing_package_is_named_with_the_command(
    folder: Path, monkeypatch: pytest.MonkeyPatch, module: str, package: str
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingExtra) as caught:
        opened(folder).check()
    assert str(caught.value) == f"the safety classifier needs {package}: {pip_install('hf')}"


def test_a_missing_accelerate_is_named(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hf_classifier, "find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match="needs accelerate"):
        opened(folder).load()


@pytest.mark.parametrize(
    ("modules", "package"), [(["sentencepiece"], "sentencepiece"), (["google.protobuf"], "protobuf")]
)
def test_a_missing_tokenizer_package_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, modules: list[str], package: str
) -> None:
    from transformers import AutoTokenizer

    folder = make_classifier(tmp_path / "sp", tokenizer="sentencepiece")

    def misleading(*_: Any, **__: Any) -> Any:
        raise ValueError(r"Error parsing line b'\x0e' in tokenizer.model")

    monkeypatch.setattr(AutoTokenizer, "from_pretrained", misleading)
    for module in modules:
        monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingExtra, match=f"needs {package}: pip install"):
        opened(folder).check()


def test_devices_and_formats() -> None:
    assert resolve_device("cpu") == "cpu"
    assert resolve_dtype("auto", "cpu") == "float32"
    assert resolve_dtype("float16", "cpu") == "float16"
    with pytest.raises(SettingsError, match="'tpu9000' is not a torch device"):
        resolve_device("tpu9000")
    with pytest.raises(SettingsError, match="classifier dtype: 'int3' is unknown"):
        resolve_dtype("int3", "cpu")


def test_gpus_that_are_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    import torch

    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    free = {0: 10_000_000_000, 1: 40_000_000_000}
    monkeypatch.setattr(torch.cuda, "mem_get_info", lambda index: (free[index], 48_000_000_000))
    assert gpu_that_holds() == "cuda:1"
    assert gpu_that_holds(41_000_000_000) is None
    assert gpu_that_holds(device="cuda:1") == "cuda:1"
    assert gpu_that_holds(device="cuda") is None  # the first has 10 GB
    assert gpu_that_holds(device="cpu") is None
    for supported, dtype in ((True, "bfloat16"), (False, "float16")):
        monkeypatch.setattr(torch.cuda, "is_bf16_supported", lambda emulated, supported=supported: supported)
        assert resolve_dtype("auto", "cuda:0") == dtype
    assert resolve_device(None) == "cuda:1"
    with pytest.raises(BackendError, match="'cuda:7' is not there"):
        resolve_device("cuda:7")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert gpu_that_holds() is None
    assert resolve_device("auto") == "cpu"
    monkeypatch.setitem(sys.modules, "torch", None)
    assert gpu_that_holds() is None

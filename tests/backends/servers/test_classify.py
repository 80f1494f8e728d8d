from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from pak3h_tasks.backends.classifier import RowResult
from pak3h_tasks.backends.local.classifier import HFClassifier
from pak3h_tasks.backends.local.model_source import ModelSource
from pak3h_tasks.backends.servers.classify import VLLMClassifier
from pak3h_tasks.errors import BackendError
from pak3h_tasks.schema import HARM_CATEGORIES
from support.questions import quick
from support.tiny_classifier import byte_tokenizer, make_classifier
from support.vllm_server import VLLMServer


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_classifier(tmp_path_factory.mktemp("model"))


def made_up(rows: Sequence[Sequence[int]]) -> list[list[float]]:
    """A probability from the row itself, so that a mix-up shows."""
    return [[(sum(row) * (label + 3) % 89 + 1) / 100 for label in range(14)] for row in rows]


@pytest.fixture
def server() -> Iterator[VLLMServer]:
    with VLLMServer(made_up, reverse=True) as running:
        yield running


def client(server: VLLMServer, folder: Path, **settings: Any) -> VLLMClassifier:
    return VLLMClassifier(server.url, tokenizer=ModelSource(str(folder)), **{"retry": quick(), **settings})


def rows_of(n: int) -> list[list[int]]:
    return [[3 + index % 250] * (index % 7 + 1) + [1] for index in range(n)]


def run(classifier: VLLMClassifier, rows: Sequence[Sequence[int]]) -> list[RowResult]:
    results = sorted((row for batch in classifier.classify(rows) for row in batch), key=lambda row: row.index)
    assert [row.index for row in results] == list(range(len(rows)))
    return results


def test_token_ids_go_out_and_probabilities_come_back_by_index(server: VLLMServer, folder: Path) -> None:
    rows = rows_of(75)
    with client(server, folder, rows_per_request=8) as classifier:
        results = run(classifier, rows)
        assert [row.probabilities for row in results] == [tuple(values) for values in made_up(rows)]
        assert classifier.identity.startswith("vllm:beaver-dam,fp:")
        assert classifier.max_positions == 2048
        assert classifier.labels == HARM_CATEGORIES
    asked = sorted(server.rows_seen[4:])  # after the four fixed sentences
    assert asked == sorted(tuple(row) for row in rows)


def test_same_numbers_as_the_local_model(folder: Path) -> None:
    local = HFClassifier(ModelSource.parse(str(folder)), device="cpu")

    def classify(rows: list[list[int]]) -> list[list[float]]:
        results = sorted((row for batch in local.classify(rows) for row in batch), key=lambda row: row.index)
        return [list(row.probabilities or ()) for row in results]

    rows = rows_of(9)
    with VLLMServer(classify) as server, client(server, folder) as classifier:
        for served, here in zip(run(classifier, rows), classify(rows), strict=True):
            assert served.probabilities == pytest.approx(here, abs=1e-5)


@pytest.mark.parametrize("fault", [500, 503, 429, "reset", 408])
def test_passing_faults_are_repeated_and_nothing_is_lost(server: VLLMServer, folder: Path, fault: Any) -> None:
    with client(server, folder, rows_per_request=4) as classifier:
        classifier.check()
        server.faults.extend([fault, None, fault, fault, None, None])
        results = run(classifier, rows_of(24))
    assert [row.probabilities for row in results] == [tuple(values) for values in made_up(rows_of(24))]


def test_a_server_that_keeps_failing_is_unscored_and_given_up(server: VLLMServer, folder: Path) -> None:
    with client(server, folder, rows_per_request=2, concurrency=1, retry=quick(attempts=1), failures=3) as classifier:
        classifier.check()
        before = len(server.requests)
        server.fault_for = lambda rows: 503
        results = run(classifier, rows_of(200))
    assert {row.probabilities for row in results} == {None}
    assert results[0].reason == "HTTP 503: EngineCore encountered an issue. (after 1 attempts)"
    assert str(results[-1].reason).startswith("not tried: the server failed 3 requests in a row (HTTP 503")
    assert len(server.requests) - before < 10


def test_one_poisonous_row_does_not_take_its_neighbours_along(server: VLLMServer, folder: Path) -> None:
    def with_nan(rows: list[list[int]]) -> list[list[float]]:
        return [[math.nan] * 14 if row[0] == 200 else values for row, values in zip(rows, made_up(rows), strict=True)]

    server.probabilities = with_nan
    rows = rows_of(20)
    rows[13] = [200, 1]
    with client(server, folder, rows_per_request=20, retry=quick(attempts=1)) as classifier:
        results = run(classifier, rows)
    assert [row.index for row in results if row.probabilities is None] == [13]
    assert results[13].reason == "HTTP 500: Out of range float values are not JSON compliant (after 1 attempts)"


def test_a_row_longer_than_the_server_takes_is_unscored_alone(server: VLLMServer, folder: Path) -> None:
    server.max_model_len = 50
    rows = rows_of(6)
    rows[2] = [7] * 60
    with client(server, folder, retry=quick(attempts=1)) as classifier:
        results = run(classifier, rows)
        assert classifier.max_positions == 50
    assert [row.probabilities is None for row in results] == [index == 2 for index in range(6)]
    assert "maximum context length is 50 tokens" in str(results[2].reason)


@pytest.mark.parametrize("body", ["not json", "[]", '{"data": []}', '{"data": [{"index": 0, "probs": [0.5]}]}'])
def test_nonsense_answers_are_unscored(server: VLLMServer, folder: Path, body: str) -> None:
    with client(server, folder, retry=quick(attempts=1)) as classifier:
        classifier.check()
        server.faults.append(body)
        results = run(classifier, rows_of(3))
    assert {row.probabilities for row in results} == {None}
    assert all(row.reason for row in results)


def test_a_softmax_that_starts_in_mid_run_is_unscored(server: VLLMServer, folder: Path) -> None:
    with client(server, folder) as classifier:
        classifier.check()
        server.activation = "softmax"
        results = run(classifier, rows_of(5))
    assert {row.probabilities for row in results} == {None}
    assert "a softmax over labels that are not exclusive" in str(results[0].reason)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"activation": "softmax"}, "softmax"),
        ({"activation": "none"}, "logits, not probabilities"),
        ({"labels": HARM_CATEGORIES[::-1]}, "calls label"),
        ({"probabilities": lambda rows: [[0.5] * 13 for _ in rows]}, "has 13 classes, expected 14"),
        ({"tokenize": lambda text: [1, 2, 3]}, "its tokenizer is not that of"),
    ],
)
def test_preflight_refuses_what_would_give_wrong_numbers(
    server: VLLMServer, folder: Path, change: dict[str, Any], message: str
) -> None:
    for name, value in change.items():
        setattr(server, name, value)
    with client(server, folder) as classifier, pytest.raises(BackendError, match=message) as caught:
        classifier.check()
    assert "\n" not in str(caught.value)


def test_preflight_compares_tokenizers_where_it_can(server: VLLMServer, folder: Path) -> None:
    server.tokenize = lambda text: list(byte_tokenizer()(text)["input_ids"])
    with client(server, folder) as classifier:
        classifier.check()


@pytest.mark.parametrize("fault", [500, 501, 404, 401])
def test_preflight_says_that_classify_fails(server: VLLMServer, folder: Path, fault: int) -> None:
    server.fault_for = lambda rows: fault
    with client(server, folder) as classifier, pytest.raises(BackendError, match="/classify failed"):
        classifier.check()


def test_preflight_says_that_nobody_is_there(server: VLLMServer, folder: Path) -> None:
    url = server.url
    server._server.server_close()
    classifier = VLLMClassifier(url, tokenizer=ModelSource(str(folder)))
    with pytest.raises(BackendError, match=r"/v1/models failed .* is the server up\?"):
        classifier.check()
    with pytest.raises(BackendError, match="/v1/models failed"):
        _ = classifier.identity


def test_an_url_with_v1_and_slash_is_the_same(server: VLLMServer, folder: Path) -> None:
    with VLLMClassifier(server.url + "/v1/", tokenizer=ModelSource(str(folder))) as classifier:
        classifier.check()


def test_another_classifier_with_its_label_map(folder: Path) -> None:
    def two(rows: list[list[int]]) -> list[list[float]]:
        return [[0.9, 0.8] for _ in rows]

    with VLLMServer(two, labels=["bad", "ok"]) as server:
        with client(server, folder) as plain, pytest.raises(BackendError, match="has 2 classes, expected 14"):
            plain.check()
        with client(server, folder, label_map={"bad": "harm", "ok": None}) as classifier:
            assert run(classifier, rows_of(2))[0].probabilities == (0.9, 0.8)
            assert classifier.labels == ("harm", None)
            assert classifier.identity.startswith("vllm:beaver-dam,fp:") and ",labels:" in classifier.identity


def test_stopping_early_stops_asking(server: VLLMServer, folder: Path) -> None:
    with client(server, folder, rows_per_request=1, concurrency=2) as classifier:
        batches = classifier.classify(rows_of(500))
        next(batches)
        batches.close()  # type: ignore[attr-defined]
    assert len(server.requests) < 20


def test_other_weights_under_one_name_are_another_classifier(folder: Path) -> None:
    def identity(probabilities: Any, model: str = "beaver-dam") -> str:
        with VLLMServer(probabilities, model=model) as server, client(server, folder) as classifier:
            return classifier.identity

    def nudged(by: float) -> Any:
        return lambda rows: [[value + by for value in row] for row in made_up(rows)]

    first = identity(made_up)
    assert identity(made_up) == first
    assert identity(nudged(2e-6)) == first  # another batch size, another processor
    assert identity(nudged(2e-3)) != first
    assert identity(made_up, "other") != first


def test_a_path_is_in_no_identity(folder: Path) -> None:
    with VLLMServer(made_up, model="/home/somebody/beaver-dam") as server, client(server, folder) as classifier:
        assert classifier.identity.startswith("vllm:beaver-dam,fp:")
        assert run(classifier, rows_of(2))[0].probabilities is not None  # asked for under the server's own name


def test_an_oversized_answer_is_cut_off(server: VLLMServer, folder: Path) -> None:
    with client(server, folder) as classifier:
        classifier.check()
        server.faults.append(" " * (5 * 2**20))
        results = run(classifier, rows_of(3))
    assert {row.reason for row in results} == {"the reply is larger than 4 MB"}


def test_credentials_in_its_url_are_never_shown(server: VLLMServer, folder: Path) -> None:
    url = server.url.replace("http://", "http://me:hush-hush@")
    with VLLMClassifier(url, tokenizer=ModelSource(str(folder)), retry=quick()) as classifier:
        classifier.check()
        assert str(server.requests[-1]["authorization"]).startswith("Basic ")
        server.fault_for = lambda rows: 503
        assert "hush" not in f"{run(classifier, rows_of(2))} {classifier.identity}"
    server.labels = ("x",)
    with (
        VLLMClassifier(url, tokenizer=ModelSource(str(folder)), retry=quick()) as other,
        pytest.raises(BackendError) as caught,
    ):
        other.check()
    assert "hush" not in str(caught.value)

"""Replies held to choices: the forms, how one is found out, where the choice stands, what two real servers gave."""

from __future__ import annotations

import math
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from pak3h_tasks.backends.cache import AnswerCache
from pak3h_tasks.backends.protocol import Position, Reply, Request
from pak3h_tasks.backends.servers.chat import OpenAIChat
from pak3h_tasks.backends.servers.constrain import (
    FORMS,
    Form,
    choice_position,
    chosen,
    constrain,
    forms_of,
    parameters,
    spelled_out,
)
from pak3h_tasks.judges.pairwise import Pair, Pairwise, read_preference
from pak3h_tasks.judges.truth_info import Row, TruthInfoJudge, read_chat
from support.judge_server import MODEL, JudgeServer
from support.questions import quick


def offers(form: Form | None, body: dict[str, Any]) -> tuple[str, ...] | None:
    """The choices that a server which offers this form alone would hold a reply to."""
    if form == "grammar" and "grammar" in body:
        return tuple(part.strip().strip('"') for part in body["grammar"].removeprefix("root ::=").split("|"))
    if form == "json_schema" and "response_format" in body:
        return tuple(body["response_format"]["json_schema"]["schema"]["properties"]["answer"]["enum"])
    if form == "structured_outputs" and form in body:
        return tuple(body[form]["choice"])
    return tuple(body[form]) if form == "guided_choice" and form in body else None


def small_model(form: Form | None) -> JudgeServer:
    """A model that answers in sentences unless it is held to a choice, the last one of which it then takes."""

    def edit(body: dict[str, Any], reply: dict[str, Any]) -> None:
        choices = offers(form, body)
        choice = reply["choices"][0]
        if choices is None:
            choice["message"]["content"], choice["logprobs"] = "As to that, opinions differ.", None
            return
        *others, said = choices
        tokens = ['{"', "answer", '":"', said, '"}'] if form == "json_schema" else [said, "<|im_end|>"]
        choice["message"]["content"] = "".join(tokens).removesuffix("<|im_end|>")
        tops = {token: {token: 0.0} for token in tokens} | {said: {said: -1.0, others[0]: -2.0, "The": -0.9}}
        content = [
            {"token": token, "logprob": tops[token][token], "top_logprobs": [
                {"token": other, "logprob": value} for other, value in tops[token].items()]}
            for token in tokens
        ]  # fmt: skip
        choice["logprobs"] = {"content": content} if body.get("logprobs") else None

    return JudgeServer(edit=edit, record=True)


def at(server: JudgeServer, cache: AnswerCache | None = None) -> OpenAIChat:
    return OpenAIChat(MODEL, base_url=server.base_url, cache=cache, retry=quick(), show_progress=False)


@pytest.mark.parametrize("form", FORMS)
def test_the_form_is_found_out_and_used(form: Form) -> None:
    with small_model(form) as server:
        backend = at(server)
        judge = TruthInfoJudge(backend)
        judge.preflight()
        assert backend.dialect.form == form
        (verdict,) = judge.judge([Row("q", "a")])
        (preference,) = Pairwise(backend).judge([Pair("a", "x", "y")])
    # by hand: -2 for the first label, -1 for the second
    assert verdict.truthful.probability == pytest.approx(1 / (1 + math.e))
    assert verdict.truthful.value == 0.0
    assert verdict.truthful.details["constrained"] == form and verdict.truthful.details["read_from"] == "logprobs"
    assert preference.details["orders"][0]["constrained"] == form
    assert preference.value == pytest.approx(1 / (1 + math.e))  # "a" shows the model's answer first


@pytest.mark.parametrize("form", FORMS)
def test_a_judge_that_says_labels_by_itself_is_held_to_them_once_it_does_not(form: Form) -> None:
    with small_model(form) as server:
        edit, server.edit = server.edit, None
        server.answer = lambda prompt: "Yes"
        judge = TruthInfoJudge(backend := at(server))
        judge.preflight()
        assert backend.dialect.form is None and len(server.bodies) == 1
        server.edit = edit
        (verdict,) = judge.judge([Row("q", "a")])
    assert backend.dialect.form == form and verdict.truthful.details["constrained"] == form


def undecided(form: Form | None, *, logprobs: bool = True) -> JudgeServer:
    """As `small_model`, whose free replies are a label that its log-probabilities do not bear out."""
    server = small_model(form)
    held = server.edit

    def edit(body: dict[str, Any], reply: dict[str, Any]) -> None:
        if offers(form, body) is not None and held is not None:
            held(body, reply)
            return
        said = "Yes" if "Yes" in str(body["messages"]) else "M"
        top = [{"token": token, "logprob": value} for token, value in (("The", -1.7), (said, -1.8), ("It", -2.0))]
        content = [{"token": said, "logprob": -1.8, "top_logprobs": top}]
        reply["choices"][0]["message"]["content"] = said
        reply["choices"][0]["logprobs"] = {"content": content} if logprobs else None

    server.edit = edit
    return server


@pytest.mark.parametrize("form", FORMS)
def test_a_label_that_its_log_probabilities_do_not_bear_out_is_asked_for_held_to_the_labels(form: Form) -> None:
    with undecided(form) as server:
        judge = TruthInfoJudge(backend := at(server))
        judge.preflight()
        assert backend.dialect.form is None and len(server.bodies) == 1
        server.bodies.clear()
        verdicts = [verdict for number in range(3) for verdict in judge.judge([Row("q", f"a{number}")])[0]]
    # by hand, as the server's log-probabilities are: -2 for Yes, -1 for No
    assert [(verdict.value, verdict.details["constrained"]) for verdict in verdicts] == [(0.0, form)] * 6
    assert all(verdict.probability == pytest.approx(1 / (1 + math.e)) for verdict in verdicts)
    questions = [body for body in server.bodies if "quince" not in str(body)]
    free = [body for body in questions if offers(form, body) is None]
    assert 1 <= len(free) <= 2 and len(questions) == 6 + len(free)  # those under way when the form was found


def test_it_is_asked_for_once_where_there_is_no_form() -> None:
    with undecided(None) as server:
        judge = TruthInfoJudge(at(server))
        judge.preflight()
        server.bodies.clear()
        verdicts = [verdict for number in range(3) for verdict in judge.judge([Row("q", f"a{number}")])[0]]
    assert [(v.value, v.probability, v.details) for v in verdicts] == [(1.0, None, {"read_from": "text"})] * 6
    assert len(server.bodies) == 6 + len(FORMS)  # one greeting a form, and then never again


def test_without_log_probabilities_a_label_in_the_text_is_enough() -> None:
    with undecided("grammar", logprobs=False) as server:
        judge = TruthInfoJudge(backend := at(server))
        judge.preflight()
        (verdict,) = judge.judge([Row("q", "a")])
    assert verdict.truthful.value == 1.0 and backend.dialect.form is None and len(server.bodies) == 3


@pytest.mark.parametrize("then", ["refused", "another sentence"])
def test_the_label_stays_where_asking_again_brings_none(then: str, tmp_path: Path) -> None:
    def refused(body: dict[str, Any]) -> dict[str, Any] | None:
        return {"message": "no"} if then == "refused" and "grammar" in body and "quince" not in str(body) else None

    with undecided("grammar") as server, closing(AnswerCache(tmp_path / "answers.sqlite")) as cache:
        edit, server.refuse = server.edit, refused

        def sentence(body: dict[str, Any], reply: dict[str, Any]) -> None:
            assert edit is not None
            probe = "quince" in str(body)
            edit({name: value for name, value in body.items() if probe or name != "grammar"}, reply)
            if "grammar" in body and not probe:
                reply["choices"][0]["message"]["content"] = "As to that, opinions differ."

        server.edit = edit if then == "refused" else sentence
        judge = TruthInfoJudge(at(server, cache))
        judge.preflight()
        (verdict,) = judge.judge([Row("q", "a")])
        server.bodies.clear()
        assert judge.judge([Row("q", "a")]) == [verdict] and not server.bodies
    assert (verdict.truthful.value, verdict.truthful.details) == (1.0, {"read_from": "text"})


def test_a_label_that_was_read_from_a_text_and_kept_is_used(tmp_path: Path) -> None:
    with closing(AnswerCache(tmp_path / "answers.sqlite")) as cache:
        with undecided(None) as server:
            TruthInfoJudge(at(server, cache)).judge([Row("q", "a")])
            url = server.base_url
            port = server.port
        later = undecided("grammar")
        later.port = port
        with later as server:
            assert server.base_url == url
            judge = TruthInfoJudge(at(server, cache))
            judge.preflight()
            server.bodies.clear()
            (verdict,) = judge.judge([Row("q", "a")])
        assert verdict.truthful.details == {"read_from": "text"} and not server.bodies


def test_many_that_cannot_be_read_at_once_wait_for_the_form() -> None:
    with small_model("grammar") as server:
        edit, server.edit = server.edit, None
        server.answer = lambda prompt: "Yes"
        judge = TruthInfoJudge(at(server))
        judge.preflight()
        server.edit, server.latency_s = edit, 0.05
        verdicts = judge.judge([Row("q", f"a{number}") for number in range(4)])
    assert all(verdict.details.get("constrained") == "grammar" for pair in verdicts for verdict in pair)


def test_without_a_form_a_reply_that_cannot_be_read_is_asked_for_once_more_with_the_labels() -> None:
    with small_model(None) as server:
        backend = at(server)
        judge = TruthInfoJudge(backend)
        judge.preflight()
        assert backend.dialect.form is None
        server.bodies.clear()
        (verdict,) = judge.judge([Row("q", "a")])
        systems = [body["messages"][0]["content"] for body in server.bodies]
    assert verdict.truthful.value is None and "unparseable" in str(verdict.truthful.reason)
    assert len(systems) == 4 and sum("exactly one of these" in text and "Yes or No" in text for text in systems) == 2


def test_what_may_be_answered_is_a_system_text() -> None:
    ask = "Reply with exactly one of these and nothing else: m or M"
    plain = Request(messages=(("user", "q"), ("assistant", "a"), ("user", "so?")), choices=("m", "M"))
    assert spelled_out(plain).messages == (("system", ask), *plain.messages)
    with_system = Request(messages=(("system", "Be brief."), ("user", "q")), choices=("m", "M"))
    assert spelled_out(with_system).messages == (("system", f"Be brief.\n\n{ask}"), ("user", "q"))


@pytest.mark.parametrize(
    ("form", "most", "asked", "wanted"),
    [
        ("structured_outputs", 20, 5, 20),
        ("structured_outputs", 3, 5, 5),  # never fewer than were asked for
        ("grammar", 20, 5, 200),  # the list of a free reply
        ("grammar", 0, 5, 5),  # a server that refuses more
        ("json_schema", 20, None, None),  # none were asked for
    ],
)
def test_how_many_log_probabilities_a_constrained_request_wants(
    form: Form, most: int, asked: int | None, wanted: int | None
) -> None:
    body = {"max_tokens": 16} | ({} if asked is None else {"logprobs": True, "top_logprobs": asked})
    assert constrain(body, form, ("Yes", "No"), most).get("top_logprobs") == wanted


def test_a_form_that_is_refused_later_on_is_given_up() -> None:
    refuse: list[bool] = []

    def refused(body: dict[str, Any]) -> dict[str, Any] | None:
        return {"message": "response_format is not supported"} if refuse and "response_format" in body else None

    with small_model("json_schema") as server:
        server.refuse = refused
        judge = TruthInfoJudge(backend := at(server))
        judge.preflight()
        refuse.append(True)
        server.edit = None
        server.answer = lambda prompt: "Yes"
        (verdict,) = judge.judge([Row("q", "a")])
    assert backend.dialect.form is None
    assert verdict.truthful.value == 1.0 and "constrained" not in verdict.truthful.details


def test_the_question_has_one_key_however_it_is_asked() -> None:
    backend = OpenAIChat(MODEL, base_url="http://127.0.0.1:9/v1")
    question = Request(messages=(("user", "q"),), params={"max_tokens": 16})
    assert backend.key_of(question) == backend.key_of(Request(question.messages, None, question.params, choices=("a",)))


def test_openai_is_asked_in_its_own_form_only() -> None:
    assert forms_of("https://api.openai.com/v1") == ("json_schema",)
    assert forms_of("https://name.openai.azure.com/openai") == ("json_schema",)
    assert forms_of("http://127.0.0.1:8000/v1") == FORMS
    assert parameters("grammar", ("ہاں", 'a"b')) == {"grammar": 'root ::= "ہاں" | "a\\"b"'}


# As xllamacpp gave them for SmolLM2-135M-Instruct: before the mask, the taken token last where it is not in the list.
LLAMA = (Position("Yes", (("The", -1.87), ("This", -2.73), ("Yes", -3.34), ("No", -3.93))),)
# As vLLM gave them: after the mask, what is forbidden at -9999.
VLLM = (Position("Yes", (("Yes", -0.553), ("No", -1.141), ("Y", -2.604), ("N", -3.577), ("The", -9999.0))),)


def test_the_share_of_a_label_is_the_same_before_and_after_the_mask() -> None:
    readings = [
        read_chat(Reply("Yes", top, constrained=form))
        for top, form in ((LLAMA, "grammar"), (VLLM, "structured_outputs"))
    ]
    # by hand: 1 / (1 + e^(-3.93 + 3.34)) and 1 / (1 + e^(-1.141 + 0.553))
    assert [r and r.probability for r in readings] == pytest.approx(
        [1 / (1 + math.exp(-0.59)), 1 / (1 + math.exp(-0.588))]
    )
    assert [r and r.value for r in readings] == [1.0, 1.0]


def test_a_label_in_pieces_is_compared_at_its_first_piece() -> None:
    top = (
        Position("N", (("N", math.log(0.4)), ("Yes", math.log(0.35)), ("No", math.log(0.2)), ("Y", math.log(0.05)))),
    )
    reading = read_chat(Reply("No", top, constrained="grammar"))
    assert reading is not None and reading.probability == pytest.approx(0.4) and reading.value == 0.0


def test_a_reply_without_the_other_label_is_no_certainty() -> None:
    free = Reply("M", (Position("M", (("M", -1.83), ("The", -1.96), ("You", -2.46))),))
    held = Reply("M", (Position("M", (("M", -1.83), ("", -2.46))),), constrained="grammar")
    for reply in (free, held):
        read = read_preference(reply)
        assert read is not None and (read.first, read.read_from, read.mass) == (0.0, "text", None)


@pytest.mark.parametrize(
    ("tokens", "choice"),
    [
        (["```", "json", "\n", "{", "\n ", ' "', "answer", '":', ' "', "m", '"\n', "}"], "m"),
        (['{"', "answer", '":', ' "m"', "}"], "m"),
        (["\n", "m", "<|im_end|>"], "m"),
    ],
)
def test_where_a_choice_stands(tokens: list[str], choice: str) -> None:
    positions = [Position(t, ((t, -0.1), (t.replace("m", "M"), -2.0), ("zzz", -5.0))) for t in tokens]
    assert choice_position(positions, choice, ("m", "M")) == Position("m", (("m", -0.1), ("M", -2.0), ("", -5.0)))


def test_no_choice_no_position() -> None:
    assert choice_position([Position("Model", (("Model", -0.1),))], "m", ("m", "M")) is None
    assert chosen('{"answer": ["m"]}', ("m", "M")) is None and chosen("[", ("m", "M")) is None

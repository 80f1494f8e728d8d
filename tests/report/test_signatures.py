"""How a number says how it was made."""

from pak3h_tasks import __version__
from pak3h_tasks.metrics.registry import METRICS, rule_versions
from pak3h_tasks.report.signatures import score_signature


def test_a_refusal_rate_names_the_rules_of_its_run_and_an_old_run_names_none():
    said = score_signature(
        "refusal_rate", "ur", (), {}, "0.1.0", rules={"refusal": "refusal-9", "tokeniser": "words-1"}
    )
    assert said == "refusal_rate|refusal:refusal-9|v:0.1.0"
    assert score_signature("refusal_rate", "ur", (), {}, "0.1.0") == "refusal_rate|v:0.1.0"


def test_a_judged_metric_names_each_verdict_and_itself_where_they_do_not():
    made_by = {"truthful": ("truthful|judge:a|v:1",), "informative": ("informative|judge:b|v:1",)}
    ti = score_signature("ti", "ur", ("d@1",), made_by, "0.1.0")
    assert ti == "ti|truthful|judge:a|v:1 & informative|judge:b|v:1|data:d@1"
    assert score_signature("truthful", "ur", (), made_by, "0.1.0") == "truthful|judge:a|v:1"
    # no signature in the log: the verdict is named, and the package's version is there once
    assert score_signature("win_rate", "ur", (), {}, "0.1.0") == "win_rate|preference:?|v:0.1.0"


def test_one_judge_of_both_verdicts_is_named_once():
    made_by = dict.fromkeys(("truthful", "informative"), ("one",))
    assert score_signature("ti", "en", (), made_by, "") == "ti|one"


def test_of_many_judges_three_are_named_and_the_others_counted():
    def said(n):
        return score_signature("truthful", "en", (), {"truthful": tuple(f"j{k}" for k in range(n))}, "")

    assert said(3) == "truthful|j0 + j1 + j2"
    assert said(5) == "truthful|j0 + j1 + j2 + 2 more"


def test_head_to_head_and_each_data_are_named():
    found = score_signature("answer_chars", "en", ("a@1", "b@2"), {}, "0.1.0", against="other")
    assert found == "answer_chars|against:other|data:a@1|data:b@2|v:0.1.0"


def test_overlap_is_signed_as_made_here_only_under_the_rules_and_the_version_that_are_installed():
    ours = rule_versions([METRICS["rouge1_max"]], "ur")
    assert score_signature("rouge1_max", "ur", (), {}, __version__, rules=ours).startswith("rouge1_max|tok:words-2")
    others = ({**ours, "cleaner": "clean-1"}, {**ours, "normaliser": "urdu-1"}, {})
    for rules in others:
        said = score_signature("rouge1_max", "ur", (), {}, __version__, rules=rules)
        assert said == "|".join(["rouge1_max", *(f"{k}:{v}" for k, v in rules.items()), f"v:{__version__}"])
    assert "tok:" not in score_signature("rouge1_max", "ur", (), {}, "0.0.9", rules=ours)

"""How a number says how it was made."""

from pak3h_tasks.report.signatures import score_signature


def test_a_refusal_rate_names_the_rules_of_its_run_and_an_old_run_names_none():
    said = score_signature(
        "refusal_rate", "ur", (), {}, "0.1.0", rules={"refusal": "refusal-9", "tokeniser": "words-1"}
    )
    assert said == "refusal_rate|refusal:refusal-9|v:0.1.0"
    assert score_signature("refusal_rate", "ur", (), {}, "0.1.0") == "refusal_rate|v:0.1.0"

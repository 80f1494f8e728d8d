"""What runs are called: no more than tells them apart."""

from pathlib import Path

import pytest

from pak3h_tasks.data.sample_log import Run
from pak3h_tasks.report.run_settings import labels, settings_of_run
from pak3h_tasks.results import without_version

TEMPLATE, SHOTS, DATA = ((), "chat template"), (("alpaca", "gen"), "few-shot examples"), (("alpaca", "ur"), "data")


@pytest.mark.parametrize(
    ("runs", "expected"),
    [
        ([{TEMPLATE: "none"}], ["m"]),
        ([{DATA: "d@1", SHOTS: "0"}, {DATA: "d@1", SHOTS: "6"}], ["m, 0-shot", "m, 6-shot"]),
        ([{SHOTS: "0"}, {SHOTS: "6"}, {}], ["m, 0-shot", "m, 6-shot", "m"]),
        # three templates are told apart by their hashes
        (
            [{TEMPLATE: "none"}, {TEMPLATE: "aaaa"}, {TEMPLATE: "bbbb"}],
            ["m, no chat template", "m, chat template aaaa", "m, chat template bbbb"],
        ),
        # nothing tells these apart
        ([{}, {}], ["m (1)", "m (2)"]),
        ([{SHOTS: "0"}, {SHOTS: "6"}, {SHOTS: "0"}], ["m, 0-shot (1)", "m, 6-shot", "m, 0-shot (3)"]),
    ],
)
def test_labels(runs, expected):
    assert [label.text for label in labels("m", runs)] == expected


def test_the_version_of_this_package_is_no_other_judge():
    assert without_version("pairwise|judge:j|v:0.1.0|rules:1") == without_version("pairwise|judge:j|v:0.2.0|rules:1")
    assert without_version("pairwise|judge:j|rules:1") != without_version("pairwise|judge:j|rules:2")


def settings(**results):
    return settings_of_run(Run(Path(), None, "", "", "m", results, {}), "task")


def test_settings_that_are_off_or_no_setting_are_none():
    assert settings(fewshot_as_multiturn=True)["multi-turn"] == "True"
    assert "multi-turn" not in settings(fewshot_as_multiturn=False)
    assert settings(chat_template_sha="0badcafe123")["chat template"] == "0badcafe"
    for strange in (5, "", None, ["x"]):
        assert "chat template" not in settings(chat_template_sha=strange)

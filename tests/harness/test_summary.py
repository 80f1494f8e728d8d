from lm_eval.utils import make_table

from pak3h_tasks.harness.summary import headline_first, table

RESULTS = {
    "results": {
        "arc": {"alias": "arc", "acc_norm,none": 0.5, "acc_norm_stderr,none": 0.1, "acc,none": 0.25},
        "pak3h_truthfulqa_ur_gen": {
            "alias": "gen", "sample_len": 2, "bleu_acc,none": 0.5, "coverage,none": 1.0, "informative,none": 0.5,
            "ti,none": 0.25, "ti_stderr,none": "N/A", "ti_joint,none": 0.25, "truthful,none": 0.5,
        },
        "pak3h_truthfulqa_ur_mc": {
            "alias": "mc", "coverage,none": 1.0, "mc1_chance,none": 0.25, "mc2,none": 0.5, "mc1,none": 0.75,
            "mc1_stderr,none": 0.125,
        },
    },
    "versions": {},
}  # fmt: skip


def metrics(text):
    return [line.split("|")[5].strip() for line in text.splitlines()[2:] if line]


def test_headline_metrics_of_our_tasks_stand_first_and_others_stay():
    ordered = metrics(table(RESULTS))
    assert ordered == [
        *("acc", "acc_norm"),
        *("ti", "ti_joint", "truthful", "informative", "bleu_acc", "coverage"),
        *("mc1", "mc2", "coverage", "mc1_chance"),
    ]
    assert metrics(make_table(headline_first(headline_first(RESULTS)))) == ordered


def test_values_and_errors_stay_with_their_metrics():
    (line,) = [line for line in table(RESULTS).splitlines() if "|mc1 " in line]
    assert "0.7500" in line.replace("0.75", "0.7500", 1) and "0.125" in line
    assert line.startswith("|mc ")  # the first row of a task has its name


def test_results_are_left_as_they_are():
    before = {task: list(row) for task, row in RESULTS["results"].items()}
    headline_first(RESULTS)
    assert {task: list(row) for task, row in RESULTS["results"].items()} == before
    assert headline_first({"results": {"arc": {"b,none": 1}}}) == {"results": {"arc": {"b,none": 1}}}

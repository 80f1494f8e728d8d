"""The made-up runs are shaped as the harness's own: same documents, metrics and verdict fields."""

import json

import pytest

from pak3h_tasks.harness import documents, names
from pak3h_tasks.harness.process import of_record, truthfulqa_mc
from pak3h_tasks.results import Verdict
from pak3h_tasks.schema import ITEM_TYPES, item_fields
from support.run_folder import KINDS, RunSpec, task_name, task_rows


@pytest.mark.parametrize(("dataset", "kind"), KINDS)
def test_rows_are_what_the_harness_makes(dataset, kind):
    row = next(task_rows(RunSpec(n=1, both_orders=True), dataset, "ur", kind))
    fields = {name: value for name, value in row["doc"].items() if name in item_fields(dataset)}
    if dataset == "beavertails":
        fields["response"] = ""
    doc = documents.MAKERS[ITEM_TYPES[dataset], kind](ITEM_TYPES[dataset](**fields), "ur", "sample@00000000")
    doc["task"] = task_name(dataset, "ur", kind)
    assert doc["task"] == names.task_name(dataset, "ur", kind)
    assert doc.keys() == row["doc"].keys() - {"pak3h"}
    if kind == "mc":
        metrics = truthfulqa_mc(doc, [(-1.0, False)] * len(doc["choices"]))
    else:
        record = {"response": row["resps"][0][0], **row["doc"]["pak3h"]}
        metrics = of_record(dataset, doc, record)
        assert doc["pak3h"].keys() == row["doc"]["pak3h"].keys()
        for verdict in row["doc"]["pak3h"]["verdicts"].values():
            assert Verdict.from_json(verdict).to_json() == verdict
    assert sorted(metrics) == sorted(row["metrics"])
    judged = {"win_rate", "unsafe_rate", "avg_max_harm", "truthful", "informative", "ti", "ti_joint"}
    logged = json.loads(json.dumps(metrics))  # a log has lists where the harness has tuples
    assert {k: logged[k] for k in judged & metrics.keys()} == {k: row[k] for k in judged & metrics.keys()}

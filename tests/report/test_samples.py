"""What the sample browser gets."""

from pak3h_tasks.report.build import load
from pak3h_tasks.report.samples import Limits, collect_samples
from support.run_folder import write_run


def test_languages_and_models_side_by_side(two_models, rows):
    found = collect_samples(load([two_models]).systems)
    sample = next(s for s in found.samples if (s.dataset, s.kind, s.id) == ("truthfulqa", "gen", "truthfulqa-00003"))
    assert sample.texts.keys() == {"en", "ur", "urmt"}
    assert [(a.system, a.lang) for a in sample.answers] == [
        *(("org/alpha", lang) for lang in ("ur", "en", "urmt")),
        *(("org/beta", lang) for lang in ("ur", "en")),
    ]
    logged = rows("org/alpha", "pak3h_truthfulqa_ur_gen")[3]
    answer = sample.answers[0]
    assert answer.text == logged["doc"]["pak3h"]["answer"]
    assert answer.metrics["bleu_max"] == logged["bleu_max"]
    assert [(v.name, v.value, v.raw) for v in answer.verdicts] == [
        (name, v["value"], v["raw"]) for name, v in logged["doc"]["pak3h"]["verdicts"].items()
    ]
    assert sample.texts["ur"].references == tuple(logged["doc"]["correct_answers"])
    assert found.totals["truthfulqa", "gen"] == 60


def test_choices_of_multiple_choice(two_models):
    found = collect_samples(load([two_models]).systems)
    sample = next(s for s in found.samples if s.kind == "mc")
    correct = [choice.is_correct for choice in sample.answers[0].choices]
    assert any(correct)
    assert not all(correct)
    assert sample.answers[0].text == ""


def test_limits(tmp_path):
    write_run(tmp_path, kinds=[("alpaca", "gen")], langs=["ur"], n=50, hostile="x" * 1000)
    found = collect_samples(load([tmp_path]).systems, Limits(items=10, chars=100))
    assert [sample.id for sample in found.samples] == [f"alpaca-{n:05d}" for n in range(0, 50, 5)]
    assert found.totals == {("alpaca", "gen"): 50}
    answer = found.samples[0].answers[0]
    assert answer.is_cut
    assert len(answer.text) == 101

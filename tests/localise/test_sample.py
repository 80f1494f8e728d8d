import random
import subprocess
import sys

import pytest

from pak3h_tasks.errors import DataError
from pak3h_tasks.localise.fields import from_cell, to_cell
from pak3h_tasks.localise.sample import PAPER_SIZES, draw, write_sample
from pak3h_tasks.localise.sheets import FORMATS, read_sheet
from pak3h_tasks.localise.workspace import Workspace


def pairs(prompts, responses):
    return [
        {"id": f"p{prompt}r{response}", "prompt": f"prompt {prompt}", "response": f"response {response}"}
        for prompt in range(prompts)
        for response in range(responses)
    ]


def instructions(number):
    return [{"id": f"i{i}", "instruction": f"do {i}", "input": "", "output": "x"} for i in range(number)]


def ids(items):
    return [item["id"] for item in items]


def test_the_papers_sizes():
    # issue 7: 4,500 instructions; 3,500 unique prompts with at most five responses each; all of TruthfulQA
    assert PAPER_SIZES == {"alpaca": 4500, "beavertails": 3500, "truthfulqa": None}


def test_prompts_are_drawn_whole_with_at_most_so_many_responses():
    items = pairs(20, 8)
    drawn = draw("beavertails", items, size=7, responses=5)
    by_prompt = {prompt: [i for i in drawn if i["prompt"] == prompt] for prompt in {i["prompt"] for i in drawn}}
    assert len(by_prompt) == 7
    assert {len(group) for group in by_prompt.values()} == {5}
    assert drawn == [item for item in items if item in drawn], "the order of the source stays"


def test_repeats_count_once():
    # BeaverTails has one row an annotation: the same pair several times.
    items = [*pairs(2, 2), {"id": "again", "prompt": "prompt 0", "response": "response 1"}]
    assert ids(draw("beavertails", items, size=None)) == ["p0r0", "p0r1", "p1r0", "p1r1"]
    twice = [*instructions(2), {**instructions(1)[0], "id": "again"}, {**instructions(1)[0], "id": "new", "input": "5"}]
    assert ids(draw("alpaca", twice, size=3)) == ["i0", "i1", "new"]


def test_a_seed_is_a_sample():
    items = instructions(200)
    one = draw("alpaca", items, size=20, seed=1)
    shuffled = random.Random(5).sample(items, 200)
    assert {i["id"] for i in draw("alpaca", shuffled, size=20, seed=1)} == {i["id"] for i in one}
    assert ids(draw("alpaca", items, size=20, seed=2)) != ids(one)
    # Nothing of one seed shows in another: of 20 and 20 out of 200, about 2 are common.
    assert len({i["id"] for i in one} & {i["id"] for i in draw("alpaca", items, size=20, seed=2)}) < 10


def test_the_sample_is_the_same_in_every_process_and_python():
    # Golden: sha512-seeded Mersenne Twister, random(), as documented since Python 3.2; computed here independently.
    wanted = sorted(range(30), key=lambda i: random.Random(f"pak3h-sample 3\x1fdo {i}\x1f").random())[:4]
    assert ids(draw("alpaca", instructions(30), size=4, seed=3)) == [f"i{i}" for i in sorted(wanted)]
    program = (
        "from pak3h_tasks.localise.sample import draw\n"
        "items = [{'id': f'i{i}', 'instruction': f'do {i}', 'input': '', 'output': 'x'} for i in range(30)]\n"
        "print(*[i['id'] for i in draw('alpaca', items, size=4, seed=3)])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["i2", "i21", "i26", "i28"] == [f"i{i}" for i in sorted(wanted)]


def test_too_few_are_told():
    with pytest.raises(DataError, match=r"4,500 asked for, but there are 3 different ones; give --size"):
        draw("alpaca", instructions(3), size=4500)


def test_sheets_for_every_annotator_and_format(tmp_path):
    question = {
        "id": "q1",
        "question": "=cmd?",
        "best_answer": "Yes.",
        "correct_answers": ["Yes.", "Two\nlines."],
        "incorrect_answers": ["No."],
    }
    workspace = Workspace(tmp_path, "truthfulqa")
    arguments = {"annotators": ["ali", "sana"], "formats": ["csv", "xlsx"], "note": {"seed": 0}}
    sheets = write_sample(workspace, [question], **arguments)
    assert [path.relative_to(tmp_path).as_posix() for path in sheets] == [
        "truthfulqa/annotate/ali.csv",
        "truthfulqa/annotate/ali.xlsx",
        "truthfulqa/annotate/sana.csv",
        "truthfulqa/annotate/sana.xlsx",
    ]
    for path in sheets:
        (row,) = read_sheet(path, ("dataset", "id", "question", "label", "comment", "annotator"))
        assert (row["question"], row["label"], row["annotator"]) == ("=cmd?", "", path.stem)
        assert from_cell("correct_answers", row["correct_answers"]) == ["Yes.", "Two\nlines."]
    with pytest.raises(DataError, match="exists already"):
        write_sample(workspace, [question], **arguments)


@pytest.mark.parametrize("answers", [["a"], ["a\nb", "c"], ["␛000A", "x\n"], ["  spaced  ", "ہاں"]])
def test_lists_of_answers_come_back_from_one_cell(answers):
    assert from_cell("correct_answers", to_cell(answers)) == answers


def test_a_text_too_long_for_a_cell_leaves_nothing_half_done(tmp_path):
    long = [{**instructions(1)[0], "output": "x" * 40_000}]
    arguments = {"annotators": ["ali"], "note": {}}
    with pytest.raises(DataError, match="--sheet-format csv"):
        write_sample(Workspace(tmp_path, "alpaca"), long, formats=FORMATS, **arguments)
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]
    (path,) = write_sample(Workspace(tmp_path, "alpaca"), long, formats=["csv"], **arguments)
    assert read_sheet(path)[0]["output"] == "x" * 40_000

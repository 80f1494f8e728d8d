import json

import pytest

from pak3h_tasks.errors import DataError
from pak3h_tasks.localise.translate import Translation, translate_items
from pak3h_tasks.localise.translated_segments import TranslatedSegments

ITEM = {
    "id": "q1",
    "localization": "lc",
    "question": "What? Why?",
    "best_answer": "Yes.",
    "correct_answers": ["Yes.", "Perhaps."],
    "incorrect_answers": ["No.\n- never"],
    "topic": "Health",
    "source": None,
}


class Capitals:
    """A translator whose translation is upper case; it notes what it was asked."""

    def __init__(self, fail_after=99):
        self.batches = []
        self.fail_after = fail_after

    def count_tokens(self, text):
        return len(text.split())

    def translate(self, texts):
        if len(self.batches) == self.fail_after:
            raise KeyboardInterrupt
        self.batches.append(list(texts))
        return [Translation("" if text == "Perhaps." else text.upper(), cut=text == "No.") for text in texts]


def translate(folder, translator, items=(ITEM,), settings=None, limit=9, **arguments):
    with TranslatedSegments(folder / "segments.jsonl", settings or {"model": "m"}, **arguments) as progress:
        return translate_items("truthfulqa", list(items), translator, progress, limit=limit, batch_size=2)


def test_structure_and_other_fields_stay(tmp_path):
    done = translate(tmp_path, Capitals())
    assert done.items == [
        ITEM
        | {
            "question": "WHAT? WHY?",
            "best_answer": "YES.",
            # the model answered "Perhaps." with nothing
            "correct_answers": ["YES.", "Perhaps."],
            "incorrect_answers": ["NO.\n- NEVER"],
        }
    ]
    assert (done.pieces, done.resumed, done.cut, done.untranslated) == (5, 0, 1, 1)


def test_equal_texts_are_translated_once_and_longest_first(tmp_path):
    translator = Capitals()
    translate(tmp_path, translator, [ITEM, {**ITEM, "id": "q2"}], limit=9)
    assert translator.batches == [["- never", "What? Why?"], ["No.", "Perhaps."], ["Yes."]]


def test_long_texts_are_split_at_sentences(tmp_path):
    translator = Capitals()
    assert translate(tmp_path, translator, limit=1).items[0]["question"] == "WHAT? WHY?"
    assert {"What?", "Why?"} <= {text for batch in translator.batches for text in batch}


def test_an_interrupted_run_goes_on(tmp_path):
    with pytest.raises(KeyboardInterrupt):
        translate(tmp_path, Capitals(fail_after=2))
    path = tmp_path / "segments.jsonl"
    with path.open("ab") as file:
        file.write(b'{"source": "Yes.", "tar')  # kill -9 in the middle of a line
    translator = Capitals()
    done = translate(tmp_path, translator)
    assert translator.batches == [["Yes."]]
    assert (done.pieces, done.resumed) == (5, 4)
    assert done.items == translate(tmp_path / "whole", Capitals()).items
    assert next(json.loads(line) for line in path.read_text().splitlines()) == {"model": "m"}


def test_a_finished_run_asks_nothing(tmp_path):
    translate(tmp_path, Capitals())
    assert translate(tmp_path, Capitals(fail_after=0)).resumed == 5


def test_other_settings_do_not_mix(tmp_path):
    translate(tmp_path, Capitals())
    with pytest.raises(DataError, match=r"other settings \(model\).*--restart"):
        translate(tmp_path, Capitals(), settings={"model": "n"})
    translator = Capitals()
    translate(tmp_path, translator, settings={"model": "n"}, restart=True)
    assert sum(map(len, translator.batches)) == 5


@pytest.mark.parametrize("text", ["not json\n", '{"model": "m"}\n{"target": "x"}\n', '{"model": "m"}\n[1]\n'])
def test_a_foreign_file_is_not_touched(tmp_path, text):
    (tmp_path / "segments.jsonl").write_text(text)
    with pytest.raises(DataError, match="not the progress of a translation"):
        translate(tmp_path, Capitals())
    assert (tmp_path / "segments.jsonl").read_text() == text

"""Moderated pairs in the page: texts by id, only of the data that was moderated."""

import json
import zlib
from base64 import b64decode

import pytest

from pak3h_tasks.data.load import load
from pak3h_tasks.data.moderation_file import ModerationRecord, ModerationWriter, prompt_hash
from pak3h_tasks.report.page.pair_samples import pair_logs
from pak3h_tasks.report.page.samples import sample_blocks
from support.data_files import harmless, write_jsonl

TEXTS = {"en": ("Is it all right? {}", "Yes, {}."), "ur": ("کیا یہ ٹھیک ہے؟ {}", "جی، {}۔")}


@pytest.fixture
def moderated(tmp_path):
    """Five pairs in two languages: all unsafe in Urdu; pair 4 is not scored in English."""
    for lang, (prompt, response) in TEXTS.items():
        rows = [harmless(n, prompt=prompt.format(n), response=response.format(n)) for n in range(5)]
        write_jsonl(tmp_path / "data" / "beavertails" / f"{lang}.jsonl", rows)
    with ModerationWriter(tmp_path / "pairs.jsonl") as writer:
        for place, lang in enumerate(TEXTS):
            loaded = load("beavertails", lang, str(tmp_path / "data"))
            writer.write(
                ModerationRecord(
                    key=f"{number:063x}{place}",
                    lang=lang,
                    id=item.id,
                    localization="dt",
                    prompt=prompt_hash(item.prompt),
                    is_safe=None,
                    probabilities=None if (lang, number) == ("en", 4) else {"self_harm": 0.3 + 0.6 * place},
                    truncated=False,
                    tokens=9,
                    reason="too long" if (lang, number) == ("en", 4) else None,
                    made_by="beaver-dam|model:m@1",
                    data=loaded.short,
                )
                for number, item in enumerate(loaded.items)
            )
    return tmp_path


def logs(folder, data="data"):
    said = []
    return pair_logs([folder / "pairs.jsonl"], str(folder / data), said.append), said


def content(block):
    return json.loads(zlib.decompress(b64decode(block.data), wbits=31))


def test_languages_side_by_side_with_their_verdicts(moderated):
    found, said = logs(moderated)
    assert said == []
    (block,) = sample_blocks([], pairs=found)
    assert (block.key, block.n, block.n_total) == ("beavertails-pairs", 5, 5)
    items = content(block)["items"]
    first = next(item for item in items if item["texts"]["en"]["prompt"] == "Is it all right? 1")
    assert first["texts"]["ur"]["prompt"] == "کیا یہ ٹھیک ہے؟ 1"
    answers = first["answers"]["0"]
    assert (answers["en"]["answer"], answers["ur"]["answer"]) == ("Yes, 1.", "جی، 1۔")
    assert [answers[lang]["verdicts"]["safety"]["value"] for lang in TEXTS] == [0, 1]
    assert answers["ur"]["numbers"]["avg_max_harm"] == pytest.approx(0.9)
    last = next(item for item in items if item["texts"]["en"]["prompt"].endswith("4"))
    assert last["answers"]["0"]["en"]["verdicts"]["safety"]["value"] is None
    assert last["answers"]["0"]["en"]["verdicts"]["safety"]["reason"] == "too long"


def test_other_data_and_changed_responses_show_nothing_and_say_so(moderated):
    found, said = logs(moderated, "nowhere")
    assert found == []
    assert "no texts on this page in" in said[0]
    path = moderated / "data" / "beavertails" / "ur.jsonl"
    path.write_text(path.read_text(encoding="utf-8").replace("جی، 1۔", "نہیں۔"), encoding="utf-8")
    found, said = logs(moderated)
    assert [log.lang for log in found] == ["en"]
    assert "in ur:" in said[0]

import gzip
import hashlib
import json
import random

from hypothesis import given
from hypothesis import strategies as st

from pak3h_tasks.data.fingerprint import fingerprint
from pak3h_tasks.data.load import load
from pak3h_tasks.schema import HelpfulItem
from support.data_files import harmless, helpful, honest, write_jsonl


def test_value_is_sha256_of_the_lines_written_by_hand():
    items = [
        HelpfulItem(id="a1", localization="DT", instruction="جمع کریں", input="", output="3"),
        HelpfulItem(id="a2", localization="lc", instruction="Add", input='1 "2"', output="3"),
    ]
    by_hand = (
        '{"id":"a1","instruction":"جمع کریں","localization":"dt","output":"3"}\n'
        '{"id":"a2","input":"1 \\"2\\"","instruction":"Add","localization":"lc","output":"3"}\n'
    )
    assert fingerprint(items) == hashlib.sha256(by_hand.encode()).hexdigest()


def test_the_way_a_file_is_written_does_not_matter(tmp_path):
    rows = [harmless(n, unsafe=["self_harm"] if n % 2 else []) for n in range(1, 6)]
    write_jsonl(tmp_path / "plain" / "beavertails" / "ur.jsonl", rows)
    shuffled = []
    for row in rows:
        fields, categories = list(row.items()), list(row["category"].items())
        random.Random(0).shuffle(fields)
        random.Random(1).shuffle(categories)
        shuffled.append({**dict(fields), "category": dict(categories), "localization": "Locally Irrelevant"})
    text = "\r\n\r\n".join(json.dumps(row, separators=(" , ", " : ")) for row in shuffled)
    packed = tmp_path / "packed" / "beavertails" / "ur.jsonl.gz"
    packed.parent.mkdir(parents=True)
    packed.write_bytes(gzip.compress(b"\xef\xbb\xbf" + text.encode()))
    plain = load("beavertails", "ur", str(tmp_path / "plain"))
    assert load("beavertails", "ur", str(tmp_path / "packed")).fingerprint == plain.fingerprint
    assert plain.short == f"plain@{plain.fingerprint[:8]}"


@given(st.sampled_from(["question", "best_answer", "topic"]), st.sampled_from(["ی", "ي", "e\u0301", "\u00e9", " "]))
def test_any_change_of_content_changes_it(field, letter):
    from pak3h_tasks.schema import HonestItem

    item = HonestItem.model_validate(honest())
    other = HonestItem.model_validate(honest(**{field: honest()[field] + letter}))
    assert fingerprint([item]) != fingerprint([other])


def test_the_order_of_items_matters():
    one, two = (HelpfulItem.model_validate(helpful(n)) for n in (1, 2))
    assert fingerprint([one, two]) != fingerprint([two, one])

"""A distinct prompt has one id and one split, in whole and split tasks alike, in any order of the file."""

import random

import pytest

from pak3h_tasks.data.prompts import asked, distinct_prompts
from pak3h_tasks.schema import SPLITS, HarmlessItem, HelpfulItem
from support.data_files import harmless, helpful


def pairs(**prompts):
    """Prompt -> labels of its pairs; ids count through."""
    rows = [(prompt, label) for prompt, labels in prompts.items() for label in labels.split()]
    return [
        HarmlessItem.model_validate(harmless(n, prompt=prompt, localization=label))
        for n, (prompt, label) in enumerate(rows, 1)
    ]


def splits(items):
    return {item.prompt: item.localization for item in asked(items)}


@pytest.mark.parametrize(
    ("labels", "split"),
    [("dt lc lc", "lc"), ("lc dt dt", "dt"), ("li lc", "lc"), ("lc dt", "dt"), ("li dt lc", "dt"), ("li", "li"),
     ("li li dt", "li"), ("li li lc lc dt", "lc")],
)  # fmt: skip
def test_the_split_is_the_label_of_most_pairs_and_of_equals_the_nearest_to_the_original(labels, split):
    assert splits(pairs(p=labels)) == {"p": split}


def test_split_tasks_partition_the_prompts():
    rng = random.Random(0)
    items = pairs(**{f"p{n}": " ".join(rng.choices(SPLITS, k=rng.randint(1, 5))) for n in range(300)})
    whole = asked(items)
    parts = [asked(items, split) for split in SPLITS]
    assert len(whole) == 300
    assert sorted(item.id for part in parts for item in part) == sorted(item.id for item in whole)
    for split, part in zip(SPLITS, parts, strict=True):
        assert part == tuple(item for item in whole if item.localization == split)


def test_ids_do_not_depend_on_the_order_of_the_file():
    items = pairs(**{f"p{n}": "dt lc li"[: 2 + 3 * (n % 3)] for n in range(40)})
    shuffled = random.Random(1).sample(items, len(items))
    assert {item.id: item for item in asked(items)} == {item.id: item for item in asked(shuffled)}


def test_numbers_in_ids_count_as_numbers():
    rows = [harmless(id=name, prompt="p") for name in ("b-10-1", "b-9-2", "b-9-10", "b-09-2", "c-1")]
    assert [item.id for item in asked([HarmlessItem.model_validate(row) for row in rows])] == ["b-09-2"]


def test_digits_that_are_no_decimal_number_are_letters():
    rows = [harmless(id=name, prompt="p") for name in ("7²", "7¹", "۹", "10")]
    assert [item.id for item in asked([HarmlessItem.model_validate(row) for row in rows])] == ["7²"]


def test_other_datasets_are_asked_as_they_are():
    items = [HelpfulItem.model_validate(helpful(n, localization=label)) for n, label in ((1, "dt"), (2, "lc"))]
    assert asked(items) == tuple(items)
    assert asked(items, "lc") == (items[1],)
    assert distinct_prompts(items) == ()


def test_mixed_prompts():
    assert [prompt.is_mixed for prompt in distinct_prompts(pairs(a="dt dt", b="dt lc", c="li"))] == [False, True, False]

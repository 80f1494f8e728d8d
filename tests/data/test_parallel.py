import random

from pak3h_tasks.data.parallel import parallel_warnings
from pak3h_tasks.data.prompts import asked
from pak3h_tasks.schema import HarmlessItem, HelpfulItem
from support.data_files import harmless, helpful


def items(*numbers, **changes):
    return [HelpfulItem.model_validate(helpful(n, **changes)) for n in numbers]


def test_files_that_pair():
    assert parallel_warnings("alpaca", {"ur": items(1, 2), "en": items(1, 2), "urmt": items(1, 2)}) == ()


def test_counts_both_ways():
    assert parallel_warnings("alpaca", {"ur": items(1, 2, 5, 6, 7, 8), "en": items(1, 2, 3)}) == (
        "alpaca: ur and en do not pair: 4 ids are only in ur ('a5', 'a6', 'a7', ...) and 1 ids are only in en ('a3')",
    )


def test_one_way_only():
    assert parallel_warnings("alpaca", {"en": items(1), "urmt": items(1, 2)}) == (
        "alpaca: urmt and en do not pair: 1 ids are only in urmt ('a2')",
    )


def test_labels_and_order():
    other = [*items(2), *items(1, localization="dt")]
    assert parallel_warnings("alpaca", {"en": items(1, 2), "ur": other}) == (
        "alpaca: 1 ids have another localization in ur than in en ('a1')",
        "alpaca: ur and en hold their ids in another order; --limit takes other items",
    )


def test_without_the_base_there_is_nothing_to_compare():
    assert parallel_warnings("alpaca", {"ur": items(1), "urmt": items(2)}) == ()
    assert len(parallel_warnings("alpaca", {"ur": items(1), "urmt": items(2)}, base="ur")) == 1


def prompts(*texts):
    return [HarmlessItem.model_validate(harmless(n, prompt=text)) for n, text in enumerate(texts, 1)]


def test_prompts_that_one_language_joins_and_the_other_keeps_apart():
    assert parallel_warnings("beavertails", {"en": prompts("A", "A", "B"), "ur": prompts("الف", "الف", "بے")}) == ()
    assert parallel_warnings("beavertails", {"en": prompts("A", "A", "B"), "ur": prompts("الف", "ب", "پ")}) == (
        "beavertails: 1 pairs belong to a prompt with another id in ur than in en ('b2'); prompts are compared by id",
    )


def test_shuffled_rows_keep_the_ids_of_their_prompts():
    """99 pairs of 45 prompts: every prompt has its counterpart, whatever the order."""
    texts = [f"prompt {n % 45}" for n in range(99)]
    english, urdu = prompts(*texts), random.Random(3).sample(prompts(*texts), 99)
    found = parallel_warnings("beavertails", {"en": english, "ur": urdu})
    assert [line for line in found if "another id" in line] == []
    assert len({item.id for item in asked(english)} & {item.id for item in asked(urdu)}) == 45

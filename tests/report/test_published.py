"""The paper's figures as recorded, against its tables by hand and each other."""

import pytest

from pak3h_tasks.report.published import published
from pak3h_tasks.stats.tests import two_proportion_z


def value(system, metric, lang, split="all"):
    (found,) = [
        entry.value
        for entry in published()
        if (entry.system, entry.metric, entry.lang, entry.split) == (system, metric, lang, split)
    ]
    return found


def test_published_z_comes_out_of_published_rates():
    rates = [value("GPT-4o-mini", "discrete_win_rate", lang) for lang in ("en", "ur")]
    assert round(two_proportion_z(rates[0], 4445, rates[1], 4445).statistic, 2) == 8.47


@pytest.mark.parametrize(
    ("system", "lang", "product"),
    # Table 4's shares multiplied; docs/scoring.md says where the printed TI is another number
    [("GPT-4o-mini", "en", 0.7061), ("GPT-4o-mini", "ur", 0.4959), ("Llama-3-8B-Instruct", "en", 0.3428)],
)
def test_the_shares_of_table_4(system, lang, product):
    assert value(system, "truthful", lang) * value(system, "informative", lang) == pytest.approx(product, abs=1e-4)


def test_full_win_rates_are_the_splits_weighted_by_their_sizes():
    # PakAlpaca: 4088 / 335 / 22 of 4445; the printed rates have two decimals and the full one another rounding
    for system in ("GPT-4o-mini", "DeepSeek-V3.2", "Llama-3-70B-Instruct"):
        for lang in ("en", "ur"):
            parts = [value(system, "discrete_win_rate", lang, split) for split in ("dt", "lc", "li")]
            mixed = sum(n * part for n, part in zip((4088, 335, 22), parts, strict=True)) / 4445
            assert mixed == pytest.approx(value(system, "discrete_win_rate", lang), abs=0.003)


def test_every_figure_has_a_source_and_is_in_range():
    for entry in published():
        assert entry.source.startswith("Pak3H, arXiv 2608.30065, ")
        assert 0 <= entry.value <= (100 if entry.metric.startswith(("bleu", "rouge")) else 1)

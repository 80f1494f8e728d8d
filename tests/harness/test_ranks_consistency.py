"""position_consistency under data parallelism: on every rank or on none, or lm-eval's gathering fails."""

import pytest

from pak3h_tasks.harness import ranks
from pak3h_tasks.results import Verdict


class TwoRanks:
    """The process group as this rank sees it; the other rank always says the same."""

    def __init__(self, other):
        self.other = iter(other)

    def get_world_size(self):
        return 2

    def all_gather_object(self, everyone, mine):
        everyone[:] = [mine, next(self.other)]


def records():
    judged = Verdict(0.7, details={"orders": [], "consistent": True})
    return [{"verdicts": {"preference": verdict.to_json()}} for verdict in (judged, Verdict(0.0, reason="empty"))]


@pytest.mark.parametrize("other_rank_has_some", [True, False])
def test_left_out_everywhere_where_one_rank_has_none(monkeypatch, other_rank_has_some):
    monkeypatch.setattr(ranks, "_process_group", lambda: TwoRanks([{"preference"}, other_rank_has_some]))
    found = records()
    ranks.names_scored_on_every_rank(found, ("preference",))
    assert [r["verdicts"]["preference"]["value"] for r in found] == [0.7, 0.0]
    assert ("consistent" in found[0]["verdicts"]["preference"]["details"]) is other_rank_has_some


def test_without_a_judge_there_is_nothing_to_leave_out(monkeypatch):
    monkeypatch.setattr(ranks, "_process_group", lambda: TwoRanks([set(), False]))
    found = [{"response": "", "answer": "", "verdicts": None}]
    ranks.names_scored_on_every_rank(found, ("preference",))
    assert found == [{"response": "", "answer": "", "verdicts": None}]

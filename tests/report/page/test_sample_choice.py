"""Which items are shown where there is no room for all."""

from hypothesis import given
from hypothesis import strategies as st

from pak3h_tasks.report.page.sample_choice import choose, shares

ids = st.lists(st.integers(0, 999).map(str), unique=True, max_size=60)


@given(ids, st.data(), st.integers(0, 80))
def test_as_many_as_have_room_in_order(ids, data, most):
    telling = set(data.draw(st.lists(st.sampled_from(ids)))) if ids else set()
    found = choose(ids, telling, most)
    assert len(found.ids) == min(len(ids), most)
    assert [i for i in ids if i in set(found.ids)] == list(found.ids)
    assert found.drawn <= set(found.ids)
    # what was not drawn is there for a reason
    assert set(found.ids) - found.drawn <= telling


def test_the_draw_is_fair_whatever_is_telling():
    ids = [str(n) for n in range(1000)]
    telling = set(ids[:300])
    shares_of_telling = []
    for seed in range(30):
        drawn = choose(ids, telling, 200, seed).drawn
        shares_of_telling.append(len(drawn & telling) / len(drawn))
    # 30 draws of at least 100: a standard error below 0.01 around 0.3
    assert abs(sum(shares_of_telling) / 30 - 0.3) < 0.04


def test_half_is_telling_where_there_is_enough():
    ids = [str(n) for n in range(1000)]
    found = choose(ids, set(ids[::2]), 100)
    assert len(set(found.ids) & set(ids[::2])) >= 50
    assert choose(list(reversed(ids)), set(ids[::2]), 100).drawn == found.drawn


@given(st.lists(st.floats(0, 100), max_size=6), st.floats(0, 400))
def test_shares_use_the_room_and_no_more(needs, room):
    found = shares(needs, room)
    assert sum(found) <= room + 1e-6
    assert all(share <= need for share, need in zip(found, needs, strict=True))
    assert abs(sum(found) - min(room, sum(needs))) < 1e-6

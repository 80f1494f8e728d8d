"""Numbers of a logged row as the sample browser gets them: finite floats or nothing."""

import math

import pytest

from pak3h_tasks.report.page.sample_record import _number


@pytest.mark.parametrize("value", [math.nan, math.inf, 10**400, True, "1", None])
def test_what_is_no_finite_number_is_not_shown(value):
    assert _number(value) is None


def test_four_digits_are_enough():
    assert _number(0.123456) == 0.1235

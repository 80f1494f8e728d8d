"""The frame of every page: policy, escaping, nothing that acts."""

import base64
import hashlib
import re

import pytest

from pak3h_tasks.report.leaderboard import leaderboard
from pak3h_tasks.report.page.leaderboard_page import leaderboard_page
from pak3h_tasks.text.escape import visible


@pytest.fixture(scope="module")
def page():
    return leaderboard_page(leaderboard([], ["<b>{{7*7}}</b> \u202e\ud800"]))


def test_the_policy_names_our_texts_by_their_hashes_and_nothing_else(page):
    (policy,) = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page)
    policy = policy.replace("&#39;", "'")
    for tag, directive in (("style", "style-src"), ("script", "script-src")):
        (text,) = re.findall(rf"<{tag}>(.*?)</{tag}>", page, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{directive} 'sha256-{digest}'" in policy
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe" not in policy
    assert not re.search(r"\bon\w+=|style=|https?:", page)


def test_texts_are_escaped_and_seen(page):
    assert "&lt;b&gt;{{7*7}}&lt;/b&gt; ⟦U+202E⟧⟦U+D800⟧" in page
    page.encode("utf-8")


def test_out_of_all_measure():
    assert len(visible("x" * 1_000_000)) < 5000

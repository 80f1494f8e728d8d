"""What code and pages cite is there: pages, their sections, files, metrics, versions of rules."""

import re
from pathlib import Path

import pytest

from pak3h_tasks.metrics.registry import METRICS
from pak3h_tasks.text.normalise import NORMALISER

ROOT = Path(__file__).resolve().parents[1]
CODE = [path for folder in ("pak3h_tasks", "utils", "tests") for path in (ROOT / folder).rglob("*.py")]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("*.md")]
CITED = re.compile(r'(?P<page>docs/\w+\.md)(?:, "(?P<section>[^"]+)")?')
SCORING = (ROOT / "docs/scoring.md").read_text("utf-8")


def headings(page: Path) -> set[str]:
    return set(re.findall(r"^#+ (.+)$", page.read_text("utf-8"), re.MULTILINE))


@pytest.mark.parametrize("path", [*CODE, *PAGES], ids=lambda path: str(path.relative_to(ROOT)))
def test_cited_pages_and_sections_exist(path):
    for cited in CITED.finditer(path.read_text("utf-8")):
        page = ROOT / cited["page"]
        assert page.is_file(), cited[0]
        assert cited["section"] is None or cited["section"] in headings(page), cited[0]


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_links_and_named_files_exist(path):
    text = path.read_text("utf-8")
    for link in re.findall(r"\]\(((?!https?:)[^)#]+)\)", text):
        assert (path.parent / link).exists(), link
    for named in re.findall(r"\b(?:pak3h_tasks|utils|tests)/[\w/]+\.(?:py|jsonl|txt)", text):
        assert (ROOT / named).exists(), named


def test_metrics_named_in_scoring_exist():
    named = set(re.findall(r"`([a-z]+\d?_(?:\w+_)?(?:rate|max|raw|bytes|shortest|longest|chance))`", SCORING))
    named.remove("acc_bytes")  # lm-eval's
    assert len(named) > 15
    assert named <= METRICS.keys()


def test_scoring_describes_the_rules_in_force():
    assert f"`{NORMALISER['ur']}`" in SCORING

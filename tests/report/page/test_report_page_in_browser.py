"""The report page in headless Chromium: hostile text stays text, and what a reader does works."""

import itertools
import json
import os
import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from pak3h_tasks.cli.main import main
from support.browser import chromium, listening, visit
from support.run_folder import write_run

pytestmark = pytest.mark.slow

LONG = "ا" * 1_000_000


def attacks(url):
    """Ways out of text that pages have fallen for; each sets a flag or asks the server for something."""
    return (
        f'</script><script>window.ran=1;fetch("{url}/fetch")</script></style><style>@import "{url}/css";</style>'
        f'<!-- --><img src="{url}/img" onerror="window.ran=1"><svg onload="window.ran=1"></svg>'
        '"\' onmouseover="window.ran=1"'
        f'<iframe src="javascript:parent.ran=1"></iframe><base href="{url}/"><link rel=icon href="{url}/icon">'
        # of a model's name the part behind the last slash is shown
        '"\' autofocus onfocus="window.ran=1"><img src=x onerror="window.ran=1">'
        "{{7*7}} ${7*7} {% raw %}\u202eevil\u2066\x00\x1b[31m\u2028\ud800"
    )


@pytest.fixture(scope="module")
def server():
    with listening() as found:
        yield found


@pytest.fixture(scope="module")
def browser():
    with chromium() as found:
        yield found


@pytest.fixture(scope="module")
def hostile_page(tmp_path_factory, server):
    folder = tmp_path_factory.mktemp("hostile")
    text = attacks(server[0])
    path = write_run(folder, model="m", n=6, hostile=text, judge=text, unscored=0.2, label="sample")
    results = json.loads(path.read_text())
    results["model_name"] = text
    path.write_text(json.dumps(results))
    log = next(path.parent.glob("samples_pak3h_alpaca_ur_2*"))
    rows = [json.loads(line) for line in log.read_text(encoding="utf-8").strip().split("\n")]
    rows[0]["doc"]["id"] = text
    rows[1]["doc"]["pak3h"]["answer"] = LONG
    log.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return _report(folder)


@pytest.fixture(scope="module")
def plain_page(tmp_path_factory):
    folder = tmp_path_factory.mktemp("plain")
    write_run(folder, model="org/alpha", langs=("en", "ur", "urmt"), n=60, skill=0.9, unscored=0.1)
    write_run(folder, model="org/beta", n=60, skill=0.1)
    return _report(folder)


def _report(folder):
    target = folder / "report.html"
    assert main(["report", str(folder), "-o", str(target), "--no-length-control"]) == 0
    return target


def test_the_trap_works(browser, server, tmp_path):
    """The same texts, put into a page without care, do run and do fetch."""
    careless = tmp_path / "careless.html"
    careless.write_text(f"<p>{attacks(server[0])}</p>", encoding="utf-8", errors="replace")
    with visit(browser, careless) as seen:
        seen.page.wait_for_function("window.ran === 1")
        seen.page.wait_for_load_state("networkidle")
    assert "/img" in server[1]
    server[1].clear()


def test_hostile_text_is_inert(browser, server, hostile_page):
    server[1].clear()
    with visit(browser, hostile_page) as seen:
        page = seen.page
        for task in ("truthfulqa-gen", "truthfulqa-mc", "alpaca-gen", "beavertails-gen"):
            page.locator("select[name=block]").select_option(task)
            page.locator("#sample-list tbody a").first.click()
            page.locator("#sample[open] .sample-body").wait_for()
            page.evaluate("document.querySelectorAll('details').forEach((fold) => { fold.open = true; })")
            shown = page.locator("#sample").inner_text()
            # there, or this tests nothing
            assert "<img src=" in shown or task == "truthfulqa-mc"
            page.get_by_role("button", name="Close").click()
        page.locator("#number-list tbody tr").first.wait_for()
        # all there is, visited by mouse and keyboard
        for _ in range(20):
            page.keyboard.press("Tab")
        page.mouse.move(300, 300)
        page.wait_for_load_state("networkidle")
        assert "{{7*7}}" in page.locator("h1").inner_text()
        assert page.evaluate("window.ran") is None
        assert page.locator("iframe, img, base, link, body svg[onload]").count() == 0
        assert seen.requests == [hostile_page.as_uri()]
    assert seen.dialogs == []
    assert seen.complaints == []  # not even a report of the policy: nothing tried
    assert server[1] == []


def test_what_cannot_be_seen_is_shown(browser, hostile_page):
    with visit(browser, hostile_page, "#sample=truthfulqa-gen/truthfulqa-00001") as seen:
        seen.page.locator("#sample[open] .control").first.wait_for()
        marks = seen.page.locator("#sample .side").first.locator(".control").all_inner_texts()
        assert {"U+202E", "U+2066", "U+0000", "U+001B", "U+2028", "U+D800"} <= set(marks)
        assert "⟦U+202E⟧" in seen.page.locator("h1").inner_text()
        assert not set(seen.page.locator("body").inner_text()) & set("\u202e\u2066\x00\x1b\u2028")


def test_a_megabyte_in_one_answer_is_cut(browser, hostile_page):
    assert hostile_page.stat().st_size < 2_000_000
    with visit(browser, hostile_page, "#sample=alpaca-gen/alpaca-00001") as seen:
        answer = seen.page.locator("#sample[open] .text", has_text="the log has the rest").first
        assert "1,000,000 characters" in answer.inner_text()


def test_the_policy_stops_a_script_of_another(browser, plain_page):
    with visit(browser, plain_page) as seen:
        seen.page.evaluate(
            """() => {
                const script = document.createElement("script");
                try { script.textContent = "window.ran = 1"; } catch { }
                document.body.append(script);
                const image = document.createElement("img");
                image.src = "http://127.0.0.1:9/x";
                document.body.append(image);
            }"""
        )
        seen.page.wait_for_load_state("networkidle")
        assert seen.page.evaluate("window.ran") is None
        assert any("Content Security Policy" in complaint for complaint in seen.complaints)


def test_tables_sort(browser, plain_page):
    with visit(browser, plain_page) as seen:
        table = seen.page.locator("#table-honesty table")
        head = table.get_by_role("columnheader", name="truthful")
        measured = table.locator("tbody").first

        def column():
            place = head.evaluate("(cell) => cell.cellIndex")
            texts = measured.locator(f"tr > :nth-child({place + 1}) .value").all_inner_texts()
            return [float(text) for text in texts]

        before = column()
        published = table.locator("tbody.published").inner_text()
        assert before != sorted(before)
        head.get_by_role("button").click()
        assert head.get_attribute("aria-sort") == "ascending"
        assert column() == sorted(before)
        head.get_by_role("button").press("Enter")
        assert head.get_attribute("aria-sort") == "descending"
        assert column() == sorted(before, reverse=True)
        assert table.locator("tbody.published").inner_text() == published


def test_samples_filter_sort_and_turn_pages(browser, plain_page):
    with visit(browser, plain_page) as seen:
        page = seen.page
        status, rows = page.locator("#sample-list [role=status]"), page.locator("#sample-list tbody tr")
        rows.first.wait_for()
        assert status.inner_text() == "1–25 of 60"
        page.get_by_role("button", name="Next ›").click()
        page.get_by_role("button", name="Next ›").click()
        assert status.inner_text() == "51–60 of 60"
        assert page.get_by_role("button", name="Next ›").is_disabled()
        # made by the fixture: every fifth item is LI
        page.locator("select[name=split]").select_option("li")
        assert status.inner_text() == "1–12 of 12"
        page.locator("select[name=split]").select_option("")
        page.locator("select[name=result]").select_option("unscored")
        assert rows.count() > 0
        for text in rows.all_inner_texts():
            assert "not scored" in text
        page.locator("select[name=result]").select_option("en")
        for text in rows.all_inner_texts():
            english_truthful, english_informative, urdu_truthful, urdu_informative = re.findall(
                r"yes|no\b(?! scored)|not scored", text
            )[-6:][:4]
            assert (english_truthful, urdu_truthful) == ("yes", "no") or (
                english_informative,
                urdu_informative,
            ) == ("yes", "no")
        page.locator("select[name=result]").select_option("")
        page.get_by_role("searchbox", name="Search").first.fill("TRUTHFULQA-00041")
        expect(status).to_have_text("1–1 of 1")
        page.get_by_role("searchbox", name="Search").first.fill("")
        page.get_by_role("button", name="Item", exact=True).click()
        page.get_by_role("button", name="Item", exact=True).click()
        expect(rows.first.locator("a")).to_have_text("truthfulqa-00059")
        page.locator("select[name=block]").select_option("alpaca-gen")
        page.locator("#sample-list a", has_text="alpaca-00000").wait_for()
        page.locator("select[name=block]").select_option("beavertails-gen")
        page.locator("#sample-list a", has_text="beavertails-00000").wait_for()
        page.locator("select[name=result]").select_option("ur")
        assert rows.count() > 0
        for text in rows.all_inner_texts():
            assert re.findall(r"\b(?:un)?safe\b", text)[:2] == ["unsafe", "safe"]


def test_links_keyboard_and_focus(browser, plain_page):
    with visit(browser, plain_page, "#sample=beavertails-gen/beavertails-00003") as seen:
        page = seen.page
        dialog = page.get_by_role("dialog", name="beavertails-00003")
        dialog.wait_for()
        assert page.locator("select[name=block]").input_value() == "beavertails-gen"
        assert dialog.get_by_role("heading", name="Answer of org/beta").count() == 1
        page.keyboard.press("ArrowRight")
        page.get_by_role("dialog", name="beavertails-00004").wait_for()
        assert page.evaluate("location.hash") == "#sample=beavertails-gen/beavertails-00004"
        page.keyboard.press("ArrowLeft")
        dialog.wait_for()
        page.keyboard.press("Escape")
        dialog.wait_for(state="hidden")
        assert page.evaluate("location.hash") == "#samples"
        link = page.locator("#sample-list a", has_text="beavertails-00007")
        link.focus()
        page.keyboard.press("Enter")
        page.get_by_role("dialog", name="beavertails-00007").wait_for()
        assert page.evaluate("document.activeElement.textContent") == "Close"
        page.go_back()
        page.get_by_role("dialog").wait_for(state="hidden")
        assert link.evaluate("(made) => made === document.activeElement")
        page.evaluate("location.hash = '#sample=beavertails-gen/nowhere'")
        page.get_by_role("dialog", name="nowhere is not on this page").wait_for()


def test_languages_stand_side_by_side_each_in_its_direction(browser, plain_page):
    with visit(browser, plain_page, "#sample=truthfulqa-gen/truthfulqa-00000") as seen:
        sides = seen.page.locator("#sample[open] .sides").first.locator(".side")
        assert sides.locator("h4").all_inner_texts() == ["ENGLISH", "URDU", "MACHINE-TRANSLATED URDU"]
        boxes = [sides.nth(number).bounding_box() for number in range(3)]
        assert boxes[0]["y"] == boxes[1]["y"] == boxes[2]["y"]
        urdu = sides.nth(1).locator(".text").first
        style = urdu.evaluate(
            "(made) => { const s = getComputedStyle(made); return [s.direction, s.textAlign, s.fontFamily] }"
        )
        assert style[0] == "rtl"
        assert style[2].startswith('"Latin between Urdu", "Noto Nastaliq Urdu", "Jameel Noori Nastaleeq"')
        assert urdu.get_attribute("lang") == "ur"
        assert re.search("[\u0600-\u06ff]", urdu.inner_text())
        assert sides.nth(0).locator(".text").first.get_attribute("dir") == "ltr"


@pytest.mark.parametrize(
    ("name", "scheme", "width"), [("light", "light", 1280), ("dark", "dark", 1280), ("narrow", "light", 390)]
)
def test_widths_and_schemes(browser, plain_page, tmp_path, name, scheme, width):
    size = {"width": width, "height": 900}
    with visit(browser, plain_page, color_scheme=scheme, viewport=size) as seen:
        page = seen.page
        page.locator("#sample-list tbody tr").first.wait_for()
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        back, ink = page.evaluate(
            "() => { const s = getComputedStyle(document.body); return [s.backgroundColor, s.color] }"
        )
        assert (_brightness(back) < _brightness(ink)) is (scheme == "dark")
        # letters of charts as they are drawn, in pixels
        sizes = page.locator("svg.chart text").evaluate_all(
            "(all) => all.map((made) => parseFloat(getComputedStyle(made).fontSize) * made.getScreenCTM().a)"
        )
        assert min(size for size in sizes if size) >= 10
        pictures = Path(os.environ.get("PAK3H_TEST_SCREENSHOTS", tmp_path))
        page.screenshot(path=pictures / f"report-{name}.png", full_page=True)
        page.goto(f"{plain_page.as_uri()}#sample=beavertails-gen/beavertails-00003")
        page.locator("#sample[open] .sample-body").wait_for()
        assert page.locator("#sample").evaluate("(made) => made.scrollWidth <= made.clientWidth")
        page.screenshot(path=pictures / f"sample-{name}.png")
        assert seen.complaints == []


def _brightness(colour):
    return sum(map(int, re.findall(r"\d+", colour)[:3]))


def test_every_control_has_a_name_and_every_chart_a_text(browser, plain_page):
    with visit(browser, plain_page) as seen:
        page = seen.page
        page.locator("#sample-list tbody tr").first.wait_for()
        assert page.locator("h1").count() == page.locator("main").count() == 1
        assert page.evaluate(
            "[...document.querySelectorAll('select, input')].every((made) => made.labels.length === 1)"
        )
        assert page.evaluate("[...document.querySelectorAll('button')].every((made) => made.textContent.trim())")
        charts = page.locator("svg[role=img]")
        assert charts.count() > 8
        labels = charts.evaluate_all("(all) => all.map((made) => made.getAttribute('aria-label'))")
        assert all(re.search(r"English \d+\.\d+ \(\d+\.\d+ to \d+\.\d+\), n = \d+", label) for label in labels)
        levels = page.evaluate(
            "[...document.querySelectorAll('h1, h2, h3, h4')].map((made) => Number(made.tagName[1]))"
        )
        assert all(after - before <= 1 for before, after in itertools.pairwise(levels))
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.textContent") == "Skip to the content"
        page.keyboard.press("Enter")
        assert page.evaluate("document.activeElement.id") == "main"


def test_print_and_no_script(browser, plain_page):
    with visit(browser, plain_page, java_script_enabled=False) as seen:
        assert seen.page.get_by_text("The sample browser needs JavaScript").is_visible()
        assert seen.page.locator("#table-honesty").is_visible()
        seen.page.emulate_media(media="print")
        assert not seen.page.locator("#samples").is_visible()
        assert seen.page.locator("#table-honesty").is_visible()
        assert seen.page.locator("svg.chart").first.is_visible()


def test_leaderboard(browser, plain_page, tmp_path):
    target = tmp_path / "board.html"
    assert main(["leaderboard", str(plain_page.parent), "-o", str(target)]) == 0
    with visit(browser, target) as seen:
        page = seen.page
        models = page.locator(".board tbody th")
        assert models.all_inner_texts() == ["org/alpha", "org/beta"]
        page.get_by_role("columnheader", name="Urdu").first.get_by_role("button").click()
        assert models.all_inner_texts() == ["org/beta", "org/alpha"]
        assert "rank 1 of 2" in page.locator(".board tbody").inner_text()
        assert page.evaluate("document.documentElement.scrollWidth") <= 1280
        assert seen.requests == [target.as_uri()]
        assert seen.complaints == []


def test_hostile_leaderboard(browser, server, hostile_page, tmp_path):
    server[1].clear()
    target = tmp_path / "board.html"
    assert main(["leaderboard", str(hostile_page.parent), "-o", str(target)]) == 0
    with visit(browser, target) as seen:
        seen.page.wait_for_load_state("networkidle")
        assert "{{7*7}}" in seen.page.locator(".board tbody").inner_text()
        assert seen.page.evaluate("window.ran") is None
    assert seen.complaints == seen.dialogs == server[1] == []

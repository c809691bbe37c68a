"""The page in a real browser."""

import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qs, quote, urlsplit

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from benchmarks.screenshots import ARGUMENTS, CHROMIUM
from saligned.web.app import STATIC, create_app
from tests.web.scripted import scripted_solver
from tests.web.servers import Served, serving

PROBLEM = "一根绳子长80米，用去它的1/4，又剪下15米，还剩多少米？"
STEPS = 10


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    if not Path(CHROMIUM).exists():
        pytest.fail("these tests need a browser: apt-get install chromium fonts-wqy-zenhei (`make browser` does it)")
    with sync_playwright() as driver:
        chromium = driver.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield chromium
        chromium.close()


@pytest.fixture
def page(browser: Browser, served: Served) -> Iterator[Page]:
    """A page that fails the test when a script fails or another host is asked."""
    context = browser.new_context(base_url=served.url, locale="zh-CN", viewport={"width": 1200, "height": 900})
    page = context.new_page()
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("console", lambda message: faults.append(message.text) if "Content Security" in message.text else None)
    page.on("request", lambda request: None if request.url.startswith(served.url) else faults.append(request.url))
    yield page
    context.close()
    assert faults == []


def open_problem(page: Page, text: str = PROBLEM, extra: str = "") -> None:
    page.goto(f"/?q={quote(text)}{extra}")
    expect(page.locator("#result")).to_be_visible()


def test_enter_solves(page: Page) -> None:
    page.goto("/")
    page.get_by_label("写一道应用题").fill(PROBLEM)
    page.keyboard.press("Enter")
    expect(page.locator("#answer")).to_have_text("45米")
    assert page.locator("#equations math mfrac").count() == 1
    assert page.locator("#reading").inner_text() == PROBLEM
    assert page.locator("#reading .quantity").all_inner_texts() == ["80", "1/4", "15"]
    assert page.locator("#alternatives li").count() == 4
    expect(page.locator("#explanation li").last).to_contain_text("45米")
    assert parse_qs(urlsplit(page.url).query)["q"] == [PROBLEM]


def test_shift_enter_begins_a_line(page: Page) -> None:
    page.goto("/")
    page.locator("#problem").fill("有5个")
    page.keyboard.press("Shift+Enter")
    assert page.locator("#problem").input_value() == "有5个\n"
    expect(page.locator("#result")).to_be_hidden()


def test_an_example_solves_and_back_returns(page: Page) -> None:
    page.goto("/")
    page.locator("#examples button").first.click()
    expect(page.locator("#result")).to_be_visible()
    first = page.locator("#problem").input_value()
    page.locator("#problem").fill(PROBLEM)
    page.keyboard.press("Enter")
    expect(page.locator("#answer")).to_have_text("45米")
    page.go_back()
    expect(page.locator("#problem")).to_have_value(first)
    expect(page.locator("#reading")).to_have_text(first)


def test_stepping_by_buttons_keys_and_scrubber(page: Page) -> None:
    open_problem(page)
    position, back, forward = page.locator("#position"), page.locator("#back"), page.locator("#forward")
    expect(position).to_have_text(f"1 / {STEPS}")
    expect(back).to_be_disabled()
    forward.click()
    forward.click()
    expect(position).to_have_text(f"3 / {STEPS}")
    expect(page.locator("#stack .block:not(.ghost)")).to_have_count(2)
    expect(page.locator("#reading .chosen")).to_have_text("80")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    expect(page.locator("#stack .block:not(.ghost)")).to_have_count(4)
    page.keyboard.press("ArrowRight")  # 1 − 1/4 becomes one block
    expect(page.locator("#stack .block:not(.ghost)")).to_have_count(3)
    expect(page.locator("#stack .block:not(.ghost)").last).to_contain_text("= 0.75")
    page.keyboard.press("ArrowLeft")
    expect(page.locator("#stack .block:not(.ghost)")).to_have_count(4)
    page.locator("#scrubber").focus()
    page.keyboard.press("End")
    expect(position).to_have_text(f"{STEPS} / {STEPS}")
    expect(page.locator("#stack .finished math")).to_have_count(1)
    expect(forward).to_be_disabled()
    assert page.locator("#choices .taken").count() == 1
    assert page.locator("#gates .bar").count() == 6


def test_words_are_lit_by_attention(page: Page) -> None:
    open_problem(page)
    lit = "spans => spans.map(span => Number(span.style.getPropertyValue('--lit')))"
    weights = page.locator("#reading span").evaluate_all(lit)
    assert max(weights) > 0.5
    assert min(weights) < 0.05


def test_play_runs_to_the_end_and_stops(page: Page) -> None:
    page.clock.install()
    open_problem(page)
    page.get_by_role("button", name="播放").click()
    expect(page.get_by_role("button", name="暂停")).to_be_visible()
    page.clock.run_for(1500 * STEPS)
    expect(page.locator("#position")).to_have_text(f"{STEPS} / {STEPS}")
    expect(page.get_by_role("button", name="播放")).to_be_visible()


@pytest.mark.parametrize("width", [360, 1200])
def test_nothing_moves_when_stepping(page: Page, width: int) -> None:
    page.emulate_media(reduced_motion="reduce")
    page.set_viewport_size({"width": width, "height": 800})
    open_problem(page)
    places = """() => ["reading", "scrubber", "stack", "choices", "gates", "others", "explanation"].map(
        id => document.getElementById(id).getBoundingClientRect()).map(box => [box.top, box.height])"""
    page.locator("#play").focus()
    start = page.evaluate(places)
    for _ in range(STEPS - 1):
        page.keyboard.press("ArrowRight")
        assert page.evaluate(places) == start


def test_switching_the_language_keeps_the_step(page: Page) -> None:
    open_problem(page)
    page.locator("#forward").click()
    page.get_by_text("English").click()
    expect(page.locator("#explanation li").last).to_contain_text("Answer: 45")
    expect(page.get_by_role("button", name="Solve")).to_be_visible()
    expect(page.locator("#position")).to_have_text(f"2 / {STEPS}")
    assert parse_qs(urlsplit(page.url).query)["lang"] == ["en"]
    assert page.locator("html").get_attribute("lang") == "en"


def test_switching_the_model_solves_again_and_is_in_the_link(page: Page) -> None:
    open_problem(page)
    with page.expect_response("**/api/solve") as answer:
        page.locator("#model").select_option("second")
    assert answer.value.json()["model"] == "second"
    expect(page).to_have_url(re.compile("model=second"))
    with page.expect_response("**/api/solve") as answer:
        page.reload()
    assert answer.value.json()["model"] == "second"
    expect(page.locator("#model")).to_have_value("second")


@pytest.mark.parametrize("text", ["", "有5\u0007个", "五" * 2001])
def test_a_bad_text_is_explained(page: Page, text: str) -> None:
    page.goto("/?lang=en")
    page.locator("#problem").fill(text)
    page.get_by_role("button", name="Solve").click()
    expect(page.get_by_role("alert")).to_be_visible()
    assert page.get_by_role("alert").inner_text()
    expect(page.locator("#result")).to_be_hidden()
    page.locator("#problem").fill(PROBLEM)
    page.keyboard.press("Enter")
    expect(page.locator("#result")).to_be_visible()
    assert page.get_by_role("alert").inner_text() == ""


def test_a_text_without_numbers_has_no_answer(page: Page) -> None:
    page.goto(f"/?q={quote('今天天气怎么样？')}&lang=zh")
    expect(page.locator("#answer")).to_have_text("没有解出来")
    expect(page.locator("#explanation li").first).to_contain_text("没有数量")


@pytest.mark.parametrize(
    "text",
    [
        "<img src=x onerror=alert(1)>有5个，拿走3个",
        "<script>alert(1)</script>有5个</p></math><b>3个",
        '&lt;b&gt;5个" onmouseover=alert(1) 𝟜🍎7个',
    ],
)
def test_markup_in_a_problem_is_text(page: Page, text: str) -> None:
    page.on("dialog", lambda dialog: pytest.fail(dialog.message))
    open_problem(page, text, "&lang=en")
    assert page.locator("#reading").inner_text() == text
    assert page.locator("main img, main script, #reading b").count() == 0


def test_phone_width_has_no_horizontal_scroll(page: Page) -> None:
    page.set_viewport_size({"width": 360, "height": 740})
    for address in ("/", f"/?q={quote(PROBLEM)}&lang=en", "/docs"):
        page.goto(address, wait_until="networkidle")
        assert page.evaluate("document.documentElement.scrollWidth") == 360
    open_problem(page)
    inside = """() => [...document.querySelectorAll("button, select, textarea, output, .bar, .block")].every(
        node => { const box = node.getBoundingClientRect(); return box.left >= 0 && box.right <= 360; })"""
    assert page.evaluate(inside)
    assert page.evaluate("(field => field.scrollHeight <= field.clientHeight + 1)(document.getElementById('problem'))")


def test_keyboard_alone_reaches_the_player_with_visible_focus(page: Page) -> None:
    open_problem(page)
    page.locator("#problem").focus()
    seen = []
    for _ in range(8):
        page.keyboard.press("Tab")
        seen.append(page.evaluate("document.activeElement.id"))
        if seen[-1] == "forward":
            break
    assert seen[-1] == "forward", seen
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    page.keyboard.press("Enter")
    expect(page.locator("#position")).to_have_text(f"2 / {STEPS}")


def test_the_page_is_small_and_quick(page: Page) -> None:
    assert sum(path.stat().st_size for path in STATIC.iterdir()) < 200_000
    page.goto("/")
    page.wait_for_selector("html[data-ready]")
    assert page.evaluate("performance.now()") < 5000  # 1 s on an idle machine


def test_the_api_description_is_drawn_here(page: Page) -> None:
    page.goto("/docs")
    expect(page.get_by_role("heading", name="POST /api/solve/batch")).to_be_visible()


def test_a_key_can_be_entered(browser: Browser) -> None:
    with serving(create_app([scripted_solver()], key="secret")) as served:
        page = browser.new_page(base_url=served.url, locale="en")
        page.goto(f"/?q={quote(PROBLEM)}")
        page.get_by_label("This server needs an API key").fill("secret")
        page.keyboard.press("Enter")
        expect(page.locator("#answer")).to_contain_text("45")
        page.close()

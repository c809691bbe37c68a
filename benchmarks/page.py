"""How soon the page can be used, what it weighs, and whether it jumps while stepping: `make page`.

Prints one JSON object, medians over several loads in Debian's Chromium, each with an empty cache.
"""

import json
from statistics import median
from typing import Any
from urllib.parse import quote

from playwright.sync_api import Browser, Page, sync_playwright

from benchmarks.screenshots import ARGUMENTS, CHROMIUM, DESKTOP, open_page, server
from saligned.examples import EXAMPLES

LOADS = 7
WATCH_READY = """
new MutationObserver(() => {
  if (document.documentElement?.dataset.ready !== undefined) window.readyAt ??= performance.now();
}).observe(document, { attributes: true, childList: true, subtree: true });
"""
WEIGHT = """() => performance.getEntriesByType("resource")
  .concat(performance.getEntriesByType("navigation"))
  .reduce((sum, entry) => sum + entry.transferSize, 0)"""
WATCH_SHIFTS = """() => {
  window.shift = 0;
  new PerformanceObserver((list) => list.getEntries().forEach((entry) => { window.shift += entry.value; }))
    .observe({ type: "layout-shift", buffered: false });
}"""


def load(browser: Browser, address: str) -> dict[str, float]:
    """One visit with an empty cache: milliseconds until the page reacts, and its bytes."""
    page = browser.new_context(viewport=DESKTOP).new_page()
    page.add_init_script(WATCH_READY)
    page.goto(address, wait_until="networkidle")
    figures = {"ready": page.evaluate("window.readyAt"), "bytes": page.evaluate(WEIGHT)}
    page.context.close()
    return figures


def layout_shift(page: Page) -> float:
    """The layout shift of a walk through all steps, as Chromium counts it."""
    page.evaluate(WATCH_SHIFTS)
    page.locator("#play").focus()
    for _ in range(int(page.locator("#scrubber").get_attribute("max") or 1)):
        page.keyboard.press("ArrowRight")
        page.wait_for_timeout(120)
    return float(page.evaluate("window.shift"))


def main() -> None:
    """Serve, visit, print."""
    with server() as address, sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        visits = [load(browser, address) for _ in range(LOADS)]
        shift = layout_shift(open_page(browser, f"{address}/?q={quote(EXAMPLES[0])}"))
        browser.close()
    result: dict[str, Any] = {
        "ready_ms": round(median(visit["ready"] for visit in visits), 1),
        "ready_max_ms": round(max(visit["ready"] for visit in visits), 1),
        "kilobytes": round(median(visit["bytes"] for visit in visits) / 1000, 1),
        "layout_shift_while_stepping": round(shift, 4),
    }
    print(json.dumps(result, indent=1))


if __name__ == "__main__":
    main()

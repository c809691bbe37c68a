"""Screenshots of the page for the documentation: `make screenshots`.

They are taken in Debian's Chromium from a server that this script starts; every file stays below 200 kB.
"""

import argparse
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

from playwright.sync_api import Browser, Page, sync_playwright

from saligned.examples import EXAMPLES

CHROMIUM = "/usr/bin/chromium"
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]
DESKTOP, PHONE = {"width": 1120, "height": 800}, {"width": 360, "height": 780}


@contextmanager
def server() -> Iterator[str]:
    """The address of a server that lives as long as the block."""
    command = [str(Path(sys.executable).with_name("saligned")), "serve", "--port", "0"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        yield process.stdout.readline().split()[3]
    finally:
        process.terminate()
        process.wait(40)


def open_page(browser: Browser, address: str, *, dark: bool = False, phone: bool = False) -> Page:
    """A page that has finished its first solution, if the address holds a problem."""
    context = browser.new_context(
        viewport=PHONE if phone else DESKTOP,
        color_scheme="dark" if dark else "light",
        locale="zh-CN",
        reduced_motion="reduce",
    )
    page = context.new_page()
    page.goto(address)
    page.wait_for_selector("html[data-ready]")
    if "?q=" in address:
        page.wait_for_selector("#result:not([hidden]):not([aria-busy]), #fault:not(:empty)")
    return page


def step_to(page: Page, share: float) -> None:
    """Walk to a share of the steps with the keyboard."""
    page.locator("#play").focus()
    steps = int(page.locator("#scrubber").get_attribute("max") or 1)
    for _ in range(int((steps - 1) * share)):
        page.keyboard.press("ArrowRight")
    page.wait_for_timeout(400)


def take(address: str, out: Path) -> None:
    """All pictures."""
    problem = f"{address}/?q={quote(EXAMPLES[0])}"
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        shots = {
            "start": (address, {}, 0),
            "light": (f"{problem}&lang=zh", {}, 0.7),
            "dark": (f"{problem}&lang=en", {"dark": True}, 0.5),
            "phone": (f"{problem}&lang=zh", {"phone": True}, 0.5),
            "error": (f"{address}/?q=%07&lang=en", {}, 0),
            "docs": (f"{address}/docs", {}, None),
        }
        for name, (target, options, share) in shots.items():
            if share is None:
                page = browser.new_context(viewport=DESKTOP).new_page()
                page.goto(target, wait_until="networkidle")
            else:
                page = open_page(browser, target, **options)
                if share:
                    step_to(page, share)
            path = out / f"{name}.png"
            page.screenshot(path=path, full_page=name in {"light", "dark", "phone"})
            print(f"{path}: {path.stat().st_size / 1e3:.0f} kB")
        browser.close()


def main() -> None:
    """Parse, serve, take."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("docs/screenshots"))
    parser.add_argument("--address", help="a server that already runs")
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    if arguments.address:
        take(arguments.address, arguments.out)
        return
    with server() as address:
        take(address, arguments.out)


if __name__ == "__main__":
    main()

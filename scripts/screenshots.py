"""Pictures of the page with the English model, for the documentation: python scripts/screenshots.py [--out docs].

Starts the service and a headless chromium, and writes one PNG for each entry of SHOTS.  With ``--address`` a
service that runs already is looked at; ``--only NAME`` takes one picture.
"""

import argparse
import contextlib
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

MOST_BYTES = 400_000
SENTENCE = "When the rain stopped, the children ran into the garden."
POINT = (
    "document.querySelector('.node[data-id^=\"VP\"]')"
    ".dispatchEvent(new PointerEvent('pointerenter', {pointerType: 'mouse'}))"
)


@dataclass(frozen=True, slots=True)
class Shot:
    """One picture: its file, what stands in the address, the window, the theme, and a script to run first."""

    name: str
    hash: dict[str, str]
    width: int = 1280
    height: int = 1080
    scheme: str = "light"
    script: str = POINT


SHOTS = (
    Shot("web", {"text": SENTENCE}),
    Shot("web-phone", {"text": SENTENCE}, width=390, height=840, scheme="dark", script=""),
)


@contextlib.contextmanager
def served(address: str | None) -> Iterator[str]:
    """The address of a service of the English model."""
    if address:
        yield address
        return
    command = [sys.executable, "-m", "eigenparse", "serve", "en", "--port", "0", "--quiet"]
    child = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    assert child.stderr is not None
    said, found = "", None
    while found is None:  # a first use says that it compiles before it says where it listens
        line = child.stderr.readline()
        if not line:
            raise SystemExit(said)
        said, found = said + line, re.search(r"http://\S+:\d+", line)
    try:
        yield found[0]
    finally:
        child.terminate()
        child.wait()


@contextlib.contextmanager
def browser() -> Iterator[Any]:
    """A headless chromium."""
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium") or ""
    for flag in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--hide-scrollbars"):
        options.add_argument(flag)
    started = webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))
    try:
        yield started
    finally:
        started.quit()


def take(driver: Any, address: str, shot: Shot, out: Path) -> Path:
    """Open the page as the entry says, wait until it has drawn, and write the picture."""
    size = {"width": shot.width, "height": shot.height, "deviceScaleFactor": 1, "mobile": shot.width < 500}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    theme = [{"name": "prefers-color-scheme", "value": shot.scheme}]
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": theme})
    driver.get("about:blank")
    driver.get(f"{address}/#{urlencode(shot.hash)}")
    end = time.monotonic() + 60
    while not driver.find_elements("css selector", ".node"):
        if time.monotonic() > end:
            raise SystemExit(f"{shot.name}: the page has drawn nothing after a minute")
        time.sleep(0.1)
    driver.execute_script(shot.script)
    time.sleep(2.0)  # typical words arrive, bars have grown
    path = out / f"{shot.name}.png"
    path.write_bytes(driver.get_screenshot_as_png())
    return path


def main() -> None:
    """Take the pictures and say how large they are."""
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--out", type=Path, default=Path(__file__).parent.parent / "docs")
    options.add_argument("--address", help="http://host:port of a service that runs already")
    options.add_argument("--only", choices=[shot.name for shot in SHOTS])
    chosen = options.parse_args()
    with served(chosen.address) as address, browser() as driver:
        for shot in SHOTS:
            if chosen.only in (None, shot.name):
                path = take(driver, address, shot, chosen.out)
                size = path.stat().st_size
                print(f"{path.name}: {size} bytes")
                if size > MOST_BYTES:
                    raise SystemExit(
                        f"{path.name} is larger than {MOST_BYTES} bytes; make its window smaller"
                    )


if __name__ == "__main__":
    main()

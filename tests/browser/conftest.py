"""A real browser looking at a real server; skipped visibly where there is no chromium."""

import json
import os
import pathlib
import shutil
from collections.abc import Iterator

import pytest
from tests.api.small import english
from tests.browser.page import Page
from tests.serve.clients import Process, running

BROWSERS = ("chromium", "chromium-browser", "google-chrome")


@pytest.fixture(scope="session")
def programs() -> tuple[str, str]:
    """Where the browser and its driver are."""
    browser = os.environ.get("EIGENPARSE_CHROMIUM") or next(filter(None, map(shutil.which, BROWSERS)), None)
    driver = shutil.which("chromedriver")
    if browser is None or driver is None:
        pytest.skip("no chromium with chromedriver here; install Debian's chromium and chromium-driver")
    return browser, driver


@pytest.fixture(scope="session")
def server(programs: tuple[str, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Process]:
    """The service of the small grammar."""
    path = tmp_path_factory.mktemp("served") / "small.model"
    english().save(path)
    with running(path, "--quiet") as found:
        yield found


@pytest.fixture(scope="session")
def window(
    programs: tuple[str, str], server: Process, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Page]:
    """One browser for all tests."""
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    folder = tmp_path_factory.mktemp("downloads")
    options = webdriver.ChromeOptions()
    options.binary_location = programs[0]
    for flag in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--window-size=1300,1000"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    options.add_experimental_option("prefs", {"download.default_directory": str(folder)})
    started = webdriver.Chrome(options=options, service=Service(programs[1]))
    try:
        yield Page(started, server.address, folder)
    finally:
        started.quit()


@pytest.fixture
def page(window: Page) -> Iterator[Page]:
    """The page, freshly loaded; afterwards nothing was asked of another host and nothing was complained of."""
    window.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    window.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
    window.driver.get("about:blank")
    window.driver.get_log("browser")
    window.driver.get_log("performance")
    window.open()
    yield window
    complaints = [line for line in window.driver.get_log("browser") if line["message"] not in window.expected]
    window.expected.clear()
    assert complaints == []
    asked = [json.loads(line["message"])["message"] for line in window.driver.get_log("performance")]
    urls = {one["params"]["request"]["url"] for one in asked if one["method"] == "Network.requestWillBeSent"}
    assert [u for u in urls if not u.startswith((window.address, "data:", "blob:", "about:"))] == []
    for path in pathlib.Path(window.folder).iterdir():
        path.unlink()

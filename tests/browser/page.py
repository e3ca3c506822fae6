"""What a user does with the page, in words."""

import os
import pathlib
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

T = TypeVar("T")
PATIENCE = 90.0  # seconds; other work may be going on


def flat(brackets: str) -> str:
    """Brackets on one line, without the root that the page leaves out."""
    line = " ".join(brackets.split())
    return line.removeprefix("(TOP ")[:-1] if line.startswith("(TOP ") else line


@dataclass(frozen=True, slots=True)
class Page:
    """A browser, the address of the service and the folder of downloads; expected: messages not to count."""

    driver: Any
    address: str
    folder: pathlib.Path
    expected: list[str] = field(default_factory=list)

    def open(self, path: str = "/") -> None:
        """Load a page and wait for its first drawing."""
        self.driver.get(self.address + path)
        self.until(lambda: self.all(".node") if path == "/" else self.all("section.card"))

    def all(self, selector: str) -> list[Any]:
        """Every element of a selector."""
        found: list[Any] = self.driver.find_elements("css selector", selector)
        return found

    def one(self, selector: str) -> Any:
        """The element of a selector."""
        return self.driver.find_element("css selector", selector)

    def text(self, selector: str) -> str:
        """The text of an element as it stands in the page."""
        return str(self.one(selector).get_attribute("textContent"))

    def until(self, wanted: Callable[[], T]) -> T:
        """Wait for something; elements that were redrawn meanwhile are looked for again."""
        from selenium.common.exceptions import StaleElementReferenceException

        end = time.monotonic() + PATIENCE
        while True:
            try:
                if found := wanted():
                    return found
            except StaleElementReferenceException:
                pass
            assert time.monotonic() < end, "waited in vain"
            time.sleep(0.03)

    def ask(self, sentence: str) -> None:
        """Type a sentence, press Enter and wait for the answer."""
        self.fill(sentence)
        self.one("#text").send_keys("\n")
        self.until(lambda: self.idle() and self.text("#brackets").count("(") and self.told(sentence))

    def told(self, sentence: str) -> bool:
        """Whether the drawing shows this sentence."""
        shown = sentence if len(sentence) <= 120 else f"{sentence[:119]}…"
        return bool(self.one("#tree svg").get_attribute("aria-label") == f"Tree of: {shown}")

    def idle(self) -> bool:
        """Whether no answer is waited for."""
        return self.one("#go").get_attribute("disabled") is None

    def fill(self, text: str) -> None:
        """Put text into the field."""
        self.driver.execute_script(
            "const f = document.getElementById('text'); f.value = arguments[0];"
            "f.dispatchEvent(new Event('input'))",
            text,
        )

    def read(self, script: str, *values: Any) -> Any:
        """What an expression of JavaScript gives."""
        return self.driver.execute_script(f"return {script}", *values)

    def scheme(self, name: str) -> None:
        """Prefer light or dark colours."""
        features = [{"name": "prefers-color-scheme", "value": name}]
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})

    def press(self, *keys: str) -> None:
        """Press keys where the focus is."""
        self.driver.switch_to.active_element.send_keys(*keys)

    def node(self, label: str, start: int, end: int) -> Any:
        """A node of the tree."""
        return self.until(lambda: self.all(f'.node[data-id="{label}:{start}:{end}:1"]'))[0]

    def labels(self) -> list[str]:
        """Ids of all nodes drawn."""
        return [str(one.get_attribute("data-id")) for one in self.all(".node")]

    def hover(self, element: Any) -> None:
        """Point at an element."""
        from selenium.webdriver.common.action_chains import ActionChains

        self.driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", element)
        ActionChains(self.driver).move_to_element(element).perform()

    def choose(self, element: Any, wish: str) -> None:
        """Click a node or cell and choose from its menu."""
        self.hover(element)
        element.click()
        buttons = self.until(lambda: self.all("#menu:not([hidden]) button"))
        next(one for one in buttons if one.text.startswith(wish)).click()

    def saved(self, button: str, name: str) -> bytes:
        """Click a button and wait for the file it saves."""
        self.one(button).click()
        path = self.folder / name
        self.until(lambda: path.exists() and path.stat().st_size > 0)
        return path.read_bytes()

    def wide(self, width: int, height: int, *, mobile: bool = False) -> None:
        """Change the size of the window."""
        self.driver.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride",
            {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": mobile},
        )
        time.sleep(0.4)  # the page redraws after a pause

    def violations(self) -> list[str]:
        """Serious accessibility problems that axe-core finds."""
        import axe_core_python

        packed = pathlib.Path(axe_core_python.__file__).parent / "axe.min.js"
        script = pathlib.Path(os.environ.get("EIGENPARSE_AXE", packed))  # a newer one may be named
        self.driver.execute_script(script.read_text("utf-8"))
        found = self.driver.execute_async_script(
            "axe.run().then((r) => arguments[0](r.violations), (e) => arguments[0](String(e)))"
        )
        assert isinstance(found, list), found
        return [
            f"{one['id']}: {one['nodes'][0]['html'][:200]} ({one['nodes'][0].get('failureSummary', '')[:300]})"
            for one in found
            if one["impact"] in ("serious", "critical")
        ]

"""Long sentences, several sentences, the list of trees, names of labels, and waiting, in a real browser."""

import json
import os
import signal
import urllib.request

import pytest
from tests.api.small import english
from tests.browser.page import Page
from tests.serve.clients import SENTENCE, Process, children, until

LONG = " ".join([SENTENCE[:-2]] * 5) + " ."
SMALLEST = """Math.min(...[...document.querySelectorAll('svg:not(.far) text')].filter((one) => one.closest('#result'))
    .map((one) => parseFloat(getComputedStyle(one).fontSize) * one.ownerSVGElement.getScreenCTM().a))"""


def width(page: Page) -> float:
    return float(page.read("document.querySelector('#tree svg').getBoundingClientRect().width"))


@pytest.mark.parametrize("size", [(1280, False), (390, True)])
def test_long_sentences_can_be_read_and_moved(page: Page, size: tuple[int, bool]) -> None:
    page.wide(size[0], 900, mobile=size[1])
    page.open()
    page.ask(LONG)
    assert page.read(SMALLEST) >= 10.95
    before = width(page)
    assert page.read("document.documentElement.scrollWidth") <= size[0]
    page.one("#tree").send_keys("+")
    assert width(page) == pytest.approx(1.25 * before, rel=0.02)
    page.one("#tree").send_keys("0")
    room = page.read("document.getElementById('tree').clientWidth")
    assert width(page) <= room
    assert page.read(SMALLEST) >= 10.95  # labels that would be smaller are not drawn
    page.one('.zoom button[aria-label^="Zoom in"]').click()
    assert width(page) > room or size[1]
    page.one("#tree").send_keys("t")
    rows = page.read("[...document.querySelectorAll('.node')].map((n) => n.getBoundingClientRect().y)")
    assert (len(set(rows)) < 30) == size[1]  # the phone began with words below each other
    assert page.read(SMALLEST) >= 10.95


def test_a_tree_is_dragged_with_the_mouse(page: Page) -> None:
    from selenium.webdriver.common.action_chains import ActionChains

    page.ask(LONG)
    box = page.one("#tree")
    page.driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", box)
    assert page.read("arguments[0].scrollWidth > arguments[0].clientWidth", box)
    ActionChains(page.driver).move_to_element_with_offset(box, -60, -20).click_and_hold().move_by_offset(
        -150, 0
    ).release().perform()
    assert page.read("arguments[0].scrollLeft", box) == pytest.approx(150, abs=3)


def test_two_fingers_make_a_tree_larger(page: Page) -> None:
    page.wide(390, 800, mobile=True)
    page.open()
    page.ask(SENTENCE)
    box = page.one("#tree")
    page.driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", box)
    at = box.rect
    x, y = at["x"] + 150, 400
    before = width(page)
    for kind, apart in (("touchStart", 30), ("touchMove", 45), ("touchMove", 60), ("touchEnd", None)):
        points = [] if apart is None else [{"x": x - apart, "y": y}, {"x": x + apart, "y": y}]
        page.driver.execute_cdp_cmd("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
    assert width(page) == pytest.approx(2 * before, rel=0.1)


def test_trees_are_in_order_of_probability_and_bars_agree(page: Page) -> None:
    page.ask(SENTENCE)

    def seen() -> list[tuple[float, float, int]]:
        return [
            (
                page.read("parseFloat(arguments[0].querySelector('.fill').style.width)", one),
                float(one.find_elements("css selector", ".num")[1].text.strip("<% ").replace(",", "")),
                int(one.get_attribute("data-tree")),
            )
            for one in page.all("#kbest li > button")
        ]

    rows = seen()
    assert [p for _, p, _ in rows] == sorted((p for _, p, _ in rows), reverse=True)
    for bar, share, _ in rows:
        assert bar == pytest.approx(share, abs=0.06)
    trees = english().kbest(SENTENCE, 20)
    shapes = [tuple((b.label, b.start, b.end) for b in tree.brackets) for tree in trees]
    assert len({shapes[i] for _, _, i in rows}) == len(rows)  # a tag alone makes no entry of its own
    page.driver.execute_script(
        "const o = document.getElementById('order'); o.value = 'f'; o.dispatchEvent(new Event('change'))"
    )
    places = [i for _, _, i in seen()]
    assert places[0] == 0
    assert places == sorted(places)


def test_labels_have_names_and_examples(page: Page) -> None:
    page.ask(SENTENCE)
    page.hover(page.node("PP", 5, 8))
    page.until(lambda: "prepositional phrase" in page.text("#node .meaning"))
    assert "in the park" in page.text("#node .meaning")
    page.all('.node[data-id="tag:1"]')[0].click()
    page.until(lambda: "noun, singular" in page.text("#menu .meaning"))
    assert "determiner" in page.text("#arcs title:nth-of-type(1)") or "determiner" in page.text("#arcs svg")


def test_another_language_is_noticed(page: Page) -> None:
    page.ask(SENTENCE)
    assert not page.one("#notice").is_displayed()
    page.ask("Гражданин открыл ящик ключом .")
    page.until(lambda: page.one("#notice").is_displayed())
    assert "does not know 100 % of these words and 100 % of their letters" in page.text("#notice")


def test_brackets_are_words_like_others(page: Page) -> None:
    page.ask("the woman ( a key ) slept .")
    words = [one.text for one in page.all("#brackets b")]
    assert words == ["the", "woman", "(", "a", "key", ")", "slept", "."]
    assert "(" in [one.text for one in page.all("#tree text")]


@pytest.mark.parametrize(("lines", "n"), [(False, 3), (True, 2)])
def test_several_sentences_are_listed(page: Page, lines: bool, n: int) -> None:
    page.fill("The woman slept. The men saw\na dog. The girl slept.")
    if lines:
        page.one("#lines").click()
    else:
        page.one("#go").click()
    page.until(lambda: page.idle() and len(page.all("#sentences button")) == n)
    page.until(lambda: not any(one.text for one in page.all("#sentences .sign")))
    page.all("#sentences button")[-1].click()
    last = "a dog . The girl slept ." if lines else "The girl slept ."
    page.until(lambda: page.told(last))
    assert page.one("#sentences [aria-current]").text.startswith(str(n))


def under_way(server: Process) -> int:
    with urllib.request.urlopen(f"{server.address}/health", timeout=120) as answer:
        return int(json.load(answer)["under_way"])


@pytest.mark.parametrize("way", ["button", "key"])
def test_waiting_is_shown_and_can_be_ended(page: Page, server: Process, way: str) -> None:
    from selenium.webdriver.common.keys import Keys

    page.ask(SENTENCE)
    [nursery] = children(server.child.pid)
    pids = children(nursery)
    for pid in pids:
        os.kill(pid, signal.SIGSTOP)  # as in a sentence that takes very long
    page.fill("The woman slept.")
    page.one("#go").click()
    page.until(lambda: page.one("#progress").is_displayed() and page.text("#waiting").startswith("Parsing: "))
    assert under_way(server) == 1
    if way == "button":
        page.one("#cancel").click()
    else:
        page.press(Keys.ESCAPE)
    page.until(lambda: page.text("#message") == "Cancelled.")
    assert not page.one("#progress").is_displayed()
    until(lambda: under_way(server) == 0, 30)
    until(lambda: bool(set(pids) - set(children(nursery))))  # the worker is ended
    for pid in set(pids) & set(children(nursery)):
        os.kill(pid, signal.SIGCONT)
    page.ask("The men slept .")


def test_the_page_is_whole_in_every_size_and_theme(page: Page) -> None:
    for size, mobile in ((1280, False), (390, True)):
        for scheme in ("light", "dark"):
            page.wide(size, 900, mobile=mobile)
            page.scheme(scheme)
            page.fill("The woman slept. Гражданин открыл ящик ключом.")
            page.one("#go").click()
            page.until(lambda: page.idle() and len(page.all("#sentences button")) == 2)
            page.all("#sentences button")[1].click()
            page.until(lambda: page.one("#notice").is_displayed())
            assert page.read("document.documentElement.scrollWidth") <= size
            assert page.violations() == []


def test_words_of_a_tall_tree_are_seen_without_scrolling_down(page: Page) -> None:
    page.wide(1280, 700)
    page.open()
    page.ask(LONG)
    assert page.read(
        "[document.getElementById('tree')].every((box) => box.scrollHeight <= box.clientHeight + 1)"
    )


def test_the_answer_is_in_the_list_however_improbable(page: Page) -> None:
    made = page.read("""import('/static/kbest.js').then(({ drawList }) => {
        const list = document.createElement('ol');
        const parses = [-9, -1, -2, -3].map((log, i) => ({ log_probability: log, probability: Math.exp(log), tags: [],
            brackets: [{ label: 'NP', start: 0, end: i + 1 }] }));
        drawList(list, { parses, tokens: ['a', 'b', 'c', 'd'] }, { choice: 0, k: 2, byProbability: true }, () => 0);
        return [...list.children].map((one) => one.textContent);
    })""")
    assert len(made) == 3
    assert made[2].startswith("4")
    assert made[2].endswith("the parser's answer")

"""The page in a real browser does what its users want."""

import json
import xml.etree.ElementTree as ElementTree
from typing import Any

import pytest
from tests.api.small import english
from tests.browser.page import Page, flat
from tests.serve.clients import SENTENCE

from eigenparse.corpus.brackets import parse_trees
from eigenparse.corpus.heads import to_dependencies


def test_a_sentence_is_drawn_in_every_way(page: Page) -> None:
    page.ask(SENTENCE)
    expected = english().parse(SENTENCE)
    assert flat(page.text("#brackets")) == flat(expected.tree)
    assert len(page.labels()) == len(expected.brackets) + len(expected.tags)
    assert page.text("#status").startswith("9 words")
    assert {b.label for b in expected.brackets} < {label.split(":")[0] for label in page.labels()}
    arcs = page.one("#arcs svg").get_attribute("aria-label")
    assert "opened ← root" in arcs
    assert "woman ← opened" in arcs
    drawn = page.text("#arcs svg")
    assert all(tag.tag in drawn for tag in expected.tags)
    likely = {(b.start, b.end) for b in english().posteriors(SENTENCE)}
    assert len(page.all(".cell")) == len(likely)
    assert page.driver.current_url.endswith(f"#text={SENTENCE.replace(' ', '%20')}")


def test_paragraphs_are_turned_over_like_pages(page: Page) -> None:
    page.fill("The woman slept. The men saw a dog.")
    page.one("#go").click()
    page.until(lambda: page.idle() and "sentence 1 of 2" in page.text("#pager"))
    page.one("#pager button[aria-label^=Next]").click()
    page.until(lambda: page.told("The men saw a dog ."))
    assert page.one("#pager button[aria-label^=Next]").get_attribute("disabled")


def test_other_trees_can_be_chosen(page: Page) -> None:
    page.ask(SENTENCE)
    trees = english().kbest(SENTENCE, 20)
    page.until(lambda: page.all("#kbest button"))
    shown = page.all("#kbest li > button")
    assert 1 < len(shown) <= 5
    place = int(shown[1].get_attribute("data-tree"))
    shown[1].click()
    page.until(lambda: flat(page.text("#brackets")) == flat(trees[place].tree))
    assert page.one(f'[data-tree="{place}"]').get_attribute("aria-pressed") == "true"
    page.driver.execute_script(
        "const k = document.getElementById('k'); k.value = '1'; k.dispatchEvent(new Event('change'))"
    )
    page.until(lambda: len(page.all("#kbest button")) == 1)


def test_a_span_is_forbidden_and_allowed_again(page: Page) -> None:
    page.ask(SENTENCE)
    before = flat(page.text("#brackets"))
    page.choose(page.node("PP", 5, 8), "Not a constituent")
    page.until(lambda: page.all("#limits button"))
    page.until(lambda: "PP:5:8:1" not in page.labels())
    assert flat(page.text("#brackets")) == flat(english().parse(SENTENCE, forbidden=[(5, 8)]).tree)
    page.one("#limits button").click()
    page.until(lambda: not page.all("#limits button") and page.idle())
    assert flat(page.text("#brackets")) == before


def test_a_cell_of_the_chart_is_required(page: Page) -> None:
    page.ask(SENTENCE)
    drawn = {tuple(one.split(":")[1:3]) for one in page.labels()}
    cells = {str(one.get_attribute("aria-label")): one for one in page.all(".cell")}
    name, cell = next((n, c) for n, c in cells.items() if n.startswith("the box with a key: "))
    assert ("3", "8") not in drawn or ("2", "8") in drawn
    page.choose(cell, "Require")
    page.until(lambda: page.all("#limits .require"))
    page.until(lambda: any(one.split(":")[1:3] == ["3", "8"] for one in page.labels()))
    assert "NP" in name


def test_the_keyboard_is_enough(page: Page) -> None:
    from selenium.webdriver.common.keys import Keys

    page.ask(SENTENCE)
    page.driver.execute_script("document.querySelector('.node[tabindex=\"0\"]').focus()")

    def focused() -> Any:
        return page.driver.switch_to.active_element

    root = focused().get_attribute("data-id")
    assert root == "S:0:9:1"
    focused().send_keys(Keys.ARROW_DOWN)
    assert focused().get_attribute("data-id") == "NP:0:2:1"
    focused().send_keys(Keys.ARROW_RIGHT)
    assert focused().get_attribute("data-id") == "VP:2:8:1"
    assert "opened the box with a key" in page.text("#node")
    focused().send_keys(Keys.ENTER)
    page.until(lambda: page.all("#menu:not([hidden]) button"))
    focused().send_keys(Keys.ESCAPE)
    assert focused().get_attribute("data-id") == "VP:2:8:1"
    focused().send_keys(Keys.ENTER)
    focused().send_keys("c")
    page.until(lambda: focused().get_attribute("aria-expanded") == "false")
    assert "tag:3" not in page.labels()
    focused().send_keys(Keys.ENTER)
    focused().send_keys("r")
    page.until(lambda: page.all("#limits .require"))


def test_nodes_fold_and_unfold(page: Page) -> None:
    page.ask(SENTENCE)
    n = len(page.labels())
    page.choose(page.node("VP", 2, 8), "Fold")
    page.until(lambda: len(page.labels()) < n - 5)
    assert "opened the box with a key" in page.text("#tree svg")
    page.choose(page.node("VP", 2, 8), "Unfold")
    page.until(lambda: len(page.labels()) == n)


def test_pointing_at_a_node_shows_what_is_inside(page: Page) -> None:
    page.ask(SENTENCE)
    page.hover(page.all('.node[data-id="tag:1"]')[0])
    page.until(lambda: page.all("#typical .words span"))
    assert page.text("#node .title") == "NN"
    shares = [float(one.text.split()[0]) for one in page.all("#shares .num")]
    assert 90 < sum(shares) <= 100.5
    states = page.driver.execute_script("return fetch('/states?label=NN').then((r) => r.json())")["states"]
    best = int(page.text("#shares span").removeprefix("state "))
    assert [w["word"] for w in states[best]["words"]] == [
        one.text for one in page.all("#typical .words span")
    ]
    page.hover(page.node("VP", 2, 8))
    page.until(lambda: page.text("#node .title") == "VP" and page.all("#typical .phrases li"))
    page.hover(page.all(".cell")[0])
    page.until(lambda: "state" not in page.text("#node"))


def test_everything_can_be_saved(page: Page) -> None:
    page.ask(SENTENCE)
    drawing = ElementTree.fromstring(page.saved("#save-svg", "tree.svg"))
    words = [one.text for one in drawing.iter("{http://www.w3.org/2000/svg}text")]
    assert set(SENTENCE.split()) <= set(words)
    picture = page.saved("#save-png", "tree.png")
    assert picture.startswith(b"\x89PNG\r\n")
    assert len(picture) > 5_000
    tree = page.saved("#save-brackets", "tree.ptb").decode()
    assert tree == english().parse(SENTENCE).tree + "\n"
    assert len(parse_trees(tree)) == 1
    told = json.loads(page.saved("#save-json", "parse.json"))
    assert told["tokens"] == SENTENCE.split()
    assert len(told["parses"]) == 20
    arcs = page.saved("#save-conllu", "sentence.conllu").decode()
    expected = to_dependencies(parse_trees(tree))
    rows = [line.split("\t") for line in arcs.splitlines() if line[:1].isdigit()]
    assert [int(row[6]) for row in rows] == expected.head.tolist()
    assert [row[3] for row in rows] == expected.strings("upos")
    assert [row[4] for row in rows] == expected.strings("xpos")
    assert ElementTree.fromstring(page.saved("#save-arcs", "dependencies.svg")).tag.endswith("svg")


def test_the_model_can_be_explored(page: Page) -> None:
    page.one("#tab-model").click()
    page.until(lambda: page.all(".state"))
    n_labels = english().latent.skeleton.n_labels
    assert len(page.all("#labels button")) == n_labels
    assert page.text("#h-label").startswith("NP: ")
    assert page.all(".spectrum rect")
    page.one("#filter").send_keys("nn")
    page.until(lambda: len(page.all("#labels button")) < n_labels)
    names = [one.text for one in page.all("#labels .name")]
    assert all("nn" in name.lower() for name in names)
    page.all("#labels button")[names.index("NN")].click()
    page.until(lambda: page.text("#h-label").startswith("NN: ") and page.all(".state .words span"))
    assert "woman" in [one.text for one in page.all(".state .words span")]
    page.one("#tab-parse").click()
    page.until(lambda: page.one("#tree").is_displayed())


@pytest.mark.parametrize("text", ["", "   \n "])
def test_an_empty_sentence_is_asked_for(page: Page, text: str) -> None:
    page.fill(text)
    page.one("#go").click()
    page.until(lambda: page.one("#message").is_displayed())
    assert page.text("#message") == "Type a sentence first."
    page.ask("the men slept .")
    assert not page.one("#message").is_displayed()


def test_two_thousand_words_are_refused_with_a_sentence(page: Page) -> None:
    page.fill("word " * 2000)
    page.one("#go").click()
    page.until(lambda: page.one("#message").is_displayed())
    assert page.text("#message") == "a sentence of 2000 words; at most 200 are allowed"
    page.expected.append(  # the sentence is there, its tree is not
        f"{page.address}/parse - Failed to load resource: the server responded with a status of 413 (Content Too Large)"
    )
    page.expected.append(page.expected[0].replace("Content Too Large", "Request Entity Too Large"))
    page.ask("the men slept .")


def test_long_sentences_and_strange_words_are_drawn(page: Page) -> None:
    page.ask(" ".join([SENTENCE[:-2]] * 9) + " .")
    page.ask("< b > ( & '' \u05d0\u05d1 🦜 .")
    assert "🦜" in page.text("#tree svg")


@pytest.mark.parametrize("width", [340, 390, 768])
def test_narrow_windows_need_no_sideways_scrolling(page: Page, width: int) -> None:
    page.wide(width, 800, mobile=True)
    page.open()
    page.ask(SENTENCE)
    for tab in ("#tab-parse", "#tab-model"):
        page.one(tab).click()
        assert page.driver.execute_script("return document.documentElement.scrollWidth") <= width
    page.one("#tab-parse").click()
    page.choose(page.node("PP", 5, 8), "Look inside")
    page.until(lambda: page.driver.execute_script("return scrollY") > 100)
    assert "with a key" in page.text("#node")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_serious_accessibility_problem(page: Page, scheme: str) -> None:
    page.scheme(scheme)
    page.ask(SENTENCE)
    page.choose(page.node("PP", 5, 8), "Require")
    page.until(lambda: page.all("#limits button"))
    page.hover(page.node("VP", 2, 8))
    page.until(lambda: page.all("#typical .phrases li"))
    assert page.violations() == []
    page.one("#tab-model").click()
    page.until(lambda: page.all(".state"))
    assert page.violations() == []
    page.open("/docs")
    assert page.violations() == []


def test_the_description_can_be_tried(page: Page) -> None:
    page.open("/docs")
    cards = page.all("section.card")
    assert len(cards) == 11
    card = next(one for one in cards if one.find_element("css selector", "h2").text == "POST /parse")
    card.find_element("css selector", "button").click()
    page.until(lambda: card.find_element("css selector", "pre").text.startswith("200"))

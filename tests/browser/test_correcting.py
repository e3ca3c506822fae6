"""The correcting editor: fix a node, the rest is parsed again, accept, go on, save; and links that keep all of it."""

from urllib.parse import parse_qs, urlsplit

from tests.api.small import english
from tests.browser.page import Page, flat
from tests.serve.clients import SENTENCE

from eigenparse.corpus.brackets import parse_trees


def settled(page: Page) -> None:
    page.until(lambda: page.idle() and page.all(".node"))


def test_a_label_is_corrected_with_the_keyboard_alone(page: Page) -> None:
    from selenium.webdriver.common.keys import Keys

    page.ask(SENTENCE)
    page.driver.execute_script("arguments[0].focus()", page.node("PP", 5, 8))
    page.press(Keys.ENTER)
    page.press("l")
    page.until(lambda: page.read("document.activeElement.getAttribute('aria-label')") == "Label")
    page.press("ADVP", Keys.ENTER)
    page.until(lambda: len(page.all("#limits button")) == 2 and "ADVP:5:8:1" in page.labels())


def test_what_no_tree_of_the_grammar_has_is_put_in_and_marked(page: Page) -> None:
    page.ask(SENTENCE)
    for label, names in (("XYZ", 2), ("UVW", 3)):  # a second name takes the place of the first
        page.choose(page.all('.node[data-id^="PP:5:8"], .node[data-id^="XYZ:5:8"]')[0], "Another label")
        page.until(lambda: page.all("#menu input"))
        page.one("#menu input").send_keys(label)
        page.one("#menu .primary").click()
        page.until(lambda wanted=f"{label}:5:8:1": page.idle() and wanted in page.labels())
        assert len(page.all("#limits button")) == names
    assert "The grammar has no such tree" in page.text("#status")
    node = page.all('.node[data-id="UVW:5:8:1"]')[0]
    assert node.get_attribute("aria-label").endswith("put in by you")
    assert node.find_element("css selector", ".ring").get_attribute("stroke-dasharray") == "5 3"
    assert "XYZ" not in page.text("#brackets")
    page.choose(page.all('.node[data-id="tag:1"]')[0], "Another tag")
    page.until(lambda: page.all("#menu input"))
    page.one("#menu input").send_keys("QQ")
    page.one("#menu .primary").click()
    page.until(lambda: page.idle() and "(QQ " in page.text("#brackets"))
    assert page.violations() == []


def test_a_span_is_corrected_and_the_rest_follows(page: Page) -> None:
    page.ask(SENTENCE)
    wide = next(one for one in page.labels() if one.startswith("NP:3:"))
    start, end = (int(part) for part in wide.split(":")[1:3])
    other = 8 if end == 5 else 5
    page.choose(page.node("NP", start, end), "Other words")
    page.until(lambda: page.all("#menu select"))
    page.driver.execute_script("arguments[0].value = arguments[1]", page.all("#menu select")[1], other - 1)
    page.one("#menu .primary").click()
    page.until(lambda: len(page.all("#limits button")) == (1 if other > end else 2))
    page.until(lambda: f"NP:{start}:{other}:1" in page.labels())
    limits = {"required": [(start, other, "NP")], "forbidden": [] if other > end else [(start, end, "NP")]}
    assert flat(page.text("#brackets")) == flat(english().parse(SENTENCE, **limits).tree)  # type: ignore[arg-type]


def test_a_tag_is_corrected(page: Page) -> None:
    page.ask(SENTENCE)
    page.choose(page.all('.node[data-id="tag:1"]')[0], "Another tag")
    page.until(lambda: page.all("#menu input"))
    page.one("#menu input").send_keys("NNP")
    page.one("#menu .primary").click()
    page.until(lambda: page.all("#limits .require") or page.one("#message").is_displayed())
    assert "NNP" in page.text("#brackets")


def test_constraints_survive_a_reload_and_are_in_the_link(page: Page) -> None:
    page.fill(f"The men slept. {SENTENCE.capitalize()}")
    page.one("#go").click()
    page.until(lambda: page.idle() and len(page.all("#sentences button")) == 2)
    page.all("#sentences button")[1].click()
    page.until(lambda: page.told(SENTENCE.capitalize()))
    page.choose(page.node("PP", 5, 8), "Not a constituent")
    page.until(lambda: page.all("#limits .forbid"))
    tree, link = page.text("#brackets"), page.driver.current_url
    page.driver.refresh()
    page.until(lambda: page.idle() and page.all("#limits .forbid"))
    assert page.text("#brackets") == tree
    page.driver.get("about:blank")
    page.driver.get(link)
    page.until(lambda: page.idle() and page.all("#limits .forbid") and page.text("#brackets") == tree)
    page.one("#limits button").click()
    page.until(lambda: page.idle() and not page.all("#limits button"))
    assert "limits" not in parse_qs(urlsplit(page.driver.current_url).fragment)


def test_links_that_make_no_sense_do_no_harm(page: Page) -> None:
    for part in ("limits=[[", 'limits=[[0,"require"],7]', "done=[[9,9]]", "at=77", "limits=null", "done=3"):
        page.driver.get("about:blank")
        page.driver.get(f"{page.address}/#text=The%20men%20slept.&{part}")
        page.until(lambda: page.idle() and page.told("The men slept ."))
        assert not page.one("#message").is_displayed()


def test_trees_are_accepted_one_after_another_and_saved(page: Page) -> None:
    page.fill("The woman slept. The men saw a dog.")
    page.one("#go").click()
    page.until(lambda: page.idle() and len(page.all("#sentences button")) == 2)
    page.one("#accept").click()
    page.until(lambda: page.told("The men saw a dog ."))
    page.choose(page.node("NP", 3, 5), "Require")
    page.until(lambda: page.idle() and page.all("#limits .require"))
    page.driver.execute_script("document.querySelector('.node[tabindex=\"0\"]').focus()")
    page.press("a")
    page.until(lambda: page.text("#save-book") == "Save accepted trees (2)")
    page.driver.refresh()
    page.until(lambda: page.idle() and [one.text for one in page.all("#sentences .sign")] == ["✓", "✓"])
    saved = page.saved("#save-book", "treebank.ptb").decode()
    assert len(parse_trees(saved)) == 2
    assert saved.splitlines()[0] == english().parse("The woman slept .").tree
    assert page.violations() == []

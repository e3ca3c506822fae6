"""The tab that compares trees, in a real browser."""

import pathlib

from tests.browser.page import Page

GOLD = """(TOP (S (NP (PRP She)) (VP (VBD slept))))
(TOP (S (NP (DT the) (NNS men)) (VP (VBD saw) (NP (DT a) (NN dog)) (PP (IN with) (NP (NNS eyes))))))
"""
GUESS = """(TOP (S (NP (PRP She)) (VP (VBD slept))))
(TOP (S (NP (DT the) (NNS men)) (VP (VBD saw) (NP (NP (DT a) (NN dog)) (PP (IN with) (NP (NNS eyes)))))))
"""
SHADOW = "document.getElementById('errors').shadowRoot"


def test_trees_are_compared_worst_first(page: Page, tmp_path: pathlib.Path) -> None:
    for width, scheme in ((1280, "light"), (390, "dark")):
        page.wide(width, 900, mobile=width < 500)
        page.scheme(scheme)
        page.open()
        page.one("#tab-compare").click()
        page.one("#gold").clear()
        page.one("#gold").send_keys(GOLD)
        (tmp_path / "guess.ptb").write_text(GUESS)
        page.one("#guess-file").send_keys(str(tmp_path / "guess.ptb"))
        page.until(lambda: page.read("document.getElementById('guess').value"))
        page.one("#compare .primary").click()
        page.until(lambda: page.read(f"{SHADOW} && {SHADOW}.querySelectorAll('.row').length === 2"))
        first = page.read(f"{SHADOW}.querySelector('.row').textContent")
        assert "the men saw a dog with eyes" in first
        marked = page.read(f"[...{SHADOW}.querySelectorAll('.bad > .label')].map((one) => one.textContent)")
        assert marked == ["NP"]
        assert "F1 94.74" in page.read(f"{SHADOW}.querySelector('.errors').textContent")
        assert page.violations() == []
        assert page.read("document.documentElement.scrollWidth") <= width
    saved = page.saved("#save-errors", "errors.html").decode()
    assert saved.startswith("<!doctype html>")
    assert "browse(document)" in saved


def test_what_is_no_tree_is_said(page: Page) -> None:
    page.one("#tab-compare").click()
    page.one("#compare .primary").click()
    page.until(lambda: page.text("#compare-message") == "Give trees on both sides.")
    page.one("#gold").send_keys(GOLD)
    page.one("#guess").send_keys(GUESS.splitlines()[0])
    page.one("#compare .primary").click()
    page.until(lambda: page.text("#compare-message").startswith("gold has 2 trees and guess 1;"))
    page.expected.append(
        f"{page.address}/compare - Failed to load resource: the server responded with a status of 409 (Conflict)"
    )


def test_errors_at_words_that_the_model_does_not_know_are_counted_apart(page: Page) -> None:
    """Of two wrongly tagged words one is in the trees of the served grammar, the other in none."""
    gold = "(TOP (S (NP (DT the) (NN woman)) (VP (VBD saw) (NP (DT a) (NN zyxxy)))))"
    guess = gold.replace("(NN woman)", "(JJ woman)").replace(
        "(NP (DT a) (NN zyxxy))", "(ADJP (DT a) (JJ zyxxy))"
    )
    page.one("#tab-compare").click()
    page.one("#gold").send_keys(gold)
    page.one("#guess").send_keys(guess)
    titles = f"{SHADOW} && [...{SHADOW}.querySelectorAll('option')].map((one) => one.textContent)"
    told = "1 of 1 unknown words have a wrong tag, 2 wrong or missing brackets begin or end at one of these"
    for wanted in (True, False):
        page.one("#compare .primary").click()
        page.until(
            lambda wanted=wanted: page.read(titles) and ("unknown word" in page.read(titles)) == wanted
        )
        assert (told in page.read(f"{SHADOW}.querySelector('.errors').textContent")) == wanted
        page.one("#unknown").click()

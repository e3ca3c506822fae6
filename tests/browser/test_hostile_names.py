"""Words, labels and relations that are markup stay text in a real browser, and a dependency model's arcs are drawn."""

import pathlib
from collections.abc import Iterator

import pytest
from tests.browser.page import Page
from tests.dependency.toys import small
from tests.serve.clients import Process, running

from eigenparse.api.learner import LatentPCFG
from eigenparse.corpus.brackets import parse_trees
from eigenparse.corpus.conllu import read_lines
from eigenparse.models.registry import save_model

LABEL, TAG = "<script>Object.hacked++</script>", "'\"><svg/onload>"  # what follows "=" is no part of a label
WORDS = [
    '"',
    "onload=Object.hacked=1",
    "<img/src=x/onerror=Object.hacked=1>",
    "</script><script>Object.hacked=1</script>",
    "&amp;",
]
RELATION = "<b/onmouseover=Object.hacked=1>"


def tree(*words: str) -> str:
    a, b, c = (f"({TAG} {word})" for word in words)
    return f"(TOP ({LABEL} ({LABEL} {a} {b}) ({LABEL} {c})))"


@pytest.fixture(scope="module")
def hostile(programs: tuple[str, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Process]:
    """A service of models whose every name is markup."""
    folder = tmp_path_factory.mktemp("hostile")
    trees = "\n".join(tree(*(WORDS[(i + k) % len(WORDS)] for k in range(3))) for i in range(40))
    LatentPCFG(states=2).fit(parse_trees(trees)).save(folder / "<b>model")
    rows = [
        f"{i}\t{WORDS[i]}\t_\t{TAG}\t_\t_\t{i - 1}\t{RELATION if i > 1 else 'root'}\t_\t_"
        for i in range(1, 4)
    ]
    arcs = small(passes=2).fit(read_lines([*rows, ""] * 5, source="hostile").trees)
    save_model(arcs, folder / "arcs", "dependency")
    with running(folder / "<b>model", "--quiet", "--dependencies", folder / "arcs") as found:
        yield found


def test_markup_stays_text(window: Page, hostile: Process) -> None:
    page = Page(window.driver, hostile.address, window.folder)
    page.open()
    words = [WORDS[0], WORDS[2], WORDS[3]]
    page.fill(" ".join(words))
    page.one("#go").click()
    page.until(lambda: page.idle() and any("onerror" in one.text for one in page.all("#brackets b")))
    drawn = page.text("#tree svg")
    assert LABEL in drawn
    assert TAG in drawn
    assert page.text("#arcs-from") == "universal relations"
    assert RELATION in page.text("#arcs svg")
    for selector in ("#tree .node", "#chart .cell"):
        for one in page.all(selector)[:3]:
            page.hover(one)
    page.until(lambda: page.text("#node .title") == LABEL or page.all("#node .share"))
    page.all(".node")[0].click()
    page.until(lambda: LABEL in page.text("#menu"))
    page.one("#tab-model").click()
    page.until(lambda: page.all(".state"))
    assert LABEL in page.text("#labels")
    page.one("#filter").send_keys("svg/onload")
    page.all("#labels button")[0].click()
    page.until(lambda: WORDS[2] in page.text("#label"))
    page.one("#tab-compare").click()
    one = tree(*words)
    page.driver.execute_script(
        "for (const id of ['gold', 'guess']) document.getElementById(id).value = arguments[0]", one
    )
    page.one("#compare .primary").click()
    shadow = "document.getElementById('errors').shadowRoot"
    page.until(lambda: page.read(f"{shadow} && {shadow}.querySelectorAll('.row').length === 1"))
    assert LABEL in page.read(f"{shadow}.querySelector('#view').textContent")
    assert page.read("typeof Object.hacked") == "undefined"
    assert page.read("document.querySelectorAll('main script, main img[src=x], svg svg').length") == 0
    rows = [line.split("\t") for line in saved(page).splitlines() if line[:1].isdigit()]
    assert [row[7] for row in rows].count(RELATION) == len(rows) - 1


def saved(page: Page) -> str:
    page.one("#tab-parse").click()
    text = page.saved("#save-conllu", "sentence.conllu").decode()
    (pathlib.Path(page.folder) / "sentence.conllu").unlink()
    return text

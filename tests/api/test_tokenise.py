"""Sentences and tokens of plain text, by hand."""

import pytest

from eigenparse.corpus.tokenise import sentence_tokens, split_sentences, tokenise
from eigenparse.errors import OptionError

SENTENCES = {
    "He came. She left.": ["He came.", "She left."],
    "Mr. Smith met Dr. J. Jones. They spoke.": ["Mr. Smith met Dr. J. Jones.", "They spoke."],
    'He asked: "Why?" She did not know.': ['He asked: "Why?"', "She did not know."],
    "It cost $3.50 in the U.S. market. Cheap!": ["It cost $3.50 in the U.S. market.", "Cheap!"],
    "See e.g. Fig. 3. Then stop... maybe not.": ["See e.g. Fig. 3.", "Then stop... maybe not."],
    "no stop at the end": ["no stop at the end"],
    "He left in 1805. [6] He came back. [7][8] So.": ["He left in 1805. [6]", "He came back. [7][8]", "So."],
    "It is no. 5 of them. No. 6 is not. No. It is.": [
        "It is no. 5 of them.",
        "No. 6 is not.",
        "No.",
        "It is.",
    ],
    "The GDP. It rose. OK. He works at IT. Yes.": ["The GDP.", "It rose.", "OK.", "He works at IT.", "Yes."],
    "Really?! Yes. (He did.) Fine.": ["Really?!", "Yes.", "(He did.)", "Fine."],
    "Two\nlines. One   sentence each.": ["Two lines.", "One sentence each."],
    "great food. we loved it! will go again": ["great food.", "we loved it!", "will go again"],
    '"Why?" he asked. Enron Inc. said no. It is by J. doe.': [
        '"Why?" he asked.',
        "Enron Inc. said no.",
        "It is by J. doe.",
    ],
    "Thanks! :) See you :-) Bye. $5 is fine.": ["Thanks! :)", "See you :-)", "Bye.", "$5 is fine."],
    "1. Open it. 2. Close it.": ["1. Open it.", "2. Close it."],
    "A heading\n \nA text\nof two lines": ["A heading", "A text of two lines"],
    "": [],
}
TOKENS = {
    "The old man the boats.": "The old man the boats .",
    "They don't know; she's here, I'll go.": "They do n't know ; she 's here , I 'll go .",
    "He can't (really) see John's dogs' tails!": "He ca n't ( really ) see John 's dogs ' tails !",
    'She said, "No," twice.': "She said , `` No , '' twice .",
    "It rose 3.5% to $1,200 in 2019.": "It rose 3.5 % to $ 1,200 in 2019 .",
    "Mr. Smith of the U.S. left at 5 p.m.": "Mr. Smith of the U.S. left at 5 p.m. .",
    "A state-of-the-art and/or well-known idea...": "A state-of-the-art and/or well-known idea ...",
    "I cannot--will not--go": "I can not -- will not -- go",
    "Ask me@example.org or see http://example.org/a.": "Ask me@example.org or see http://example.org/a .",
    "“Yes”, she said – ‘no’": "`` Yes '' , she said – ‘ no ’",
    "Það er gott, ekki satt?": "Það er gott , ekki satt ?",
    "They dont know!! Really?!": "They do nt know !! Really ?!",
    "Is no. 5 the GDP? No.": "Is no. 5 the GDP ? No .",
    "1. Open it at 7:30pm :) #nice": "1. Open it at 7:30 pm :) #nice",
    "See www.example.org/a-b, @someone; it's #1.": "See www.example.org/a-b , @someone ; it 's # 1 .",
    "I \u2764\ufe0f it \U0001f44d\U0001f3fd!": "I \u2764\ufe0f it \U0001f44d\U0001f3fd !",
    "Go\U0001f1eb\U0001f1f7\U0001f1e9\U0001f1ea": "Go \U0001f1eb\U0001f1f7 \U0001f1e9\U0001f1ea",
    "\U0001f468\u200d\U0001f467ok 1\ufe0f\u20e3": "\U0001f468\u200d\U0001f467 ok 1\ufe0f\u20e3",
    "Cafe\u0301s and \u0939\u093f\u0928\u094d\u0926\u0940.": "Cafe\u0301s and \u0939\u093f\u0928\u094d\u0926\u0940 .",
    "See example.org/a?b=1, youtube.com; ask @jo_e-x.": "See example.org/a?b=1 , youtube.com ; ask @jo_e-x .",
    "We use C++, C# and .NET; not c++11 (or F#?)": "We use C++ , C# and .NET ; not c++11 ( or F# ? )",
    "a 50-year-old's 1990's @user's": "a 50-year-old 's 1990 's @user 's",
    "A +b, 3+4, B+ and end.Next": "A + b , 3 +4 , B + and end.Next",
    "'Tis the '90s, y'know": "'T is the '90s , y'know",
}


@pytest.mark.parametrize("text", SENTENCES)
def test_sentences(text: str) -> None:
    assert split_sentences(text) == SENTENCES[text]


@pytest.mark.parametrize("text", TOKENS)
def test_tokens(text: str) -> None:
    assert " ".join(tokenise(text)) == TOKENS[text]


COMPOUNDS = {
    "A well-known, state-of-the-art e-mail": "A well - known , state - of - the - art e-mail",
    "non-native anti-war co-op re-elected": "non-native anti-war co-op re-elected",
    "and/or 1990-1995 9/11 11/28/2000 555-1234": "and / or 1990 - 1995 9/11 11/28/2000 555-1234",
    "http://a-b.org/c-d me-too@a-b.org www.a-b.org": "http://a-b.org/c-d me-too@a-b.org www.a-b.org",
    "John's two-year-old's toy -- th- the": "John 's two - year - old 's toy -- th- the",
}


@pytest.mark.parametrize("text", COMPOUNDS)
def test_compounds_are_cut_on_demand(text: str) -> None:
    assert " ".join(tokenise(text, hyphens="split")) == COMPOUNDS[text]


def test_lines_become_paragraphs() -> None:
    lines = ["One", "two. Three", "", "", "Four"]
    assert [" ".join(s) for s in sentence_tokens(lines)] == ["One two .", "Three", "Four"]


def test_unknown_conventions() -> None:
    with pytest.raises(OptionError, match="quotes are 'penn' or 'keep'"):
        tokenise("x", quotes="french")


def test_quotes_may_be_kept() -> None:
    assert tokenise('"No"', quotes="keep") == ['"', "No", '"']


@pytest.mark.parametrize(
    "text", [*SENTENCES, *TOKENS, "a'b''c\"\"d.e...f", "'' `` ''", "\u0000 \u200f x", "…?!"]
)
def test_nothing_is_lost(text: str) -> None:
    """Tokens put together again are the text without its blanks."""
    assert "".join(tokenise(text, quotes="keep")).rstrip(".") == "".join(text.split()).rstrip(".")
    assert "".join("".join(split_sentences(text)).split()) == "".join(text.split())


@pytest.mark.parametrize(
    ("text", "address"),
    [
        (
            "See https://en.wikipedia.org/wiki/Parsing_(language) now.",
            "https://en.wikipedia.org/wiki/Parsing_(language)",
        ),
        ("(https://a.org/b)", "https://a.org/b"),
        ("Go to https://a.org/b?c=(d)&e=f.", "https://a.org/b?c=(d)&e=f"),
        ("(see https://a.org/b_(c)).", "https://a.org/b_(c)"),
    ],
)
def test_parentheses_inside_an_address_stay_there(text: str, address: str) -> None:
    assert address in tokenise(text)

"""The shapes of requests and answers, from which the OpenAPI description is made."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Discriminator, Field, StringConstraints, Tag

MOST = 1_000_000  # largest position that is accepted
# What ``str.split`` takes for a blank, spelled out because regular expressions disagree about it.
BLANK = r"\x09-\x0d\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"


class Strict(BaseModel):
    """A request: unknown fields are refused, numbers are not guessed from text."""

    model_config = ConfigDict(extra="forbid", strict=True)


def _whole(value: Any) -> Any:
    """2.0 is an integer to JSON."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


Text = Annotated[str, StringConstraints(pattern=f"[^{BLANK}]", max_length=100_000)]
Token = Annotated[str, StringConstraints(pattern=f"^[^{BLANK}]+$", max_length=10_000)]
Symbol = Annotated[str, StringConstraints(min_length=1, max_length=200)]
Place = Annotated[int, Field(ge=0, le=MOST), BeforeValidator(_whole)]
Count = Annotated[int, Field(ge=1, le=1000), BeforeValidator(_whole)]
Sentence = Text | Annotated[list[Token], Field(min_length=1)]


class Span(Strict):
    """The tokens [start, end), with a label or with any."""

    start: Place
    end: Place
    label: Symbol | None = None


class Limited(Strict):
    """A sentence, as plain text or as tokens, and what is known about its tree."""

    sentence: Sentence = Field(examples=["The old man the boats."])
    require: list[Span] = Field([], max_length=100, description="Spans that must be constituents.")
    forbid: list[Span] = Field([], max_length=100, description="Spans that must not be constituents.")
    tags: list[Symbol | None] | None = Field(None, description="The tag of each token, or null.")


class Wishes(Strict):
    """Which details to return."""

    k: Count = Field(1, description="So many different trees.")
    probabilities: bool = Field(
        False, description="log p of the sentence and of each tree, and p(tree | sentence); null otherwise."
    )
    dependencies: bool = Field(False, description="Heads and relations of each tree, by head rules.")
    universal: bool = Field(
        False, description="Universal relations of the sentence by the dependency model, where one is served."
    )
    states: bool = Field(False, description="Latent states of each node.")
    chart: bool = Field(False, description="Every constituent with a posterior of at least 0.01.")


class ParseOne(Limited, Wishes):
    """One sentence."""


class ParseMany(Wishes):
    """Several sentences."""

    sentences: list[Sentence | Limited] = Field(min_length=1)


class SplitBody(Strict):
    """A paragraph, which is cut into sentences."""

    text: Text = Field(examples=["Mr. Smith came at noon. Nobody saw him."])
    lines: bool = Field(False, description="Every line is one sentence.")


class ParseText(Wishes, SplitBody):
    """A paragraph, which is cut into sentences first."""


def _variant(value: Any) -> str:
    """Which of the request shapes a value means to be."""
    names = value if isinstance(value, dict) else getattr(type(value), "model_fields", {})
    return next((name for name in ("sentences", "text") if name in names), "sentence")


ParseBody = Annotated[
    Annotated[ParseOne, Tag("sentence")]
    | Annotated[ParseMany, Tag("sentences")]
    | Annotated[ParseText, Tag("text")],
    Discriminator(_variant),
]


class TagOne(Strict):
    """One sentence."""

    sentence: Sentence = Field(examples=["The old man the boats."])


class TagMany(Strict):
    """Several sentences."""

    sentences: list[Sentence] = Field(min_length=1)


class TagText(SplitBody):
    """A paragraph, which is cut into sentences first."""


TagBody = Annotated[
    Annotated[TagOne, Tag("sentence")]
    | Annotated[TagMany, Tag("sentences")]
    | Annotated[TagText, Tag("text")],
    Discriminator(_variant),
]


class ScoreBody(Strict):
    """Trees in brackets, one per string."""

    trees: list[Text] = Field(min_length=1, examples=[["(TOP (S (NP (PRP She)) (VP (VBD slept))))"]])


class CompareBody(Strict):
    """Two files of trees in brackets, with as many trees each."""

    gold: Text = Field(examples=["(TOP (S (NP (PRP She)) (VP (VBD slept))))"])
    guess: Text = Field(examples=["(TOP (S (NP (PRP She)) (VP (VBN slept))))"])
    unknown: bool = Field(False, description="Count errors at words that the grammar does not know apart.")


class SplitOut(BaseModel):
    """The sentences of a paragraph."""

    sentences: list[str]


class CompareOut(BaseModel):
    """The page of `eigenparse compare`, which can be saved and mailed."""

    page: str


class LatentOut(BaseModel):
    """The latent label of a node and its likeliest states with their shares."""

    label: str
    n_states: int
    states: list[tuple[int, float]]


class BracketOut(BaseModel):
    """A constituent over the tokens [start, end)."""

    label: str
    start: int
    end: int
    posterior: float | None
    latent: LatentOut | None = None


class TagOut(BaseModel):
    """The tag of a token."""

    tag: str
    posterior: float | None
    latent: LatentOut | None = None


class ArcOut(BaseModel):
    """The head of a token (counted from 1, 0 for the root), its relation and its universal tag."""

    head: int
    relation: str
    upos: str


class TreeOut(BaseModel):
    """One tree; probability is p(tree | sentence), null where it is not known or was not asked for."""

    tree: str
    score: float | None
    log_probability: float | None
    probability: float | None
    brackets: list[BracketOut]
    tags: list[TagOut]
    dependencies: list[ArcOut] | None = None


class UnknownOut(BaseModel):
    """Which share of the words, and of the letters in them, the model has never seen."""

    words: float
    letters: float


class SentenceOut(BaseModel):
    """The trees of one sentence, best first; universal: arcs of the dependency model, where one is served."""

    tokens: list[str]
    unknown: UnknownOut
    status: Literal["ok", "relaxed", "fallback", "imposed"] = Field(
        description="imposed: no tree of the grammar keeps the constraints; they were put in, without a posterior."
    )
    log_total: float | None
    parses: list[TreeOut]
    universal: list[ArcOut] | None = None
    chart: list[BracketOut] | None = None


class ParseOut(BaseModel):
    """One result per sentence, in order."""

    results: list[SentenceOut]
    seconds: float


class TagChoice(BaseModel):
    """A tag that a token may have."""

    tag: str
    posterior: float


class TokenOut(BaseModel):
    """A token, its likeliest tag, and others that it may have."""

    token: str
    tag: str
    posterior: float | None
    others: list[TagChoice]


class TaggedOut(BaseModel):
    """The tokens of one sentence."""

    status: Literal["ok", "relaxed", "fallback"]
    tokens: list[TokenOut]


class TagsOut(BaseModel):
    """One result per sentence, in order."""

    results: list[TaggedOut]
    seconds: float


class TreeScore(BaseModel):
    """log |p(tree)| and the sign of p; null and 0 for a rule never seen, or if the tree cannot be read."""

    log_probability: float | None
    sign: int
    words: int
    error: str | None = None


class ScoreOut(BaseModel):
    """One result per string, in order."""

    results: list[TreeScore]
    seconds: float


class LabelOut(BaseModel):
    """A label of the binary grammar, and the singular values behind its states where they were kept."""

    label: str
    states: int
    nodes: int
    kind: Literal["tag", "phrase", "partial"]
    singular_values: list[float]


class InfoOut(BaseModel):
    """What the model is, and what the service allows."""

    model: str
    version: str
    facts: dict[str, Any]
    limits: dict[str, float]
    labels: list[LabelOut]


class WordOut(BaseModel):
    """A word that a state gives, and how often."""

    word: str
    weight: float


class PhraseOut(BaseModel):
    """A rule that a state uses, the words it most likely ends in, and how often it is used."""

    rule: str
    phrase: str
    weight: float


class StateOut(BaseModel):
    """One latent state."""

    state: int
    words: list[WordOut]
    phrases: list[PhraseOut]


class StatesOut(BaseModel):
    """The states of one label."""

    label: str
    states: list[StateOut]


class HealthOut(BaseModel):
    """Whether the service is well."""

    status: Literal["ok"]
    model: str
    version: str
    under_way: int
    room: int


class ReadyOut(BaseModel):
    """The next request would be served."""

    status: Literal["ready"]


class ErrorOut(BaseModel):
    """Why a request was not served: a code for programs, a sentence for people."""

    code: str
    message: str


class Problem(BaseModel):
    """Every answer that is not a success."""

    error: ErrorOut

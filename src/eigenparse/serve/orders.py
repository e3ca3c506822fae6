"""Checked request bodies in, jobs for worker processes out; their answers in, one response out."""

import json
import time
from collections.abc import Callable, Sequence
from typing import Any

from fastapi import Request
from fastapi.responses import Response

from eigenparse.serve import schema
from eigenparse.serve.gate import Gate, Job
from eigenparse.serve.limits import Limits, check_length, check_number

COMPARED = 100  # words whose parsing takes about as long as comparing
CHARACTERS = 10  # assumed maximum number of characters per word where words are estimated

WISHES = set(schema.Wishes.model_fields)

JobsOf = Callable[[Any, Sequence[Any]], list[Job]]


async def results(gate: Gate, request: Request, body: Any, jobs_of: JobsOf) -> Response:
    """Do the work of a body and answer with all results, in order."""
    begun = time.perf_counter()
    async with gate.visit(hung_up(request)) as visit:
        if isinstance(body, schema.ParseText | schema.TagText):
            items = json.loads((await visit.answers(split_jobs(body)))[0])["sentences"]
        else:
            items = _items(body, gate.settings.limits)
        answers = await visit.answers(jobs_of(body, items))
    seconds = json.dumps(round(time.perf_counter() - begun, 6)).encode()
    content = b'{"results":[' + b",".join(answers) + b'],"seconds":' + seconds + b"}"
    return Response(content, media_type="application/json")


async def result(gate: Gate, request: Request, jobs: Sequence[Job]) -> Response:
    """Do one job and answer with what it says."""
    async with gate.visit(hung_up(request)) as visit:
        content = (await visit.answers(jobs))[0]
    return Response(content, media_type="application/json")


async def hung_up(request: Request) -> None:
    """Wait until the client has closed the connection."""
    while (await request.receive())["type"] != "http.disconnect":
        pass


def _items(body: Any, limits: Limits) -> list[Any]:
    """The sentences or trees of a body as plain values; what is clearly too much is refused here."""
    if isinstance(body, schema.ScoreBody):
        check_number(len(body.trees), limits, "trees")
        return list(body.trees)
    items: list[Any]
    if isinstance(body, schema.ParseOne):
        items = [body.model_dump(include={"sentence", "require", "forbid", "tags"})]
    elif isinstance(body, schema.TagOne):
        items = [body.sentence]
    else:
        check_number(len(body.sentences), limits, "sentences")
        items = body.model_dump(include={"sentences"})["sentences"]
    for item in items:
        check_length(_n_words(item), limits)
    return items


def split_jobs(body: schema.SplitBody) -> list[Job]:
    """The job of cutting a paragraph into sentences."""
    return [_job(0, task="split", text=body.text, lines=body.lines)]


def compare_jobs(body: schema.CompareBody) -> list[Job]:
    """The job of /compare."""
    return [_job(COMPARED, task="compare", item=body.model_dump())]


def parse_jobs(body: schema.Wishes, items: Sequence[Any]) -> list[Job]:
    """A job for each sentence of /parse."""
    wishes = body.model_dump(include=WISHES)
    return [
        _job(
            _length(item),
            task="parse",
            item=item,
            wishes=wishes,
            prefix=f"sentence {number}: " if len(items) > 1 else "",
        )
        for number, item in enumerate(items, start=1)
    ]


def tag_jobs(_: Any, items: Sequence[Any]) -> list[Job]:
    """A job for each sentence of /tag."""
    return [_job(_length(item), task="tag", item=item) for item in items]


def score_jobs(_: Any, items: Sequence[Any]) -> list[Job]:
    """A job for each tree of /score."""
    return [_job(_length(item), task="score", item=item) for item in items]


def _job(words: int, /, **content: Any) -> Job:
    return Job(content, words)


def _n_words(item: Any) -> int:
    """The minimum number of words that a sentence can have."""
    sentence = item["sentence"] if isinstance(item, dict) else item
    return len(sentence.split() if isinstance(sentence, str) else sentence)


def _length(item: Any) -> int:
    """The approximate number of words of a sentence, even if its text has few blanks."""
    sentence = item["sentence"] if isinstance(item, dict) else item
    guess = len(sentence) // CHARACTERS if isinstance(sentence, str) else 0
    return max(guess, _n_words(item))

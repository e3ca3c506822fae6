"""A grammar and settings in, the ASGI application out: routes, errors, static files."""

import contextlib
import json
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from fastapi import FastAPI, Query, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import FileResponse, JSONResponse, Response
from fastapi.staticfiles import StaticFiles
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp

from eigenparse import __version__
from eigenparse.api.grammar import Grammar
from eigenparse.errors import EigenparseError, ResourceError
from eigenparse.serve import answers, schema
from eigenparse.serve.facts import Profiles, label_facts, model_facts
from eigenparse.serve.gate import Deadline, Gate, Refusal
from eigenparse.serve.guard import Guard, problem
from eigenparse.serve.sentences import requests_of
from eigenparse.serve.settings import Settings

STATIC = Path(__file__).parent / "static"
WARM = "The service is ready ."
DESCRIPTION = (
    "Constituency trees, tags and probabilities from a latent-variable grammar. "
    "Every answer that is not a success has the same shape and one sentence that says what to do."
)
WHY = {
    400: "The body is not JSON.",
    404: "There is no such thing.",
    408: "The request did not arrive in time.",
    409: "The constraints contradict the sentence, or no tree keeps them.",
    413: "The request is larger than allowed.",
    421: "Not the name of this host.",
    422: "The request does not have the described shape.",
    429: "Too many requests of one client.",
    503: "Too many requests, or this one takes too long; try again later.",
}


@dataclass(frozen=True, slots=True)
class Service:
    """What the routes share."""

    grammar: Grammar
    name: str
    settings: Settings
    gate: Gate
    profiles: Profiles


def create_app(grammar: Grammar, *, name: str = "model", settings: Settings | None = None) -> ASGIApp:
    """The service as an ASGI application, limits included."""
    chosen = settings or Settings()
    limited = grammar.with_options(max_length=chosen.max_words, memory=chosen.memory)
    gate = Gate(workers=chosen.workers, queue=chosen.queue, seconds=chosen.seconds)
    service = Service(limited, name, chosen, gate, Profiles(limited))

    @contextlib.asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        limited.kbest(WARM, 2)  # kernels are compiled before the first request
        service.profiles.start()
        yield
        gate.close()

    app = FastAPI(
        title="eigenparse", version=__version__, description=DESCRIPTION, docs_url=None, redoc_url=None,
        lifespan=lifespan,
    )  # fmt: skip
    _add_work(app, service)
    _add_facts(app, service)
    _add_pages(app)
    _add_errors(app)
    return Guard(app, chosen)


def _said(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """The failures that a route declares."""
    always = (400, 408, 413, 421, 422, 429, 503)
    return {
        code: {"model": schema.Problem, "description": WHY[code]} for code in sorted({*always, *statuses})
    }


async def _run(service: Service, task: Callable[[Deadline], dict[str, Any]]) -> Response:
    """A task's JSON, made in its worker thread."""

    def work(deadline: Deadline) -> bytes:
        return json.dumps(task(deadline), ensure_ascii=False, separators=(",", ":")).encode()

    return Response(await service.gate.run(work), media_type="application/json")


def _add_work(app: FastAPI, service: Service) -> None:
    """The routes that use the grammar on what clients send."""
    grammar, settings = service.grammar, service.settings

    @app.post("/parse", response_model=schema.ParseOut, responses=_said(409), tags=["work"])
    async def parse(body: schema.ParseBody) -> Response:
        """Trees of one sentence, of several, or of a paragraph.

        A sentence is plain text, which is tokenised, or a list of tokens, which are kept.
        """
        if body.k > settings.max_trees:
            raise Refusal(413, "too_many", f"k is {body.k}; ask for at most {settings.max_trees} trees")
        return await _run(
            service, lambda end: answers.parse(grammar, requests_of(grammar, body, settings), body, end)
        )

    @app.post("/tag", response_model=schema.TagsOut, responses=_said(), tags=["work"])
    async def tag(body: schema.TagBody) -> Response:
        """The likeliest tag of every token, with others that it may have."""
        return await _run(
            service, lambda end: answers.tag(grammar, requests_of(grammar, body, settings), end)
        )

    @app.post("/score", response_model=schema.ScoreOut, responses=_said(), tags=["work"])
    async def score(body: schema.ScoreBody) -> Response:
        """log p of trees in brackets; a tree that cannot be read says why."""
        if len(body.trees) > settings.max_sentences:
            raise Refusal(
                413, "too_many", f"{len(body.trees)} trees at once; send at most {settings.max_sentences}"
            )
        return await _run(service, lambda end: answers.score(grammar, body.trees, end))


def _add_facts(app: FastAPI, service: Service) -> None:
    """The routes that describe the model and the service."""
    settings = service.settings
    limits = {
        name: getattr(settings, name)
        for name in ("max_bytes", "max_words", "max_word_length", "max_sentences", "max_trees", "seconds")
    }
    known = {"model": service.name, "version": __version__}
    facts = known | {
        "facts": model_facts(service.grammar), "limits": limits, "labels": label_facts(service.grammar)
    }  # fmt: skip
    content = json.dumps(facts, ensure_ascii=False).encode()

    @app.get("/info", response_model=schema.InfoOut, responses=_said(), tags=["facts"])
    async def info() -> Response:
        """What the model is: sizes, labels, states, singular values; and what the service allows."""
        return Response(content, media_type="application/json")

    @app.get("/states", response_model=schema.StatesOut, responses=_said(404), tags=["facts"])
    async def states(
        label: Annotated[str, Query(min_length=1, max_length=500, description="As /info names it.")],
    ) -> Response:
        """The latent states of a label with their typical words and phrases."""
        rows = await service.profiles.of(label, seconds=settings.seconds)
        if rows is None:
            raise Refusal(404, "no_label", "the grammar has no such label; /info lists them")
        return JSONResponse({"label": label, "states": rows})

    @app.get("/health", response_model=schema.HealthOut, responses=_said(), tags=["facts"])
    async def health() -> dict[str, Any]:
        """Whether the service is up, and how much it has to do."""
        return known | {"status": "ok", "under_way": service.gate.held, "room": service.gate.room}


def _add_pages(app: FastAPI) -> None:
    """The web page and the description of the service, all from this package."""
    fresh = {"cache-control": "no-cache"}

    @app.get("/", include_in_schema=False)
    async def page() -> FileResponse:
        return FileResponse(STATIC / "index.html", headers=fresh)

    @app.get("/docs", include_in_schema=False)
    async def docs() -> FileResponse:
        return FileResponse(STATIC / "docs.html", headers=fresh)

    @app.get("/favicon.ico", include_in_schema=False)
    async def icon() -> FileResponse:
        return FileResponse(STATIC / "icon.svg", headers=fresh, media_type="image/svg+xml")

    app.mount("/static", StaticFiles(directory=STATIC))


def _add_errors(app: FastAPI) -> None:
    """Every failure as one sentence; details of the unexpected go to the log only."""

    @app.exception_handler(Refusal)
    async def refused(_: Request, error: Refusal) -> JSONResponse:
        headers = None if error.retry is None else {"retry-after": str(error.retry)}
        return JSONResponse(problem(error.code, error.message), error.status, headers)

    @app.exception_handler(RequestValidationError)
    async def misshapen(_: Request, error: RequestValidationError) -> JSONResponse:
        first = error.errors()[0]
        if first["type"] == "json_invalid":
            return JSONResponse(problem("not_json", "the body is not JSON; see /docs for examples"), 400)
        place = ".".join(str(part) for part in first["loc"][1:])[:200]
        told = f"{place}: {first['msg']}" if place else str(first["msg"])
        return JSONResponse(problem("misshapen", f"{told}; see /docs for the shape"), 422)

    @app.exception_handler(HTTPException)
    async def plain(_: Request, error: HTTPException) -> JSONResponse:
        code = {400: "not_json", 404: "not_found", 405: "wrong_method"}.get(error.status_code, "refused")
        told = {404: "there is nothing here; see /docs", 400: "the body cannot be read as JSON"}
        said = told.get(error.status_code, str(error.detail))
        return JSONResponse(problem(code, said), error.status_code, error.headers)

    @app.exception_handler(EigenparseError)
    async def expected(_: Request, error: EigenparseError) -> JSONResponse:
        status = 413 if isinstance(error, ResourceError) else 422
        return JSONResponse(problem("unusable", str(error)), status)

    @app.exception_handler(Exception)
    async def unexpected(_: Request, error: Exception) -> JSONResponse:  # the guard logs it
        return JSONResponse(problem("internal", "the service failed; its log says why"), 500)

"""A model and settings in, the ASGI application out: routes and static files."""

import contextlib
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import FastAPI, Query, Request
from fastapi.responses import FileResponse, JSONResponse, PlainTextResponse, Response
from fastapi.staticfiles import StaticFiles
from starlette.types import ASGIApp

from eigenparse import __version__
from eigenparse.data import MODELS, located
from eigenparse.serve import schema
from eigenparse.serve.crew import Crew
from eigenparse.serve.gate import Gate
from eigenparse.serve.guard import Guard
from eigenparse.serve.metrics import Metrics
from eigenparse.serve.mistakes import add_errors
from eigenparse.serve.orders import (
    compare_jobs,
    parse_jobs,
    result,
    results,
    score_jobs,
    split_jobs,
    tag_jobs,
)
from eigenparse.serve.profiles import Profiles
from eigenparse.serve.refusal import Refusal
from eigenparse.serve.settings import Settings

if TYPE_CHECKING:
    from eigenparse.api.grammar import Grammar

STATIC = Path(__file__).parent / "static"
DESCRIPTION = (
    "Constituency trees, tags and probabilities from a latent-variable grammar. "
    "Every answer that is not a success has the same shape and one sentence that says what to do."
)
WHY = {
    400: "The body is not JSON.",
    404: "There is no such thing.",
    408: "The request did not arrive in time.",
    409: "The constraints contradict the sentence or each other, or two files of trees do not fit.",
    413: "The request is larger than allowed.",
    421: "Not the name of this host.",
    422: "The request does not have the described shape.",
    429: "Too many requests of one client.",
    503: "Too many requests, or this one takes too long; try again later.",
}


@dataclass(frozen=True, slots=True)
class Service:
    """What the routes share.  known: facts about the model, from the process that loaded it."""

    name: str
    settings: Settings
    gate: Gate
    profiles: Profiles
    known: dict[str, Any]


def create_app(
    model: "Grammar | str | Path",
    *,
    name: str = "model",
    settings: Settings | None = None,
    universal: str | None = None,
) -> ASGIApp:
    """The service as an ASGI application, limits included; the model is loaded by a process of its own.

    model: a grammar, or the path of one (which saves memory here); "en" is the bundled one.  universal: the
    path of a dependency model for universal relations; "en" is served with "en-ud" unless told otherwise.
    """
    chosen, metrics = settings or Settings(), Metrics()
    crew = Crew(model, chosen.limits, universal or universal_for(model))
    service = Service(name, chosen, Gate(crew, chosen, metrics), Profiles(crew), crew.start())

    @contextlib.asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        service.gate.open()
        service.profiles.start()
        yield
        await service.profiles.close()
        await service.gate.close()

    app = FastAPI(
        title="eigenparse", version=__version__, description=DESCRIPTION, docs_url=None, redoc_url=None,
        openapi_url=None, lifespan=lifespan,
    )  # fmt: skip
    app.state.service = service
    _add_work(app, service)
    _add_facts(app, service)
    _add_health(app, service)
    _add_pages(app)
    add_errors(app)
    return Guard(app, chosen, metrics)


def universal_for(model: Any) -> str | None:
    """The bundled dependency model that goes with a bundled grammar, where there is one."""
    name = f"{model}-ud"
    return name if str(model) in MODELS and name in MODELS and located(name).exists() else None


def _said(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """The error responses of a route."""
    always = (400, 408, 413, 421, 422, 429, 503)
    return {
        code: {"model": schema.Problem, "description": WHY[code]} for code in sorted({*always, *statuses})
    }


def _add_work(app: FastAPI, service: Service) -> None:
    """The routes that use the grammar on what clients send."""
    settings = service.settings

    @app.post("/parse", response_model=schema.ParseOut, responses=_said(409), tags=["work"])
    async def parse(body: schema.ParseBody, request: Request) -> Response:
        """Trees of one sentence, of several, or of a paragraph.

        A sentence is plain text, which is tokenised, or a list of tokens, which are kept.
        """
        if body.k > settings.max_trees:
            raise Refusal(413, "too_many", f"k is {body.k}; ask for at most {settings.max_trees} trees")
        return await results(service.gate, request, body, parse_jobs)

    @app.post("/tag", response_model=schema.TagsOut, responses=_said(), tags=["work"])
    async def tag(body: schema.TagBody, request: Request) -> Response:
        """The likeliest tag of every token, with others that it may have."""
        return await results(service.gate, request, body, tag_jobs)

    @app.post("/score", response_model=schema.ScoreOut, responses=_said(), tags=["work"])
    async def score(body: schema.ScoreBody, request: Request) -> Response:
        """log p of trees in brackets; a tree that cannot be read says why."""
        return await results(service.gate, request, body, score_jobs)

    @app.post("/split", response_model=schema.SplitOut, responses=_said(), tags=["work"])
    async def split(body: schema.SplitBody, request: Request) -> Response:
        """The sentences of a paragraph, as /parse would cut it."""
        return await result(service.gate, request, split_jobs(body))

    @app.post("/compare", response_model=schema.CompareOut, responses=_said(409), tags=["work"])
    async def compare(body: schema.CompareBody, request: Request) -> Response:
        """Where guessed trees differ from gold trees, the worst sentences first, as a page."""
        return await result(service.gate, request, compare_jobs(body))


def _add_facts(app: FastAPI, service: Service) -> None:
    """The routes that describe the model."""
    settings = service.settings
    limits = {
        name: getattr(settings, name)
        for name in ("max_bytes", "max_words", "max_word_length", "max_sentences", "max_trees", "seconds")
    }
    facts = {"model": service.name, "version": __version__, "limits": limits} | service.known
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


def _add_health(app: FastAPI, service: Service) -> None:
    """The routes for operators of the service."""
    gate = service.gate

    @app.get("/health", response_model=schema.HealthOut, responses=_said(), tags=["health"])
    async def health() -> dict[str, Any]:
        """Whether the service is up, and its load."""
        known = {"status": "ok", "model": service.name, "version": __version__}
        return known | {"under_way": gate.held, "room": gate.room}

    @app.get("/ready", response_model=schema.ReadyOut, responses=_said(), tags=["health"])
    async def ready() -> dict[str, Any]:
        """Whether the next request would be served; 503 while the model is loaded again or the queue is full."""
        if not gate.ready:
            raise Refusal(503, "not_ready", "no place or no worker is free; try again in a second", retry=1)
        return {"status": "ready"}

    @app.get("/metrics", response_class=PlainTextResponse, responses=_said(), tags=["health"])
    async def metrics() -> Response:
        """Counters in the text format of Prometheus."""
        gauges = {
            "under_way": ("Requests that are worked on or wait.", gate.held),
            "room": ("Requests that may be under way at a time.", gate.room),
            "ready": ("1 if the next request would be served.", float(gate.ready)),
        }
        return PlainTextResponse(gate.metrics.text(gauges), media_type="text/plain; version=0.0.4")


def _add_pages(app: FastAPI) -> None:
    """The web page and the description of the service, all from this package."""
    fresh = {"cache-control": "no-cache"}
    description = json.dumps(app.openapi(), ensure_ascii=False).encode()

    @app.get("/openapi.json", include_in_schema=False)
    async def openapi() -> Response:
        return Response(description, media_type="application/json")

    @app.get("/", include_in_schema=False)
    async def page() -> FileResponse:
        return FileResponse(STATIC / "index.html", headers=fresh)

    @app.get("/docs", include_in_schema=False)
    async def docs() -> FileResponse:
        return FileResponse(STATIC / "docs.html", headers=fresh)

    @app.get("/favicon.ico", include_in_schema=False)
    async def icon() -> FileResponse:
        return FileResponse(STATIC / "icon.svg", headers=fresh, media_type="image/svg+xml")

    @app.get("/static/errors_page.js", include_in_schema=False)
    async def errors() -> FileResponse:
        return FileResponse(files("eigenparse.report") / "errors_page.js", headers=fresh)  # type: ignore[arg-type]

    app.mount("/static", StaticFiles(directory=STATIC))

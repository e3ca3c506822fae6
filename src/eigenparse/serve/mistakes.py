"""Errors of all kinds in, an HTTP status and one sentence out."""

from collections.abc import Sequence
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from eigenparse.serve.refusal import Refusal, internal, problem
from eigenparse.serve.schema import ParseOne

SEE = "see /docs for examples"
SHAPES = ("string_type", "list_type", "model_attributes_type")
GIVEN = ("sentence", "sentences", "text")  # of which a request has one, where it may have any
NAMES = ("Limited",)  # of models, which are no parts of a request
WORDS = {
    "missing": "is missing",
    "too_short": "is empty",
    "extra_forbidden": "is not known here",
    "string_type": "should be a text",
    "list_type": "should be a list",
    "model_attributes_type": "should be an object in braces",
    "string_unicode": "holds half a character (a lone surrogate)",
}


def add_errors(app: FastAPI) -> None:
    """Every failure as one sentence; details of the unexpected go to the log only."""

    @app.exception_handler(Refusal)
    async def refused(_: Request, error: Refusal) -> JSONResponse:
        headers = None if error.retry is None else {"retry-after": str(error.retry)}
        return JSONResponse(problem(error.code, error.message), error.status, headers)

    @app.exception_handler(RequestValidationError)
    async def misshapen(request: Request, error: RequestValidationError) -> JSONResponse:
        found = error.errors()
        if found[0]["type"] == "json_invalid":
            return JSONResponse(problem("not_json", f"the body is not JSON; {SEE}"), 400)
        told = in_words(found, request.headers.get("content-type"))
        return JSONResponse(problem("misshapen", f"{told}; {SEE}"), 422)

    @app.exception_handler(HTTPException)
    async def plain(request: Request, error: HTTPException) -> JSONResponse:
        code = {400: "not_json", 404: "not_found", 405: "wrong_method"}.get(error.status_code, "refused")
        told = {
            400: f"the body cannot be read as JSON; {SEE}",
            404: "there is nothing here; see /docs",
            405: f"the method {request.method} is not for this path; see /docs",
        }
        said = told.get(error.status_code, str(error.detail))
        return JSONResponse(problem(code, said), error.status_code, error.headers)

    @app.exception_handler(Exception)
    async def unexpected(_: Request, error: Exception) -> JSONResponse:  # the guard logs it
        failed = internal()
        return JSONResponse(problem(failed.code, failed.message), failed.status)


def in_words(found: Sequence[dict[str, Any]], content_type: str | None) -> str:
    """What is wrong with a request, in plain words instead of those of the validation library.

    found: its errors.  If a value may have several shapes there is one error per shape; the one
    that is not about the shape is the most helpful.
    """
    error = next((one for one in found if one["type"] not in SHAPES), found[0])
    source, *rest = error["loc"]
    if source == "body" and (not rest or (len(rest) == 1 and error["type"] == "model_attributes_type")):
        return _whole_body(content_type)
    shape = rest[0] if source == "body" and len(rest) > 1 and rest[0] in GIVEN else None
    inner = rest if shape is None else rest[1:]
    tokens = any(str(part).startswith("list[") for part in inner)
    place = ".".join(
        str(part) for part in inner if isinstance(part, int) or (part.isidentifier() and part not in NAMES)
    )[:200]
    if error["type"] == "string_pattern_mismatch":
        return f"{place} is empty or holds a blank; a token is a word" if tokens else f"{place} is empty"
    if error["type"] == "extra_forbidden" and shape in GIVEN and place in GIVEN:
        return f"{place} and {shape} exclude each other; send one of them"
    if error["type"] == "extra_forbidden" and shape in GIVEN and place in ParseOne.model_fields:
        return f"{place} does not go with {shape}"
    if error["type"] == "string_type" and any(one["type"] == "list_type" for one in found):
        return f"{place} should be a text or a list of tokens"
    said = WORDS.get(error["type"]) or error["msg"].removeprefix("Input ").removeprefix("String ")
    return f"{place} {said}"


def _whole_body(content_type: str | None) -> str:
    """Why a body as a whole is not a request."""
    if content_type is None or "json" not in content_type.lower():
        given = "is missing" if content_type is None else f"is {content_type[:100]!r}"
        return f"the header Content-Type {given}; send JSON with 'Content-Type: application/json'"
    return "the body is empty or not an object in braces"

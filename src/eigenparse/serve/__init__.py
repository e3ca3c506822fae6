"""The HTTP service and its web page: a grammar and settings in, an ASGI application out."""

from eigenparse.errors import missing_extra

try:
    from eigenparse.serve.app import create_app
    from eigenparse.serve.settings import Settings
except ImportError as problem:
    if (problem.name or "").startswith("eigenparse"):
        raise
    raise missing_extra("serve") from problem

__all__ = ["Settings", "create_app"]

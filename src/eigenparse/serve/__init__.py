"""The HTTP service and its web page: a grammar and settings in, an ASGI application out."""

from eigenparse.serve.app import create_app
from eigenparse.serve.settings import Settings

__all__ = ["Settings", "create_app"]

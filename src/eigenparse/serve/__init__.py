"""The HTTP service and its web page: a grammar and settings in, an ASGI application out.

Names are imported when they are first used, so that worker processes do without the web framework.
"""

import importlib
from typing import TYPE_CHECKING, Any

from eigenparse.errors import missing_extra

if TYPE_CHECKING:
    from eigenparse.serve.app import create_app
    from eigenparse.serve.settings import Settings

_HOMES = {"Settings": "settings", "create_app": "app"}
__all__ = ["Settings", "create_app"]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        return getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
    except ImportError as problem:
        if (problem.name or "").startswith("eigenparse"):
            raise
        raise missing_extra("serve") from problem

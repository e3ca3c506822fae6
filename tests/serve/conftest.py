"""Services that several tests share."""

import pathlib
from collections.abc import Iterator

import pytest
from starlette.testclient import TestClient
from tests.api.small import english
from tests.serve.clients import service


@pytest.fixture(scope="session")
def client() -> Iterator[TestClient]:
    """A service with ordinary limits."""
    with service() as found:
        yield found


@pytest.fixture(scope="session")
def model(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """The small grammar as a file."""
    path = tmp_path_factory.mktemp("model") / "small.model"
    english().save(path)
    return path

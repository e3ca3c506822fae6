"""The recipe of the image asks for its health under a name that its own service answers to, and runs without rights."""

import pathlib
import re

RECIPE = (pathlib.Path(__file__).parents[2] / "Dockerfile").read_text("utf-8")


def test_the_health_check_reaches_the_service() -> None:
    asked = re.search(r"http://([^:/]+):(\d+)/ready", RECIPE)
    assert asked
    served = next(line for line in RECIPE.splitlines() if line.startswith("CMD"))
    assert f'"--allow-host", "{asked[1]}"' in served
    assert f'"--port", "{asked[2]}"' in served
    assert f"EXPOSE {asked[2]}" in RECIPE


def test_kernels_are_compiled_by_the_user_who_serves() -> None:
    lines = [line.split()[0:4] for line in RECIPE.splitlines() if line[:1].isupper()]
    user, serves = (
        lines.index(["USER", "eigenparse"]),
        next(i for i, one in enumerate(lines) if one[0] == "CMD"),
    )
    warm = lines.index(["RUN", "eigenparse", "warm-up", "--parsing"])
    assert user < warm < serves
    assert not [one for one in lines[warm:] if one[0] == "USER"]

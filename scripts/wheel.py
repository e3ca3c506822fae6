"""Build the wheel with compiled kernels: this source tree in, dist/*.whl out.

    python scripts/wheel.py              # kernels of parsing with the bundled models, and of learning
    python scripts/wheel.py --parsing    # kernels of parsing only

The machine code is made for x86-64-v3 (processors since 2013 to 2015), for this version of Python and of numba.
Elsewhere, and for what it lacks, kernels are compiled at their first use, as from a wheel without them.
"""

import argparse
import base64
import hashlib
import os
import platform
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from eigenparse.kernels.compiled import COMMON, FEATURES, runs_common_code

ROOT = Path(__file__).resolve().parent.parent
USED = """
import sys
from numba.core.caching import IndexDataCacheFile as Files
load = Files._load_data
def noted(self, name):
    print("USED", self._data_path(name))
    return load(self, name)
Files._load_data = noted
from eigenparse.cli.main import main
main()
"""


def plain_wheel(folder: Path) -> Path:
    """The wheel as the build backend makes it."""
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "-w", str(folder), str(ROOT)]
    subprocess.run(command, check=True)
    return next(folder.glob("eigenparse-*.whl"))


def compiled(package: Path, arguments: list[str]) -> list[Path]:
    """Compile the kernels of an unpacked wheel; the files that a second run reads."""
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("NUMBA_")},
        "NUMBA_CPU_NAME": COMMON[platform.machine()],
        "NUMBA_CPU_FEATURES": FEATURES,
        "PYTHONPATH": str(package),
    }
    command = [sys.executable, "-c", USED, "warm-up", *arguments]
    for _ in range(2):
        run = subprocess.run(
            command, env=environment, check=True, stdout=subprocess.PIPE, text=True, cwd=package
        )
    used = {line.removeprefix("USED ") for line in run.stdout.splitlines() if line.startswith("USED ")}
    indices = {f"{name.rsplit('.', 2)[0]}.nbi" for name in used}
    return sorted(Path(name) for name in used | indices)


def record_line(name: str, content: bytes) -> str:
    """A file's line in the wheel's list of files."""
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(content)}\n"


def write_wheel(plain: Path, package: Path, more: list[Path], out: Path) -> Path:
    """The same wheel with more files, for this platform and version of Python."""
    tag = f"cp{sys.version_info.major}{sys.version_info.minor}"
    tags = f"{tag}-{tag}-{sys.platform}_{platform.machine()}"
    made = out / f"{plain.name.removesuffix('-py3-none-any.whl')}-{tags}.whl"
    out.mkdir(exist_ok=True)
    with (
        zipfile.ZipFile(plain) as old,
        zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as new,
    ):
        record = next(name for name in old.namelist() if name.endswith(".dist-info/RECORD"))
        lines = ""
        for name in sorted(old.namelist()):
            content = old.read(name)
            if name.endswith(".dist-info/WHEEL"):
                content = content.replace(b"Root-Is-Purelib: true", b"Root-Is-Purelib: false")
                content = content.replace(b"Tag: py3-none-any", f"Tag: {tags}".encode())
            if name != record:
                lines += record_line(name, content)
                new.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
        for path in more:
            name, content = path.relative_to(package).as_posix(), path.read_bytes()
            lines += record_line(name, content)
            new.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
        new.writestr(zipfile.ZipInfo(record), f"{lines}{record},,\n", zipfile.ZIP_DEFLATED)
    return made


def main() -> None:
    arguments = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    arguments.add_argument("--parsing", action="store_true", help="only what parsing needs")
    arguments.add_argument("--out", type=Path, default=ROOT / "dist")
    given = arguments.parse_args()
    if not runs_common_code():
        sys.exit(
            f"this machine cannot run code for {', '.join(set(COMMON.values()))}; build the wheel elsewhere"
        )
    with tempfile.TemporaryDirectory() as place:
        package = Path(place) / "package"
        plain = plain_wheel(Path(place))
        zipfile.ZipFile(plain).extractall(package)
        kernels = compiled(package, ["--parsing"] if given.parsing else [])
        made = write_wheel(plain, package, kernels, given.out)
    size = sum(1 for path in kernels if path.suffix == ".nbc")
    print(f"{made}: {made.stat().st_size / 1e6:.1f} MB, {size} compiled kernels")


if __name__ == "__main__":
    main()

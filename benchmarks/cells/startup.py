"""Before the first operation: the time of the import and the size on disk. Standard library only."""

from __future__ import annotations

import importlib.util
import re
import statistics
import subprocess
import sys
import tomllib
from importlib import metadata
from pathlib import Path

from cells.cell import Cell, Measurement

FRAMEWORKS = ("gradtape", "numpy", "torch", "tensorflow", "jax", "autograd")
PROJECT = Path(__file__).parents[2] / "pyproject.toml"


def import_time(framework: str) -> Measurement:
    """Seconds of the import statement alone, in processes that have imported nothing else."""
    program = f"import time; start = time.perf_counter(); import {framework}; print(time.perf_counter() - start)"
    seconds = []
    for _ in range(4):
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
        seconds.append(float(done.stdout))
    return Measurement(statistics.median(seconds[1:]), None)  # the first one warms the disk and compiles


def install_size(framework: str) -> Measurement:
    """Bytes on disk of the package and everything that it requires, without compiled bytecode."""
    return Measurement(sum(size(name) for name in with_requirements(distribution(framework))), None)


def distribution(module: str) -> str:
    """The distribution that a module was installed with (tensorflow comes with tensorflow-cpu as well)."""
    return metadata.packages_distributions().get(module, [module])[0]


def with_requirements(start: str) -> set[str]:
    """The distribution `start` and, recursively, what it requires and is installed."""
    found: set[str] = set()
    pending = [start]
    while pending:
        name = normalised(pending.pop())
        if name not in found and (requirements := required(name)) is not None:
            found.add(name)
            pending += requirements
    return found


def required(name: str) -> list[str] | None:
    """Names of the requirements, without those of extras; None if the distribution is not installed."""
    try:
        lines = metadata.requires(name) or []
    except metadata.PackageNotFoundError:
        if name != "gradtape":
            return None
        lines = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]["dependencies"]
    return [re.split(r"[^\w.-]", line, maxsplit=1)[0] for line in lines if "extra ==" not in line]


def size(name: str) -> int:
    """Bytes of the files of one distribution."""
    if name == "gradtape":  # it may be imported from a checkout
        spec = importlib.util.find_spec("gradtape")
        if spec is None or spec.origin is None:
            raise ModuleNotFoundError("gradtape is not importable")
        paths = list(Path(spec.origin).parent.rglob("*"))
    else:
        paths = [Path(str(file.locate())) for file in metadata.files(name) or []]
    return sum(path.stat().st_size for path in paths if path.is_file() and path.suffix != ".pyc")


def normalised(name: str) -> str:
    """The canonical spelling of a distribution's name."""
    return re.sub(r"[-_.]+", "-", name).lower()


CELLS = (
    Cell("import", "ms", FRAMEWORKS, import_time),
    Cell("install size", "MiB", FRAMEWORKS, install_size),
)

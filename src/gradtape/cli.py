"""The command line: `python -m gradtape demo | doctor | --version`."""

from __future__ import annotations

import argparse
import os
import platform
from collections.abc import Sequence
from importlib import metadata

import numpy as np

from gradtape import demo
from gradtape.version import VERSION

REQUIRED = ("numpy", "ml_dtypes", "keras")
OPTIONAL = {
    "pytest": "runs the tests",
    "torch": "joins in the benchmarks",
    "tensorflow": "joins in the benchmarks",
    "jax": "joins in the benchmarks",
    "autograd": "joins in the benchmarks",
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; the result is the exit status.

    >>> main(["--version"])
    Traceback (most recent call last):
    SystemExit: 0
    """
    parser = argparse.ArgumentParser(prog="gradtape", description="tf.GradientTape without TensorFlow.")
    parser.add_argument("--version", action="version", version=f"gradtape {VERSION}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="command")
    commands.add_parser("demo", help="run three small programs and say what each shows")
    commands.add_parser("doctor", help="print what gradtape finds on this machine")
    if parser.parse_args(arguments).command == "doctor":
        return doctor()
    demo.run()
    return 0


def doctor() -> int:
    """Print versions and settings that matter to a bug report; 1 if something that gradtape needs is missing."""
    found = {name: installed(name) for name in REQUIRED}
    rows = {
        "gradtape": VERSION,
        "python": f"{platform.python_version()} ({platform.python_implementation()})",
        "platform": platform.platform(),
        **{name: version or "MISSING: pip install gradtape" for name, version in found.items()},
        "BLAS": blas(),
        "processors": str(os.cpu_count()),
        "KERAS_BACKEND": os.environ.get("KERAS_BACKEND", "not set"),
    }
    print_rows(rows)
    print("\nNot required:")
    print_rows({name: f"{installed(name) or 'not installed'} ({use})" for name, use in OPTIONAL.items()})
    return 0 if all(found.values()) else 1


def installed(distribution: str) -> str | None:
    """The version of an installed distribution, found without importing it; None if it is not there.

    >>> installed("no-such-distribution") is None
    True
    """
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return None


def blas() -> str:
    """Name and version of the BLAS that NumPy was built with."""
    found = np.show_config(mode="dicts").get("Build Dependencies", {}).get("blas", {})
    return f"{found.get('name', 'unknown')} {found.get('version', '')}".strip()


def print_rows(rows: dict[str, str]) -> None:
    """Print names and values in two columns."""
    width = max(map(len, rows))
    for name, value in rows.items():
        print(f"  {name:{width}}  {value}")

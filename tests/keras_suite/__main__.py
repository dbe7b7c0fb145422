"""Run folders of Keras' test-suite on gradtape: `python -m tests.keras_suite [--name numpy] [folder ...]`."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
CHECKOUT = "KERAS_CHECKOUT"
OPTIONS = [
    "-p",
    "tests.keras_suite.plugin",
    "-p",
    "no:cacheprovider",
    "-q",
    "-o",
    "addopts=",
    "--timeout",
    "300",
    "--continue-on-collection-errors",
]


def folders(checkout):
    """The folders of `keras/src` with tests, one run each: a run of all of them takes many gigabytes."""
    source = checkout / "keras" / "src"
    first = sorted(p.name for p in source.iterdir() if p.is_dir() and p.name != "layers" and any(p.rglob("*_test.py")))
    layers = sorted(f"layers/{p.name}" for p in (source / "layers").iterdir() if any(p.rglob("*_test.py")))
    return [*first, *layers, "layers/layer_test.py"]


def run(checkout, name, folder, options=()):
    """Run one folder, or file, and return pytest's exit status."""
    with tempfile.TemporaryDirectory() as home:
        environment = os.environ | {
            "GRADTAPE_SUITE_NAME": name,
            "KERAS_HOME": home,
            "OMP_NUM_THREADS": "1",
            "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "src")]),
            "TF_CPP_MIN_LOG_LEVEL": "3",
        }
        command = [sys.executable, "-m", "pytest", *OPTIONS, *options, f"keras/src/{folder}"]
        return subprocess.run(command, cwd=checkout, env=environment, check=False).returncode


def main():
    parser = argparse.ArgumentParser(prog="python -m tests.keras_suite", description=__doc__)
    parser.add_argument("folders", nargs="*", help="folders or files below keras/src; all if none is named")
    parser.add_argument("--name", choices=("gradtape", "numpy"), default="gradtape", help="how the backend is called")
    arguments, options = parser.parse_known_args()
    if not os.environ.get(CHECKOUT):
        parser.error(f"set {CHECKOUT} to a checkout of keras-team/keras at tag v3.15.1")
    checkout = Path(os.environ[CHECKOUT])
    failed = [f for f in arguments.folders or folders(checkout) if run(checkout, arguments.name, f, options)]
    sys.exit(f"failed: {' '.join(failed)}" if failed else 0)


if __name__ == "__main__":
    main()

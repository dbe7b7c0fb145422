"""Measure gradtape beside the frameworks that are installed.

Usage: python benchmarks/run.py [PATTERN ...] [--frameworks LIST] [--rounds N] [--python PATH] [--against SRC]

Every cell runs in a process of its own, the frameworks in turn within each round, so that a machine that changes speed
changes it for all. The table shows medians over the rounds, and in brackets gradtape's figure divided by the
framework's: the median of the rounds' own ratios, below 1 where gradtape needs less. The figures go to
`benchmarks/results/` as JSON.
"""

from __future__ import annotations

import argparse
import fnmatch
import json
import math
import os
import platform
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from cells import article, bulk, captured, cnn, embedding, keras, memory, mlp, startup, tape
from cells.cell import Cell

HERE = Path(__file__).parent
GROUPS = (startup, tape, article, mlp, captured, cnn, embedding, bulk, keras, memory)
FRAMEWORKS = ("gradtape", "numpy", "torch", "tensorflow", "jax", "autograd")
BEFORE = "before"  # gradtape from the checkout given as --against
SCALE = {"ms": 1e3, "µs": 1e6, "µs/op": 1e6, "µs/step": 1e6, "MiB": 1 / 2**20, "ratio": 1.0}
AGREE = 1e-3

# The first two work around old BLAS builds, and slow down a current one; without bytecode every import compiles anew.
UNSET = ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE", "PYTHONDONTWRITEBYTECODE")
QUIET = {"TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": "-1", "JAX_PLATFORMS": "cpu"}

Result = dict[str, Any]


def main() -> int:
    """Measure, print, keep; 1 if a cell failed or the frameworks' results disagree."""
    options = parse()
    environments = {name: environment(options, name) for name in (*FRAMEWORKS, BEFORE)}
    wanted = options.frameworks.split(",") if options.frameworks else FRAMEWORKS
    present = [f for f in wanted if importable(options.python, f, environments[f])]
    if options.against:
        present.insert(1, BEFORE)
    print(f"{platform.platform()}, {os.cpu_count()} processors; frameworks: {', '.join(present)}", flush=True)
    results: dict[str, Result] = {}
    problems: list[str] = []
    print_header(present)
    for group in GROUPS:
        for cell in group.CELLS:
            if not selected(cell, options.patterns):
                continue
            frameworks = [f for f in present if (f if f != BEFORE else "gradtape") in cell.frameworks]
            rounds = measure(cell, group.__name__.rpartition(".")[2], frameworks, options, environments, problems)
            results[cell.name] = {"unit": cell.unit, "frameworks": summary(rounds)}
            problems += disagreements(cell, results[cell.name]["frameworks"])
            print_row(cell, present, results[cell.name]["frameworks"])
    keep(results, options)
    for problem in problems:
        print(f"problem: {problem}", file=sys.stderr)
    return 1 if problems else 0


def parse() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description="Measure gradtape beside the frameworks that are installed.")
    parser.add_argument("patterns", nargs="*", help="names of cells, with wildcards; all by default")
    parser.add_argument("--frameworks", help=f"comma-separated, of {', '.join(FRAMEWORKS)}; all that are installed")
    parser.add_argument("--rounds", type=int, default=3, help="processes per cell and framework (default 3)")
    parser.add_argument("--python", default=sys.executable, help="the interpreter that has the frameworks")
    parser.add_argument("--src", type=Path, default=HERE.parent / "src", help="where gradtape is imported from")
    parser.add_argument("--against", type=Path, help="the src folder of another checkout, measured as 'before'")
    parser.add_argument("--output", type=Path, help="where the JSON goes (default benchmarks/results/TIME.json)")
    parser.add_argument("--list", action="store_true", help="list the cells and stop")
    options = parser.parse_args()
    if options.list:
        print("\n".join(cell.name for group in GROUPS for cell in group.CELLS))
        raise SystemExit
    return options


def environment(options: argparse.Namespace, framework: str) -> dict[str, str]:
    """The child's environment: threads and kernels as each library chooses them."""
    source = options.against if framework == BEFORE else options.src
    kept = {name: value for name, value in os.environ.items() if name not in UNSET}
    paths = [str(HERE), *([str(source.resolve())] if source else [])]
    return {**kept, **QUIET, "PYTHONPATH": os.pathsep.join(paths)}


def importable(python: str, framework: str, variables: dict[str, str]) -> bool:
    """Whether the interpreter finds the framework."""
    program = f"import importlib.util, sys; sys.exit(importlib.util.find_spec({framework!r}) is None)"
    return subprocess.run([python, "-c", program], env=variables, check=False).returncode == 0


def selected(cell: Cell, patterns: list[str]) -> bool:
    """Whether the cell's name matches a pattern."""
    return not patterns or any(fnmatch.fnmatch(cell.name.lower(), f"*{pattern.lower()}*") for pattern in patterns)


def measure(
    cell: Cell,
    group: str,
    frameworks: list[str],
    options: argparse.Namespace,
    environments: dict[str, dict[str, str]],
    problems: list[str],
) -> list[dict[str, Result]]:
    """One result per round and framework; a framework that fails is left out of its round and reported."""
    rounds = []
    for _ in range(options.rounds):
        this_round = {}
        for framework in frameworks:
            name = "gradtape" if framework == BEFORE else framework
            command = [options.python, str(HERE / "worker.py"), group, cell.name, name]
            done = subprocess.run(
                command, env=environments[framework], capture_output=True, text=True, check=False, timeout=900
            )
            if done.returncode == 0:
                this_round[framework] = json.loads(done.stdout.splitlines()[-1])
            else:
                problems.append(f"{cell.name}, {framework}: {(done.stderr.strip().splitlines() or ['no output'])[-1]}")
        rounds.append(this_round)
    return rounds


def summary(rounds: list[dict[str, Result]]) -> dict[str, Result]:
    """Per framework: the median figure, every figure, the check value, and the ratio to gradtape round by round."""
    found = {}
    for framework in dict.fromkeys(name for this_round in rounds for name in this_round):
        taken = [r for r in rounds if framework in r]
        figures = [r[framework]["figure"] for r in taken]
        ratios = [r["gradtape"]["figure"] / r[framework]["figure"] for r in taken if "gradtape" in r]
        found[framework] = {
            "version": taken[0][framework]["version"],
            "median": statistics.median(figures),
            "figures": figures,
            "check": taken[0][framework]["check"],
            "ratio": statistics.median(ratios) if ratios else None,
        }
    return found


def disagreements(cell: Cell, found: dict[str, Result]) -> list[str]:
    """Frameworks whose result is not the first one's: they did other work, so their time says nothing."""
    checks = {name: result["check"] for name, result in found.items() if result["check"] is not None}
    if not checks:
        return []
    expected = next(iter(checks.values()))
    return [
        f"{cell.name}: {name} computed {value}, not {expected}"
        for name, value in checks.items()
        if not math.isclose(value, expected, rel_tol=AGREE, abs_tol=AGREE)
    ]


def print_header(frameworks: list[str]) -> None:
    """The first line of the table."""
    print(f"\n{'cell':32}{'unit':9}" + "".join(f"{name:>18}" for name in frameworks), flush=True)


def print_row(cell: Cell, frameworks: list[str], found: dict[str, Result]) -> None:
    """Medians, and in brackets gradtape's figure over the framework's."""
    columns = []
    for name in frameworks:
        if name not in found:
            columns.append("-")
            continue
        result = found[name]
        figure = f"{result['median'] * SCALE[cell.unit]:,.2f}"
        columns.append(figure if name == "gradtape" or result["ratio"] is None else f"{figure} ({result['ratio']:.2f})")
    print(f"{cell.name:32}{cell.unit:9}" + "".join(f"{column:>18}" for column in columns), flush=True)


def keep(results: dict[str, Result], options: argparse.Namespace) -> None:
    """Write the figures, in seconds and bytes, with what a reader must know about the machine."""
    output = options.output or HERE / "results" / f"{time.strftime('%Y-%m-%d-%H%M%S')}.json"
    output.parent.mkdir(parents=True, exist_ok=True)
    about = {
        "time": time.strftime("%Y-%m-%dT%H:%M:%S%z"),
        "platform": platform.platform(),
        "processors": os.cpu_count(),
        "rounds": options.rounds,
    }
    output.write_text(json.dumps({"about": about, "cells": results}, indent=1) + "\n", encoding="utf-8")
    print(f"\nkept in {output}")


if __name__ == "__main__":
    sys.exit(main())

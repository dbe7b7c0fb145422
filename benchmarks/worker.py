"""Measure one cell in this process and print the result as JSON: `python worker.py GROUP CELL FRAMEWORK`."""

import json
import sys
from importlib import import_module, metadata


def main(group: str, name: str, framework: str) -> None:
    """Run the cell; import nothing but its own group."""
    [cell] = [c for c in import_module(f"cells.{group}").CELLS if c.name == name]
    measurement = cell.measure(framework)
    distributions = metadata.packages_distributions().get(framework)
    version = metadata.version(distributions[0]) if distributions else "checkout"
    print(json.dumps({"figure": measurement.figure, "check": measurement.check, "version": version}))


if __name__ == "__main__":
    main(*sys.argv[1:])

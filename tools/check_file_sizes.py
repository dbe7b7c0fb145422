"""Fail on files that grew past one idea: over 600 lines where the engine and the mathematics live.

Usage: python tools/check_file_sizes.py [folder]
"""

import sys
from pathlib import Path

WARN, LIMIT = 400, 600
STRICT = ("core", "ops", "transforms", "function")


def main(root: Path) -> int:
    """Print every file over a limit; return 1 if one of them must be split."""
    package = root / "src" / "gradtape"
    status = 0
    for path in sorted(package.rglob("*.py")):
        with path.open(encoding="utf-8") as file:
            lines = sum(1 for _ in file)
        place = path.relative_to(package)
        strict = place.parts[0] in STRICT
        if strict and lines > LIMIT:
            print(f"error: {place} has {lines} lines, the limit is {LIMIT}: split it, one idea per file")
            status = 1
        elif lines > (WARN if strict else LIMIT):
            print(f"warning: {place} has {lines} lines: two ideas in one file?")
    return status


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent.parent))

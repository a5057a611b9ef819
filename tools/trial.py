#!/usr/bin/env python3
"""Keeps the table of distances in docs/trial.md as `assay selftest --distances` prints it.

Without --write it compares all but the seconds, prints the difference and exits 1 if there is one, or
if a distance is not refused."""

import argparse
import difflib
import pathlib
import re
import subprocess
import sys

PAGE = pathlib.Path(__file__).resolve().parent.parent / "docs" / "trial.md"
BLOCK = re.compile(r"(<!-- distances -->\n).*?(<!-- end -->)", re.S)


def timeless(table: str) -> list[str]:
    return [re.sub(r"\| [^|]* \|$", "|", line) + "\n" for line in table.splitlines()]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--assay", default="build/assay", help="the program")
    parser.add_argument("--write", action="store_true", help="change the page")
    args = parser.parse_args()
    run = subprocess.run([args.assay, "selftest", "--distances"], stdout=subprocess.PIPE, text=True)
    page = PAGE.read_text()
    found = BLOCK.search(page)
    if found is None:
        sys.exit(f"{PAGE}: found no block of distances")
    old = found[0].removeprefix(found[1]).removesuffix(found[2])
    if args.write:
        PAGE.write_text(BLOCK.sub(lambda m: m[1] + run.stdout + m[2], page))
        return run.returncode
    stale = timeless(old) != timeless(run.stdout)
    if stale:
        sys.stdout.writelines(difflib.unified_diff(timeless(old), timeless(run.stdout), "docs/trial.md",
                                                   "what the program prints"))
        print("run: tools/trial.py --write")
    return max(int(stale), run.returncode)


if __name__ == "__main__":
    sys.exit(main())

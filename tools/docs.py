#!/usr/bin/env python3
"""Keeps docs/spec.md and docs/profiles.md as the program prints them.

Without --write it compares, prints the difference and exits 1 if there is one."""

import argparse
import difflib
import pathlib
import subprocess
import sys

DOCS = pathlib.Path(__file__).resolve().parent.parent / "docs"
PAGES = {"spec.md": "requirements", "profiles.md": "profiles"}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--assay", default="build/assay", help="the program")
    parser.add_argument("--write", action="store_true", help="change the pages")
    args = parser.parse_args()
    stale = False
    for name, what in PAGES.items():
        page = DOCS / name
        new = subprocess.run([args.assay, "list", what, "--format", "markdown"],
                             stdout=subprocess.PIPE, text=True, check=True).stdout
        old = page.read_text() if page.exists() else ""
        if args.write:
            page.write_text(new)
        elif old != new:
            stale = True
            sys.stdout.writelines(difflib.unified_diff(
                old.splitlines(True), new.splitlines(True), f"docs/{name}",
                "what the program prints"))
    if stale:
        print("run: tools/docs.py --write")
    return int(stale)


if __name__ == "__main__":
    sys.exit(main())

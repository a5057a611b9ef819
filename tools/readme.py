#!/usr/bin/env python3
"""Keeps the README's figures true: fills its marked blocks from the program's own output.

Without --write it compares, prints the difference and exits 1 if there is one."""

import argparse
import difflib
import json
import pathlib
import re
import subprocess
import sys

README = pathlib.Path(__file__).resolve().parent.parent / "README.md"


def output(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True).stdout


def matrix(assay: str, record: str) -> str:
    lines = output(assay, "report", record).splitlines()
    first = next(i for i, line in enumerate(lines) if line.startswith("operation"))
    last = next(i for i, line in enumerate(lines) if line.startswith("n clauses hold"))
    return "\n".join("    " + line.rstrip() for line in lines[first:last])


def counts(assay: str, record: str) -> str:
    cells = [c for c in json.loads(pathlib.Path(record).read_text())["cells"] if c.get("grade")]
    exact = sum(c["grade"] == "exact" for c in cells)
    faults = len(output(assay, "list", "faults").splitlines())
    variants = len(output(assay, "list", "variants").splitlines())
    return (
        f"{exact} of {len(cells)} cells of `host` are decided without tolerance or statistics;\n"
        f"{faults} faulty kernels are refused and {variants} correct but different ones pass."
    )


def filled(text: str, blocks: dict[str, str]) -> str:
    for name, body in blocks.items():
        pattern = rf"(<!-- {name} -->\n).*?(\n<!-- /{name} -->)"
        text = re.sub(pattern, lambda m, b=body: m[1] + b + m[2], text, flags=re.S)
    return text


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--assay", required=True, help="the program")
    parser.add_argument("--record", required=True, help="a quick record of host under strict")
    parser.add_argument("--write", action="store_true", help="change the README")
    args = parser.parse_args()
    old = README.read_text()
    new = filled(old, {"matrix": matrix(args.assay, args.record),
                       "counts": counts(args.assay, args.record)})
    if args.write:
        README.write_text(new)
    elif old != new:
        sys.stdout.writelines(difflib.unified_diff(old.splitlines(True), new.splitlines(True),
                                                   "README.md", "what the program prints"))
        print("run: tools/readme.py --write with the same arguments")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

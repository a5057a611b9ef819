#!/usr/bin/env python3
"""Writes copies of the sources of `host` and of the reference in which mutants sleep.

A mutant is one small change, such as `a < b` to `a <= b`. All of a sample are compiled into one
library, each behind `::mutants::On(id)`, and the environment wakes one (mutant.h). Points are found
by points.py; what does not compile, as in a constant expression, is left out.
The sample takes turns at strata, a file and a kind each, in an order that is a hash of the place,
so that a change elsewhere keeps it."""

import argparse
import concurrent.futures
import hashlib
import json
import pathlib
import re
import subprocess
import sys

from points import ROOT, find_all

HERE = pathlib.Path(__file__).resolve().parent
SEED = "assay"

# What is mutated, by the subject that it makes. Data (profiles), tests and their helpers are not.
GROUPS = {
    "host": ["conformance/subjects/host/*.cc", "conformance/subjects/host/*.h"],
    "reference": ["reference/*.cc"],
}
NOT_MUTATED = re.compile(r"_test\.cc$|test_call\.h$|reference/profile|_testing\.h$")


def files_of(group):
    found = {path for glob in GROUPS[group] for path in ROOT.glob(glob)}
    names = sorted(path.relative_to(ROOT).as_posix() for path in found)
    return [name for name in names if not NOT_MUTATED.search(name)]


def all_files():
    return [name for group in GROUPS for name in files_of(group)]


def order(point):
    place = [SEED] + [str(point[key]) for key in ("file", "function", "kind", "old", "new", "nth")]
    return hashlib.sha256("|".join(place).encode()).hexdigest()


def sample(points, count, banned):
    """Turns at strata, the best hash of each first."""
    strata = {}
    for point in sorted(points, key=order):
        if order(point) not in banned:
            strata.setdefault((point["file"], point["kind"]), []).append(point)
    chosen = []
    turn = 0
    while len(chosen) < count and any(len(s) > turn for s in strata.values()):
        layer = sorted((s[turn] for s in strata.values() if len(s) > turn), key=order)
        chosen += layer[:count - len(chosen)]
        turn += 1
    return sorted(chosen, key=lambda p: (p["file"], p["start"], p["end"], order(p)))


def render(text, points):
    """The file with all of its mutants. Ranges nest or are apart."""
    ranges = {}
    for point in points:
        ranges.setdefault((point["start"], point["end"], point["deletes"]), []).append(point)
    # Outer before inner; a deletion holds the expression that it deletes.
    spans = sorted(ranges, key=lambda r: (r[0], -r[1], not r[2]))

    def inside(start, end, at):
        out = ""
        while at < len(spans) and spans[at][0] < end and spans[at][1] <= end:
            first, last, deletes = spans[at]
            out += text[start:first].decode()
            whole, next_at = inside(first, last, at + 1)
            for point in ranges[spans[at]]:
                on = f"::mutants::On({point['id']})"
                whole = (f"{{ if (!{on}) {{ {whole} }} }}" if deletes else
                         f"({on} ? ({flat(point['new'], point['old'])}) : ({whole}))")
            out += whole
            start, at = last, next_at
        return out + text[start:end].decode(), at

    return inside(0, len(text), 0)[0]


def flat(new, old):
    """On one line, so that what follows keeps its line number; a comment would hide the rest."""
    return " ".join(re.sub(r"//[^\n]*", "", new).split())


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def write_sources(to, points, names):
    for name in names:
        here = [point for point in points if point["file"] == name]
        write(to / name, render((ROOT / name).read_bytes(), here))


def complaints(compiler, to, name, flags):
    """Lines of the mutated file that do not compile."""
    run = subprocess.run(
        [compiler, "-fsyntax-only", "-w", "-x", "c++", "-I", str(to), *flags,
         "-include", str(HERE / "mutant.h"), str(to / name)],
        stderr=subprocess.PIPE, text=True)
    lines = {int(n) for n in re.findall(re.escape(str(to / name)) + r":(\d+):", run.stderr)}
    if run.returncode != 0 and not lines:
        raise SystemExit(f"{name}: {run.stderr}")
    return lines if run.returncode != 0 else set()


def make(args):
    include = subprocess.run([args.compiler, "-print-file-name=include"], stdout=subprocess.PIPE,
                             text=True, check=True).stdout.strip()
    flags = ["-std=c++20", "-I", str(ROOT)] + [
        # A compiler's own folders must stay where it has them.
        f"-isystem{path}" for path in args.include if path != "/usr/include"]
    names = args.files or all_files()
    # Without the intrinsics of GCC's headers, which another compiler does not know.
    points = find_all(names, ["-x", "c++", "-DEIGEN_DONT_VECTORIZE", "-isystem", include] + flags)
    groups = [[p for p in points if p["file"] in files_of(group)] for group in GROUPS]
    groups = [group for group in groups if group]
    banned, checked = set(), {}
    while True:
        chosen = [p for group in groups for p in sample(group, args.count // len(groups), banned)]
        for number, point in enumerate(chosen, 1):
            point["id"] = number
        write_sources(args.to, chosen, names)
        before = len(banned)
        # Only files whose mutants changed: ids aside, they are the same.
        todo = [name for name in names
                if checked.get(name) != [order(p) for p in chosen if p["file"] == name]]
        with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
            results = pool.map(lambda name: complaints(args.compiler, args.to, name, flags), todo)
            for name, lines in zip(todo, list(results)):
                mine = [p for p in chosen if p["file"] == name]
                bad = {order(p) for p in mine
                       if any(p["line"] <= n <= p["line"] + p["old"].count("\n") for n in lines)}
                if lines and not bad:
                    raise SystemExit(f"{name}: lines {sorted(lines)} do not compile")
                banned |= bad
                if not bad:
                    checked[name] = [order(p) for p in mine]
        if len(banned) == before:
            break
    write(args.to / "mutants.json", json.dumps(
        {"found": len(points), "not_compiled": len(banned), "mutants": chosen}, indent=1) + "\n")
    print(f"{len(points)} points, {len(chosen)} mutants, {len(banned)} that do not compile left out")


def check():
    """Whether the places of equivalent.json still exist."""
    stale = []
    for row in json.loads((HERE / "equivalent.json").read_text()):
        text = (ROOT / row["file"]).read_text()
        if row["old"] not in text or row["function"] not in text:
            stale.append(f"{row['file']}: {row['function']}: {row['old']!r} is not there")
    print("\n".join(stale) or "every equivalent mutant has its place")
    return bool(stale)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--to", type=pathlib.Path, default=ROOT / "build/mutants/src",
                        help="the folder of the copies")
    parser.add_argument("--count", type=int, default=400)
    parser.add_argument("--files", nargs="*", help="these alone")
    parser.add_argument("--compiler", default="g++")
    parser.add_argument("--include", nargs="*", default=[], help="folders of system headers")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--list-files", action="store_true", help="print what is mutated, and stop")
    parser.add_argument("--check", action="store_true", help="is equivalent.json of these sources?")
    args = parser.parse_args()
    if args.check:
        return check()
    if args.list_files:
        print("\n".join(all_files()))
        return 0
    try:
        import clang.cindex  # noqa: F401
    except ImportError:
        print("libclang is not here: pip install libclang", file=sys.stderr)
        return 77
    args.to = args.to.resolve()
    make(args)
    return 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Tries the mutants of mutate.py: which of them does some job refuse?

The jobs of a subject run with all mutants asleep, and note which of them they reach. Then each
mutant is woken alone and meets the jobs that reach it, the cheapest first, until one refuses it.
`strict` in fp32 comes first; a mutant of the reference that this does not refuse meets the
reference's own tests. What is left meets profiles, variants and other dtypes, statistics last.
Survivors that equivalent.json does not excuse are printed; the exit status says whether enough were
killed."""

import argparse
import collections
import concurrent.futures
import fnmatch
import hashlib
import json
import pathlib
import sys

import mutate
from points import ROOT
from table import show, table, techniques, write_page
from tries import command, configs, lines_of, meets, reach, start, text_of, try_mutant

EQUIVALENT = pathlib.Path(__file__).resolve().parent / "equivalent.json"
PLACE = ("file", "function", "kind", "old", "new", "nth")
ROWS = 100_000          # random inputs on which an equivalent mutant must be bit-equal
KILLED, EXCUSED = 0.95, 0.05


def place(point):
    return tuple(point[key] for key in PLACE)


def excuses():
    return {place(row): row for row in json.loads(EQUIVALENT.read_text())}


def text_of_file(point):
    return hashlib.sha256((ROOT / point["file"]).read_bytes()).hexdigest()[:16]


def keep(results, chosen):
    """Earlier results of mutants that are still there, in files that are as they were."""
    now = {place(mutant): mutant for mutant in chosen}
    return {place(result): result | now[place(result)] for result in results
            if place(result) in now and result["text"] == text_of_file(result)}


def digests_by_judge(build, file, awake):
    """What the parts of the reference that only a judge calls return for random input."""
    run = start([build / "judge_digest", str(ROWS)], awake)
    return [line for line in lines_of(run) if line["file"] == file]


def digests_by_job(build, job, awake):
    argv = command(build, "digest", *job["config"][:2])
    return lines_of(start(argv, awake, text_of([job], lambda _: ROWS // 8)))


def digests(build, mutant):
    """Pairs of what the original and the mutant return, of the judge and of jobs that reach it."""
    yield [digests_by_judge(build, mutant["file"], id) for id in (0, mutant["id"])]
    for config in configs(build):
        if meets(mutant, config) and config[2]:
            for job in sorted(reach(build, config)[0], key=lambda j: j["seconds"]):
                if mutant["id"] in job["reached"]:
                    yield [digests_by_job(build, job, id) for id in (0, mutant["id"])]


def equal_inputs(build, mutant):
    """On how many random inputs the mutant returns the original's bits; 0 if it once does not."""
    rows = 0
    for asleep, awake in digests(build, mutant):
        if asleep != awake:
            return 0
        rows += sum(line["rows"] for line in asleep)
        if rows >= ROWS:
            break
    return rows


def check_equivalents(build, chosen, pool):
    """Notes in equivalent.json on how many inputs each row is bit-equal; are those enough?"""
    rows = excuses()
    known = [m for m in chosen if rows.get(place(m), {}).get("how") == "same"]
    for mutant, equal in zip(known, pool.map(lambda m: equal_inputs(build, m), known)):
        rows[place(mutant)]["equal_on"] = equal
        print(f"{mutant['id']:4} {mutant['file']}:{mutant['line']}: equal on {equal}", flush=True)
        EQUIVALENT.write_text(json.dumps(list(rows.values()), indent=1) + "\n")
    return all(rows[place(mutant)]["equal_on"] >= ROWS for mutant in known)


def try_all(build, chosen, results, out, pool):
    """Adds to the results what came of each mutant. Returns the seconds that reaching took."""
    begun = {"killed": None, "jobs": 0, "seconds": 0, "configs": []}
    beside = {m["file"]: {n["id"] for n in chosen if n["file"] == m["file"]} for m in chosen}
    took = 0
    coming = collections.deque(c for c in configs(build) if any(meets(m, c) for m in chosen))
    following = pool.submit(reach, build, coming[0])
    while coming:
        config = coming.popleft()
        jobs, seconds = following.result()
        took += seconds
        if coming:
            following = pool.submit(reach, build, coming[0])
        left = [results.get(place(m), m | begun) for m in chosen if meets(m, config)]
        left = [r for r in left if not r["killed"] and list(config) not in r["configs"]]
        tried = [pool.submit(try_mutant, build, r, config, jobs, beside[r["file"]]) for r in left]
        for done in concurrent.futures.as_completed(tried):
            result = done.result()
            results[place(result)] = result | {"text": text_of_file(result)}
            if result["killed"]:
                print(show(result), flush=True)
            out.write_text(json.dumps(list(results.values()), indent=1) + "\n")
        print(f"{' '.join(config)}: {len(tried)} mutants", flush=True)
    return took


def report(results, took):
    for result in results:
        result["excuse"] = None if result["killed"] else excuses().get(place(result))
        if result["killed"] is None:
            print(show(result))
        elif place(result) in excuses():
            print(f"said to be equivalent, but killed: {show(result)}")
    print(table(results))
    print(", ".join(f"{name} {n}" for name, n in techniques(results).most_common()))
    print(f"{took:.0f} s of the processor to see what is reached, "
          f"{sum(r['seconds'] for r in results):.0f} s to try")


def enough(results):
    excused = sum(bool(r["excuse"]) for r in results)
    killed = sum(r["killed"] is not None for r in results)
    return killed >= KILLED * (len(results) - excused) and excused <= EXCUSED * len(results)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--only", default="*", help="glob over files")
    parser.add_argument("--ids", help="these alone: 3,17,20")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--out", type=pathlib.Path, help="results; default: beside the libraries")
    parser.add_argument("--go-on", action="store_true", help="keep the results in --out")
    parser.add_argument("--equivalents", action="store_true",
                        help="check the table of equivalent mutants instead")
    parser.add_argument("--write", action="store_true", help="renew the table in docs/trial.md")
    args = parser.parse_args()
    build = args.build.resolve()
    out = args.out or build / "tools/mutants/results.json"
    mutants = json.loads((build / "tools/mutants/src/mutants.json").read_text())["mutants"]
    chosen = [m for m in mutants if fnmatch.fnmatch(m["file"], args.only)]
    if args.ids:
        chosen = [m for m in chosen if m["id"] in map(int, args.ids.split(","))]
    # In the order of the sample, so that a run that is stopped has tried a smaller one; those that
    # are known to survive come last.
    chosen.sort(key=lambda m: (place(m) in excuses(), mutate.order(m)))
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        if args.equivalents:
            return 0 if check_equivalents(build, chosen, pool) else 1
        results = keep(json.loads(out.read_text()), chosen) if args.go_on and out.exists() else {}
        took = try_all(build, chosen, results, out, pool)
    results = list(results.values())
    report(results, took)
    if args.write:
        write_page(results)
    return 0 if enough(results) else 1


if __name__ == "__main__":
    sys.exit(main())

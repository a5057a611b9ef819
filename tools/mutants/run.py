#!/usr/bin/env python3
"""Tries the mutants of mutate.py: which of them does some job refuse?

First the jobs of every subject run once with all mutants asleep, and note which of them they reach.
Then each mutant is woken alone and meets the jobs that reach it, the cheapest first, until
one refuses it: `strict` in fp32, other dtypes, other profiles and variants, statistics last. A
mutant of the reference that no job refuses meets the reference's own tests. Survivors that
equivalent.json does not excuse are printed; the exit status says whether enough were killed."""

import argparse
import collections
import concurrent.futures
import fnmatch
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import time

import mutate

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
EQUIVALENT = HERE / "equivalent.json"
PAGE = ROOT / "docs/trial.md"
PLACE = ("file", "function", "kind", "old", "new", "nth")
ROWS = 100_000          # random inputs on which an equivalent mutant must be bit-equal
KILLED, EXCUSED = 0.95, 0.05
# Seconds of jobs that a mutant meets: of `strict` in fp32, and of all others.
BUDGET = {"plain": 60, "other": 60}
ALIKE = {"plain": 4, "other": 1}  # jobs of one property, by operations


def command(build, what, subject, profile, *more):
    folder = build / "tools/mutants" / ("reached" if what == "reach" else "awake")
    library, _, name = subject.partition(":")
    spelled = f"{folder / library}.so" + (f":{name}" if name else "")
    return [str(build / "try_jobs"), what, spelled, profile, *more]


def be_modest():
    """A mutant that eats all memory is the first to be killed."""
    pathlib.Path("/proc/self/oom_score_adj").write_text("1000")
    os.nice(10)


def start(argv, mutant, text):
    """Status and lines of a run with one mutant awake."""
    run = subprocess.run(argv, input=text, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                         text=True, errors="replace", preexec_fn=be_modest,
                         env=os.environ | {"ASSAY_MUTANT": str(mutant)})
    return run


def lines_of(run):
    return [json.loads(line) for line in run.stdout.splitlines() if line.startswith("{")]


def names(build, what):
    out = subprocess.run([build / "assay", "list", what], stdout=subprocess.PIPE, text=True,
                         check=True).stdout
    return [line.split()[0] for line in out.splitlines() if line and not line[0].isspace()]


def configs(build):
    """Subjects and profiles, the plain one first."""
    profiles = names(build, "profiles")
    variants = [name for name in names(build, "variants") if not name.startswith("cuda-")]
    return ([("host", p) for p in profiles] + [("reference", p) for p in profiles] +
            [(f"variants:{v}", "-") for v in variants])


def reach(build, config):
    """Jobs of a subject with the mutants that each reaches, from a file if it is fresh."""
    subject, profile = config
    argv = command(build, "reach", subject, profile, *([] if config == ("host", "strict") else ["f32"]))
    library = pathlib.Path(argv[2].partition(".so")[0] + ".so")
    path = build / "tools/mutants/reach" / f"{subject}-{profile}.json".replace(":", "-")
    if not path.exists() or path.stat().st_mtime < library.stat().st_mtime:
        run = start(argv, 0, "")
        if run.returncode != 0:
            raise SystemExit(f"{' '.join(argv)}: {run.returncode} {run.stderr}")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(run.stdout)
    jobs = [json.loads(line) for line in path.read_text().splitlines()]
    for job in jobs:
        if "refused" in job:
            raise SystemExit(f"{config}: refused with all mutants asleep: {job}")
        job["config"] = config
        job["reached"] = set(job.get("reached", []))
    return jobs


def stage(job):
    if job["statistics"]:
        return 3
    plain = job["config"][1] == "strict"
    return 0 if plain and job["dtype"] == "f32" else 1 if plain else 2


def in_order(jobs):
    """The jobs of one mutant in the order in which they are tried, within the budgets."""
    chosen, rank, spent, alike = [], {}, collections.Counter(), collections.Counter()
    for job in sorted(jobs, key=lambda j: (stage(j), j["seconds"])):
        kind = "plain" if stage(job) == 0 else "other"
        # What many operations share is seen by a few of them.
        alike[stage(job), job["config"], job["property"]] += 1
        if alike[stage(job), job["config"], job["property"]] > ALIKE[kind]:
            continue
        # The first jobs of a stage always have their turn: some mutants only statistics see.
        if spent[kind] + job["seconds"] > BUDGET[kind] and (stage(job), job["config"]) in rank:
            continue
        spent[kind] += job["seconds"]
        rank.setdefault((stage(job), job["config"]), len(rank))
        chosen.append(job)
    return sorted(chosen, key=lambda j: (rank[stage(j), j["config"]], j["seconds"]))


def text_of(jobs, most):
    return "".join(f"{j['property']} {j['operation']} {j['dtype']} {most(j)}\n" for j in jobs)


def try_jobs(build, mutant, jobs):
    """How the mutant died, or None."""
    groups = []
    for job in jobs:
        if not groups or groups[-1][0]["config"] != job["config"]:
            groups.append([])
        groups[-1].append(job)
    for group in groups:
        subject, profile = group[0]["config"]
        run = start(command(build, "first", subject, profile), mutant,
                    text_of(group, lambda j: int(15 + 15 * j["seconds"])))
        said = lines_of(run)
        where = {"subject": subject, "profile": profile}
        if said and "refused" in said[-1]:
            requirement, technique = said[-1]["refused"][0]
            return where | {k: said[-1][k] for k in ("property", "operation", "dtype")} | {
                "requirement": requirement, "technique": technique}
        if run.returncode != 0:
            how = "timeout" if run.returncode == -signal.SIGPROF else "crash"
            at = said[-1].get("begins", "") if said else "opening"
            return where | {"end": how, "at": at, "why": run.stderr.strip()[-200:]}
    return None


def try_tests(build, mutant):
    tests = build / "assay_mutants_tests"
    try:
        run = subprocess.run([tests, "--gtest_fail_fast", "--gtest_brief=1"],
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                             timeout=300, preexec_fn=be_modest, cwd=ROOT,
                             env=os.environ | {"ASSAY_MUTANT": str(mutant), "RC_PARAMS": "seed=1"})
    except subprocess.TimeoutExpired:
        return {"test": "timeout"}
    failed = re.search(r"\[  FAILED  \] ([\w./]+)", run.stdout)
    if run.returncode != 0:
        return {"test": failed[1] if failed else "crash"}
    return None


def try_mutant(build, mutant, jobs):
    begin = time.monotonic()
    reached = [job for job in jobs if mutant["id"] in job["reached"]]
    mine = in_order(reached)
    killed = try_jobs(build, mutant["id"], mine)
    if killed is None and mutant["file"].startswith("reference/"):
        killed = try_tests(build, mutant["id"])
    return mutant | {"jobs": len(mine), "reached_by": len(reached), "killed": killed,
                     "seconds": round(time.monotonic() - begin, 2)}


def place(point):
    return tuple(point[key] for key in PLACE)


def excuses():
    return {place(row): row for row in json.loads(EQUIVALENT.read_text())}


def show(result):
    killed = result["killed"]
    text = f"{result['id']:4} {result['file']}:{result['line']} {result['function']}: "
    text += f"{result['kind']} {' '.join(result['old'].split())[:50]!r} -> "
    text += f"{' '.join(result['new'].split())[:50]!r}: "
    if killed is None:
        return text + ("{how}: {reason}".format(**result["excuse"]) if result.get("excuse") else
                       f"SURVIVED {result['jobs']} of {result['reached_by']} jobs")
    return text + " ".join(str(value) for value in killed.values() if value)


def check_equivalents(build, mutants, jobs):
    """How many are not bit-equal to the original on random inputs of the jobs that reach them."""
    wrong = 0
    for mutant in mutants:
        mine = sorted((j for j in jobs if mutant["id"] in j["reached"] and not j["statistics"]),
                      key=lambda j: (j["config"], j["seconds"]))
        rows, equal = 0, True
        for job in mine:
            if rows >= ROWS or not equal:
                break
            text = text_of([job], lambda _: ROWS // 8)
            runs = [lines_of(start(command(build, "digest", *job["config"]), awake, text))
                    for awake in (0, mutant["id"])]
            equal = runs[0] == runs[1]
            rows += sum(line["rows"] for line in runs[0])
        verdict = ("no job reaches it" if not mine else "NOT EQUAL" if not equal else
                   f"bit-equal on {rows} rows")
        wrong += bool(mine) and (not equal or rows < ROWS)
        print(f"{mutant['id']:4} {mutant['file']}:{mutant['line']}: {verdict}", flush=True)
    return wrong


def table(results):
    """Markdown: by the file's part and by kind."""
    def row(name, some):
        killed = sum(r["killed"] is not None for r in some)
        tests = sum(r["killed"] is not None and "test" in r["killed"] for r in some)
        excuse = collections.Counter(r["excuse"]["how"] for r in some if r.get("excuse"))
        excused = excuse.total()
        left = len(some) - killed - excused
        return (f"| {name} | {len(some)} | {killed - tests} | {tests} | {excuse['same']} | "
                f"{excuse['permitted']} | {left} | "
                f"{killed / max(1, len(some) - excused):.1%} |")
    out = ["| mutants | tried | refused by jobs | by the reference's tests | equivalent | "
           "permitted | survived | score |", "|---|---:|---:|---:|---:|---:|---:|---:|"]
    def part(result):
        return "reference" if result["file"].startswith("reference/") else "host"
    for name in ("host", "reference"):
        out.append(row(f"of `{name}`", [r for r in results if part(r) == name]))
    for kind in sorted({r["kind"] for r in results}):
        out.append(row(kind, [r for r in results if r["kind"] == kind]))
    out.append(row("all", results))
    return "\n".join(out) + "\n"


def techniques(results):
    count = collections.Counter()
    for result in results:
        killed = result["killed"] or {}
        count[killed.get("technique") or killed.get("end") or
              ("the reference's tests" if killed else "none")] += 1
    return count


def write_page(results):
    begin, end = "<!-- mutants -->\n", "<!-- end -->\n"
    text = PAGE.read_text()
    first, last = text.index(begin) + len(begin), text.index(end)
    PAGE.write_text(text[:first] + table(results) + text[last:])


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
    reasons = excuses()
    chosen = [m for m in mutants if fnmatch.fnmatch(m["file"], args.only)]
    if args.ids:
        chosen = [m for m in chosen if m["id"] in map(int, args.ids.split(","))]
    host = any(not m["file"].startswith("reference/") for m in chosen)
    reference = any(m["file"].startswith("reference/") for m in chosen)
    wanted = [c for c in configs(build) if (reference if c[0] == "reference" else host)]
    begin = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        jobs = [job for found in pool.map(lambda c: reach(build, c), wanted) for job in found]
        print(f"{len(jobs)} jobs of {len(wanted)} subjects, "
              f"{time.monotonic() - begin:.0f} s", flush=True)
        if args.equivalents:
            known = [m | {"killed": None} for m in chosen
                     if place(m) in reasons and reasons[place(m)]["how"] == "same"]
            return 1 if check_equivalents(build, known, jobs) else 0
        results = json.loads(out.read_text()) if args.go_on else []
        known = {place(result) for result in results}
        # In the order of the sample, so that a run that is stopped has tried a smaller one.
        tried = [pool.submit(try_mutant, build, m, jobs)
                 for m in sorted(chosen, key=mutate.order) if place(m) not in known]
        for done in concurrent.futures.as_completed(tried):
            result = done.result()
            results.append(result)
            print(show(result), flush=True)
            out.write_text(json.dumps(results, indent=1) + "\n")
    for result in results:
        result["excuse"] = None if result["killed"] else reasons.get(place(result))
    for result in results:
        if result["killed"] is None:
            print(show(result))
    print(table(results))
    print(", ".join(f"{name} {n}" for name, n in techniques(results).most_common()))
    print(f"{time.monotonic() - begin:.0f} s")
    for result in results:
        if result["killed"] is not None and place(result) in reasons:
            print(f"said to be equivalent, but killed: {show(result)}")
    if args.write:
        write_page(results)
    excused = sum(bool(r.get("excuse")) for r in results)
    killed = sum(r["killed"] is not None for r in results)
    enough = killed >= KILLED * (len(results) - excused) and excused <= EXCUSED * len(results)
    return 0 if enough else 1


if __name__ == "__main__":
    sys.exit(main())

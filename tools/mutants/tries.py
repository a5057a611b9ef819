"""What one mutant meets: the jobs that reach it, and the reference's own tests."""

import collections
import json
import os
import pathlib
import re
import resource
import signal
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Seconds of jobs that a mutant meets: of `strict` in fp32, and of all others.
BUDGET = {"plain": 60, "other": 60}
ALIKE = {"plain": 4, "other": 1}  # jobs of one property, by operations
MOST = 900                        # seconds of the processor, after which a run never ends

Run = collections.namedtuple("Run", "returncode stdout stderr seconds")


def command(build, what, subject, profile, *more):
    folder = build / "tools/mutants" / ("reached" if what == "reach" else "awake")
    library, _, name = subject.partition(":")
    spelled = f"{folder / library}.so" + (f":{name}" if name else "")
    return [str(build / "try_jobs"), what, spelled, profile, *more]


def be_modest(mutant):
    """A mutant that eats all memory is the first to be killed, and one that never ends is, too."""
    pathlib.Path("/proc/self/oom_score_adj").write_text("1000")
    os.nice(10)
    if mutant:
        resource.setrlimit(resource.RLIMIT_CPU, (MOST, MOST))


def start(argv, mutant, text="", **settings):
    """A run with one mutant awake: status, what it said, and the seconds of the processor."""
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile("w+", errors="replace") as err:
        given.write(text.encode())
        given.seek(0)
        process = subprocess.Popen(
            argv, stdin=given, stdout=subprocess.PIPE, stderr=err, text=True, errors="replace",
            preexec_fn=lambda: be_modest(mutant), cwd=ROOT,
            env=os.environ | settings | {"ASSAY_MUTANT": str(mutant)})
        said = process.stdout.read()
        process.stdout.close()
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        err.seek(0)
        return Run(process.returncode, said, err.read(), used.ru_utime + used.ru_stime)


def lines_of(run):
    return [json.loads(line) for line in run.stdout.splitlines() if line.startswith("{")]


def names(build, what):
    out = subprocess.run([build / "assay", "list", what], stdout=subprocess.PIPE, text=True,
                         check=True).stdout
    return [line.split()[0] for line in out.splitlines() if line and not line[0].isspace()]


# Subject, profile and dtype; without a dtype all of them, and statistics.
PLAIN = [("host", "strict", "f32"), ("reference", "strict", "f32")]


def all_configs(build):
    profiles = [p for p in names(build, "profiles") if p != "strict"]
    variants = [name for name in names(build, "variants") if not name.startswith("cuda-")]
    return ([("host", "strict", "")] + [("host", p, "f32") for p in profiles] +
            [("reference", p, "f32") for p in profiles] +
            [(f"variants:{v}", "-", "f32") for v in variants])


def reach(build, config):
    """Jobs of a subject with the mutants that each reaches, from a file if it is fresh; and the
    seconds of the processor that they took."""
    subject, profile, dtype = config
    argv = command(build, "reach", subject, profile, *([dtype] if dtype else []))
    library = pathlib.Path(argv[2].partition(".so")[0] + ".so")
    path = build / "tools/mutants/reach" / f"{subject}-{profile}-{dtype}.json".replace(":", "-")
    if not path.exists() or path.stat().st_mtime < library.stat().st_mtime:
        run = start(argv, 0)
        if run.returncode != 0:
            raise SystemExit(f"{' '.join(argv)}: {run.returncode} {run.stderr}")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(run.stdout + json.dumps({"took": run.seconds}) + "\n")
    *jobs, last = map(json.loads, path.read_text().splitlines())
    for job in jobs:
        if "refused" in job:
            raise SystemExit(f"{config}: refused with all mutants asleep: {job}")
        job["config"] = config
        job["reached"] = set(job.get("reached", []))
    return jobs, last["took"]


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


def key(job):
    return f"{job['property']} {job['operation']} {job['dtype']}"


def text_of(jobs, most):
    return "".join(f"{key(job)} {most(job)}\n" for job in jobs)


def try_jobs(build, mutant, jobs):
    """How the mutant died, or None; and the seconds of the processor that it took."""
    seconds = 0
    groups = []
    for job in jobs:
        if not groups or groups[-1][0]["config"] != job["config"]:
            groups.append([])
        groups[-1].append(job)
    for group in groups:
        subject, profile, _ = group[0]["config"]
        run = start(command(build, "first", subject, profile), mutant,
                    text_of(group, lambda j: int(15 + 15 * j["seconds"])))
        seconds += run.seconds
        said = lines_of(run)
        where = {"subject": subject, "profile": profile}
        if said and "refused" in said[-1]:
            requirement, technique = said[-1]["refused"][0]
            return where | {k: said[-1][k] for k in ("property", "operation", "dtype")} | {
                "requirement": requirement, "technique": technique}, seconds
        if run.returncode != 0:
            ended = run.returncode in (-signal.SIGPROF, -signal.SIGXCPU)
            how = "timeout" if ended else "crash"
            at = said[-1].get("begins", "") if said else "opening"
            return where | {"end": how, "at": at, "why": run.stderr.strip()[-200:]}, seconds
    return None, seconds


def try_tests(build, mutant):
    run = start([build / "assay_mutants_tests", "--gtest_fail_fast", "--gtest_brief=1"], mutant,
                RC_PARAMS="seed=1")
    failed = re.search(r"\[  FAILED  \] ([\w./]+)", run.stdout)
    if run.returncode == 0:
        return None, run.seconds
    how = "timeout" if run.returncode == -signal.SIGXCPU else failed[1] if failed else "crash"
    return {"test": how}, run.seconds


def try_mutant(build, mutant, jobs, before=None):
    """The mutant with how it died; `before` is what came of it when it met fewer jobs."""
    before = before or {"met": [], "seconds": 0}
    reached = [job for job in jobs if mutant["id"] in job["reached"]]
    mine = in_order([job for job in reached if stage(job) > 0 or not before["met"]])
    killed, seconds = try_jobs(build, mutant["id"], mine)
    if killed is None and not before["met"] and mutant["file"].startswith("reference/"):
        killed, more = try_tests(build, mutant["id"])
        seconds += more
    return mutant | {"met": before["met"] + [[*j["config"][:2], key(j)] for j in mine],
                     "killed": killed, "seconds": round(before["seconds"] + seconds, 2)}

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
# Seconds of jobs of one subject that a mutant meets: of `strict` in fp32, and of each other.
BUDGET = {"plain": 60, "other": 3}
ALIKE = {"plain": 4, "other": 1}  # jobs of one property, by operations
# Seconds of the processor after which a run counts as never ending: of all jobs, and of the tests,
# which take three.
MOST, MOST_OF_TESTS = 3600, 60

REFERENCE = ("reference", "strict", "f32")
PLAIN = (("host", "strict", "f32"), REFERENCE)
Run = collections.namedtuple("Run", "returncode stdout stderr seconds")


def command(build, what, subject, profile, *more):
    folder = build / "tools/mutants" / ("reached" if what == "reach" else "awake")
    library, _, name = subject.partition(":")
    spelled = f"{folder / library}.so" + (f":{name}" if name else "")
    return [str(build / "try_jobs"), what, spelled, profile, *more]


def be_modest(most):
    """A mutant that eats all memory is the first to be killed, and one that never ends is, too."""
    pathlib.Path("/proc/self/oom_score_adj").write_text("1000")
    os.nice(10)
    resource.setrlimit(resource.RLIMIT_CPU, (most, most))


def start(argv, mutant, text="", most=MOST, **settings):
    """A run with one mutant awake: status, what it said, and the seconds of the processor."""
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile("w+", errors="replace") as err:
        given.write(text.encode())
        given.seek(0)
        process = subprocess.Popen(
            argv, stdin=given, stdout=subprocess.PIPE, stderr=err, text=True, errors="replace",
            preexec_fn=lambda: be_modest(most), cwd=ROOT,
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


def configs(build):
    """Subjects, profiles and dtypes in the order in which mutants meet them; without a dtype,
    statistics."""
    profiles = [p for p in names(build, "profiles") if p != "strict"]
    variants = [name for name in names(build, "variants") if not name.startswith("cuda-")]
    return [*PLAIN, *((subject, p, "f32") for subject in ("host", "reference") for p in profiles),
            *((f"variants:{v}", "-", "f32") for v in variants),
            ("host", "strict", "f16"), ("host", "strict", "bf16"), ("host", "strict", "")]


def meets(mutant, config):
    return (config[0] == "reference") == mutant["file"].startswith("reference/")


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


def in_order(jobs):
    """The jobs of one subject in the order in which a mutant meets them, within the budget."""
    chosen, seconds, alike = [], 0, collections.Counter()
    for job in sorted(jobs, key=lambda j: j["seconds"]):
        kind = "plain" if job["config"] in PLAIN else "other"
        # What many operations share is seen by a few of them.
        alike[job["property"]] += 1
        if alike[job["property"]] > ALIKE[kind]:
            continue
        # The first always has its turn: some mutants only statistics see.
        seconds += job["seconds"]
        if chosen and seconds > BUDGET[kind]:
            break
        chosen.append(job)
    return chosen


def key(job):
    return f"{job['property']} {job['operation']} {job['dtype']}"


def text_of(jobs, most):
    return "".join(f"{key(job)} {most(job)}\n" for job in jobs)


def try_jobs(build, mutant, config, jobs):
    """How the mutant died, or None; and the seconds of the processor that it took."""
    subject, profile, _ = config
    run = start(command(build, "first", subject, profile), mutant,
                text_of(jobs, lambda j: int(15 + 15 * j["seconds"])))
    said = lines_of(run)
    where = {"subject": subject, "profile": profile}
    if said and "refused" in said[-1]:
        requirement, technique = said[-1]["refused"][0]
        return where | {k: said[-1][k] for k in ("property", "operation", "dtype")} | {
            "requirement": requirement, "technique": technique}, run.seconds
    if run.returncode != 0:
        ended = run.returncode in (-signal.SIGPROF, -signal.SIGXCPU)
        at = said[-1].get("begins", "") if said else "opening"
        return where | {"end": "timeout" if ended else "crash", "at": at,
                        "why": run.stderr.strip()[-200:]}, run.seconds
    return None, run.seconds


def try_tests(build, mutant):
    run = start([build / "assay_mutants_tests", "--gtest_fail_fast", "--gtest_brief=1"], mutant,
                most=MOST_OF_TESTS, RC_PARAMS="seed=1")
    failed = re.search(r"\[  FAILED  \] ([\w./]+)", run.stdout)
    if run.returncode == 0:
        return None, run.seconds
    how = "timeout" if run.returncode == -signal.SIGXCPU else failed[1] if failed else "crash"
    return {"test": how}, run.seconds


def reaching(mutant, jobs, beside):
    """The jobs that reach the mutant. What is computed once in a process is noted in one job alone:
    then those that reach others of its file, whose ids are `beside`."""
    own = [job for job in jobs if mutant["id"] in job["reached"]]
    return [job for job in jobs if beside & job["reached"]] if len(own) == 1 else own


def try_mutant(build, result, config, jobs, beside):
    """What came of a mutant so far, and what comes of it by these jobs."""
    mine = in_order(reaching(result, jobs, beside))
    killed, seconds = try_jobs(build, result["id"], config, mine) if mine else (None, 0)
    if killed is None and config == REFERENCE:
        killed, more = try_tests(build, result["id"])
        seconds += more
    return result | {"killed": killed, "jobs": result["jobs"] + len(mine),
                     "seconds": round(result["seconds"] + seconds, 2),
                     "configs": result["configs"] + [list(config)]}

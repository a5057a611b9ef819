"""What came of the mutants: a line of each, and the table of docs/trial.md."""

import collections

from points import ROOT

PAGE = ROOT / "docs/trial.md"


def show(result):
    killed = result["killed"]
    text = f"{result['id']:4} {result['file']}:{result['line']} {result['function']}: "
    text += f"{result['kind']} {' '.join(result['old'].split())[:50]!r} -> "
    text += f"{' '.join(result['new'].split())[:50]!r}: "
    if killed is None:
        return text + ("{how}: {reason}".format(**result["excuse"]) if result.get("excuse") else
                       f"SURVIVED {result['jobs']} jobs")
    return text + " ".join(str(value) for value in killed.values() if value)


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
    first = text.index(begin) + len(begin)
    last = text.index(end, first)
    PAGE.write_text(text[:first] + table(results) + text[last:])

#!/usr/bin/env python3
"""Checks who may include whom: dependencies point one way (docs/design.md, "Layout").

Prints each include that breaks a rule and exits 1 if there is one."""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent

# The first rule whose folder holds the file decides. A file may include what starts with one of the
# prefixes. Subjects never see the reference (except `reference`): two readings of the spec, not one.
CONTRACT = ["conformance/subject.h", "reference/profile.h", "reference/error.h"]
CALLS = CONTRACT + ["conformance/subjects/calls/"]
CUDA = CALLS + ["conformance/subjects/cuda/", "gpu/"]
HOST = CALLS + ["conformance/subjects/host/"]
RULES = [
    ("reference/", ["reference/"]),
    ("gpu/", ["gpu/"]),
    ("conformance/subjects/calls/", CALLS),
    ("conformance/subjects/host/", HOST),
    ("conformance/subjects/cuda/", CUDA),
    ("conformance/subjects/peers/", CALLS + ["conformance/subjects/peers/"]),
    ("conformance/subjects/cuda_variants/", CUDA + ["conformance/subjects/cuda_variants/",
                                                    "conformance/subjects/cuda_faults/good_cuda.h",
                                                    "conformance/faults.h",
                                                    "conformance/operations.h"]),
    ("conformance/subjects/cuda_faults/", CUDA + ["conformance/subjects/cuda_faults/",
                                                  "conformance/subjects/faults/fault_kit.h",
                                                  "conformance/operations.h"]),
    ("conformance/subjects/variants/", HOST + ["conformance/subjects/variants/",
                                               "conformance/subjects/cuda_variants/table.h",
                                               "conformance/faults.h", "conformance/job.h",
                                               "conformance/operations.h"]),
    ("conformance/subjects/faults/", HOST + ["conformance/subjects/faults/", "conformance/faults.h",
                                             "conformance/job.h", "conformance/operations.h"]),
    ("conformance/subjects/hostile/", ["conformance/subject.h"]),
    ("conformance/subjects/reference", ["conformance/subject.h", "reference/",
                                        "conformance/subjects/reference_kit.h"]),
    ("conformance/", ["conformance/", "reference/"]),
    ("tools/", ["tools/", "conformance/", "reference/"]),
]
TESTS_MAY_ALSO = ["conformance/", "reference/"]
INCLUDE = re.compile(r'^\s*#include "([^"]+)"')


def sources():
    for suffix in ("h", "cc", "cu", "cuh"):
        for folder in ("reference", "gpu", "conformance", "tools"):
            yield from sorted((ROOT / folder).rglob(f"*.{suffix}"))


def main():
    broken = 0
    for path in sources():
        name = path.relative_to(ROOT).as_posix()
        allowed = next(rule for folder, rule in RULES if name.startswith(folder))
        if name.endswith("_test.cc") and not name.startswith("reference/"):
            allowed = allowed + TESTS_MAY_ALSO
        for number, line in enumerate(path.read_text().splitlines(), 1):
            match = INCLUDE.match(line)
            if match and not match[1].startswith(tuple(allowed)):
                print(f"{name}:{number}: includes {match[1]}, allowed: {', '.join(allowed)}")
                broken += 1
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Times the reference beside NumPy and PyTorch, in one run on the same rows, and prints a table.

All three take float64 logits and give the same law and draw: softmax; the k largest tokens, equal
ones by lowest id; the shortest prefix of them that reaches top-p of their mass; the inverse CDF in
id order. The kept counts and the tokens must be equal. NumPy and PyTorch may use every core; the
reference uses one. Without NumPy or PyTorch it says so in one line and exits 0."""

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable

try:
    import numpy as np
    import torch
except ImportError as missing:
    print(f"skipped: {missing}; pip install numpy torch")
    sys.exit(0)

FILTERS = {"softmax": None, "top_k_top_p": (50, 0.9), "top_p": (None, 0.9)}
Answer = tuple[int, int]  # how many tokens are kept; the token drawn, -1 for none


def numpy_row(logits: np.ndarray, filters: tuple | None, u: float) -> Answer:
    weights = np.exp(logits - logits.max())
    probs = weights / weights.sum()
    if filters is None:
        return len(probs), -1
    top_k, top_p = filters
    order = np.argsort(-probs, kind="stable")[:top_k]
    before = np.cumsum(probs[order])
    kept = int(np.searchsorted(before, top_p * before[-1], side="left")) + 1
    ids = np.sort(order[:kept])
    cdf = np.cumsum(probs[ids])
    return kept, int(ids[np.searchsorted(cdf, u * cdf[-1], side="right")])


def torch_row(logits: torch.Tensor, filters: tuple | None, u: float) -> Answer:
    probs = torch.softmax(logits, dim=-1)
    if filters is None:
        return len(probs), -1
    top_k, top_p = filters
    values, order = torch.sort(probs, descending=True, stable=True)
    values, order = values[:top_k], order[:top_k]
    before = torch.cumsum(values, dim=-1)
    kept = int(torch.searchsorted(before, top_p * before[-1:])) + 1
    ids, places = torch.sort(order[:kept])
    cdf = torch.cumsum(values[:kept][places], dim=-1)
    return kept, int(ids[torch.searchsorted(cdf, u * cdf[-1:], right=True)])


def timed(row: Callable, rows: list, filters: tuple | None, uniforms: list[float],
          repetitions: int) -> tuple[float, list[Answer]]:
    """The median seconds of a row; rows take turns, the first turn warms up."""
    seconds, answers = [], []
    for turn in range(repetitions + 1):
        answers = []
        for logits, u in zip(rows, uniforms):
            start = time.perf_counter()
            answers.append(row(logits, filters, u))
            if turn:
                seconds.append(time.perf_counter() - start)
    return float(np.median(seconds)), answers


def machine() -> str:
    name = platform.machine()
    try:
        with open("/proc/cpuinfo") as cpus:
            name = next(line.split(":")[1].strip() for line in cpus if "model name" in line)
    except (OSError, StopIteration):
        pass
    return (f"{name}, {os.cpu_count()} cores; NumPy {np.__version__}, PyTorch {torch.__version__}, "
            f"Python {platform.python_version()}")


def compare(result: dict, folder: str, uniforms: list[float], repetitions: int) -> list[str]:
    """One line of the table; exits if an answer differs."""
    rows = np.fromfile(f"{folder}/{result['rows']}.f64").reshape(len(uniforms), -1)
    filters = FILTERS[result["task"]]
    expected = list(zip(result["kept"], result["tokens"]))
    cells = [result["what"], result["rows"], f"{1e3 * result['seconds']:.2f}"]
    for what, row, inputs in (("NumPy", numpy_row, list(rows)),
                              ("PyTorch", torch_row, [torch.from_numpy(r) for r in rows])):
        seconds, answers = timed(row, inputs, filters, uniforms, repetitions)
        if answers != expected:
            sys.exit(f"{result['what']}, {result['rows']} rows: the reference answers {expected}, "
                     f"{what} {answers}")
        cells += [f"{1e3 * seconds:.2f}", f"{seconds / result['seconds']:.1f}"]
    return cells


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--assay", default="build/assay", help="the program")
    parser.add_argument("--repetitions", type=int, default=20, help="of each row")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        bench = json.loads(subprocess.run(
            [args.assay, "bench", "reference", "--save", folder, "--format", "json",
             "--repetitions", str(args.repetitions)],
            stdout=subprocess.PIPE, check=True).stdout)
        uniforms = np.fromfile(f"{folder}/uniforms.f64").tolist()
        print(f"V = {bench['vocab']:,}, {bench['rows']} rows in turn, {args.repetitions} repetitions, "
              f"medians in ms a row; copying a row takes {1e3 * bench['copy_seconds']:.2f}. {machine()}.\n")
        print("| task | rows | reference | NumPy | times | PyTorch | times |")
        print("| --- | --- | ---: | ---: | ---: | ---: | ---: |")
        for result in bench["results"]:
            print(f"| {' | '.join(compare(result, folder, uniforms, args.repetitions))} |",
                  flush=True)


if __name__ == "__main__":
    main()

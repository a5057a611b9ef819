#!/usr/bin/env python3
"""Installs the build, moves the folder, and builds and certifies docs/example against it, in a
temporary folder outside the tree."""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

# What the installed files may need of the machine: the C and C++ runtime.
RUNTIME = {"libstdc++", "libm", "libgcc_s", "libc", "ld-linux-x86-64", "ld-linux-aarch64",
           "linux-vdso"}


def run(*command: object, **how: object) -> str:
    done = subprocess.run([str(word) for word in command], text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, **how)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}: exit status {done.returncode}\n{done.stdout}")
    return done.stdout


def install(cmake: str, build: pathlib.Path, folder: pathlib.Path) -> pathlib.Path:
    """The installed folder, not where it was installed."""
    run(cmake, "--install", build, "--prefix", folder / "first")
    return (folder / "first").rename(folder / "moved")


def check_needs(package: pathlib.Path) -> None:
    for binary in [package / "bin/assay", *(package / "lib/assay/subjects").glob("*.so")]:
        needed = re.findall(r"^\s*(?:\S*/)?([\w+-]+)\.so", run("ldd", binary), re.M)
        if not needed or (strange := set(needed) - RUNTIME):
            sys.exit(f"{binary}: needs {strange or needed}, expected only {sorted(RUNTIME)}")


def check_fixtures(package: pathlib.Path, folder: pathlib.Path) -> None:
    """The program reads its own fixtures: without one it names the file that it missed."""
    only = ("certify", "host", "--only", "PROC-SOFTMAX-ORDER", "--out", folder / "host.json")
    run(package / "bin/assay", *only)
    logits = package / "share/assay/fixtures/logits.f16"
    hidden = logits.rename(logits.with_suffix(".hidden"))
    done = subprocess.run([package / "bin/assay", *only], text=True, capture_output=True)
    hidden.rename(logits)
    if done.returncode == 0 or str(logits) not in done.stdout + done.stderr:
        sys.exit(f"expected an error that names {logits}:\n{done.stdout}{done.stderr}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True, type=pathlib.Path, help="the build folder")
    parser.add_argument("--cmake", default="cmake")
    parser.add_argument("--compiler", default="c++")
    args = parser.parse_args()
    for variable in ("ASSAY_SUBJECTS", "ASSAY_FIXTURES"):
        os.environ.pop(variable, None)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        package = install(args.cmake, args.build, folder)
        check_needs(package)
        check_fixtures(package, folder)
        shutil.copytree(package / "share/assay/example", folder / "example")
        run(args.cmake, "-S", folder / "example", "-B", folder / "build",
            f"-DCMAKE_PREFIX_PATH={package}", f"-DCMAKE_CXX_COMPILER={args.compiler}")
        run(args.cmake, "--build", folder / "build")
        ctest = pathlib.Path(args.cmake).with_name("ctest")
        print(run(ctest, "--test-dir", folder / "build", "--output-on-failure",
                  "--no-tests=error"))


if __name__ == "__main__":
    main()

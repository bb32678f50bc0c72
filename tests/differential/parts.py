#!/usr/bin/env python3
"""Runs the parts of the differential tests one after the other and sums them: parts.py BUILD quick|long."""
import re
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
PROGRAMS = HERE.parent / "programs"


def parts(build, long):
    run = [sys.executable, str(HERE / "run.py"), "--build", build]
    csmith = [sys.executable, str(HERE / "csmith.py"), "--build", build]
    if not long:
        return [run, [*csmith, "--count", "20"]]
    every = str(Path(build) / "differential" / "every")
    return [
        [*run, "--settings", "all", "--table"],
        [sys.executable, str(PROGRAMS / "generate.py"), every, "--all"],
        [*run, "--root", every, "--settings", "O0-stress,O2-stress,O0-stress-asan,O2-stress-asan", "--table"],
        [*csmith, "--count", "1000"],
    ]


def main():
    build, size = sys.argv[1:3]
    passed = failed = 0
    for part in parts(build, size == "long"):
        child = subprocess.Popen(part, stdout=subprocess.PIPE, text=True)
        last = ""
        for last in child.stdout:
            print(last, end="", flush=True)
        status = child.wait()
        counts = re.fullmatch(r"(\d+) passed, (\d+) failed\s*", last)
        if counts:
            passed, failed = passed + int(counts[1]), failed + int(counts[2])
        if status != 0 and not (counts and int(counts[2])):
            print(f"failed with status {status}: {' '.join(part)}")
            failed += 1
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""The differential tests: runs the parts one after the other and sums them: parts.py BUILD quick|long."""

import sys
from pathlib import Path

from parts_of import run_parts

HERE = Path(__file__).resolve().parent
PROGRAMS = HERE.parent / "programs"


def parts(build, long):
    run = [sys.executable, str(HERE / "run.py"), "--build", build]
    csmith = [sys.executable, str(HERE / "csmith.py"), "--build", build]
    in_parts = [sys.executable, str(HERE / "locals_in_parts.py"), "--build", build]
    if not long:
        # Without stress, which keeps the loops as they are.
        loops = [*run, "--settings", "O1-plain,O2-plain,O3-plain,Os-plain,O2-plain-asan,O2-plain-g", "*counted_loops*"]
        return [run, loops, [*csmith, "--count", "20"], [*in_parts, "--count", "10", "--settings", "O2-plain-noise"]]
    return [
        [*run, "--settings", "all", "--table"],
        [*run, "--every-kind", "--settings", "O0-stress,O2-stress,O0-stress-asan,O2-stress-asan", "--table"],
        [*csmith, "--count", "1000"],
        [*in_parts, "--count", "1000"],
    ]


if __name__ == "__main__":
    sys.exit(run_parts(parts(sys.argv[1], sys.argv[2] == "long")))

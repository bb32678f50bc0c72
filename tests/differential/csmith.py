#!/usr/bin/env python3
"""Random programs from csmith, with fixed seeds: the checksum they print must not depend on the compiler.

    csmith.py [--build DIR] [--cc CC] [--count N] [--first SEED] [--settings NAMES]

Left out, and counted, are programs whose reference does not end within 3 seconds, fails, or differs between -O0 and
-O1: csmith makes a few that read out of bounds, which plain clang's ASan finds as well, and a few that never end.
Last line: N passed, N failed.
"""

import subprocess
import sys

import programs
import seeds

INCLUDE = "/usr/include/csmith"
# Small enough that a thousand of them are a night's work and not a week's.
OPTIONS = ["--max-funcs", "8", "--max-block-depth", "4", "--max-array-dim", "2", "--max-expr-complexity", "6"]
ROTATION = [
    "O2-stress",
    "O0-stress",
    "O1-stress",
    "O0-stress-asan",
    "O2-stress-asan",
    "O3-stress",
    "Os-stress",
    "O2-plain",
    "O0-plain",
    "O1-stress-ubsan",
]


def make(seed, folder):
    path = folder / f"csmith_{seed}.c"
    if not path.exists():
        text = subprocess.run(
            ["csmith", "--seed", str(seed), *OPTIONS], check=True, capture_output=True, cwd=folder
        ).stdout
        path.write_bytes(text)
    return programs.Program(f"csmith --seed {seed}", path, ["-I" + INCLUDE])


if __name__ == "__main__":
    sys.exit(seeds.compare(seeds.parse(__doc__), "csmith", make, ROTATION))

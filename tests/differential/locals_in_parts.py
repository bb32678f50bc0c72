#!/usr/bin/env python3
"""Random programs from random_program.py, with fixed seeds: what they print must not depend on the compiler.

    locals_in_parts.py [--build DIR] [--cc CC] [--count N] [--first SEED] [--settings NAMES]

Last line: N passed, N failed.
"""

import sys

import programs
import random_program
import seeds

ROTATION = [
    "O2-noise",
    "O2-plain-noise",
    "O1-stress",
    "O0-stress-asan",
    "O1-plain-noise",
    "O3-noise",
    "O0-plain-noise",
    "O3-plain-noise",
    "O2-stress-asan",
    "Os-plain-noise",
    "O2-stress-lto",
]


def make(seed, folder):
    path = folder / f"random_{seed}.c"
    path.write_text(random_program.Program(seed).text())
    return programs.Program(f"random_program.py {seed}", path)


if __name__ == "__main__":
    sys.exit(seeds.compare(seeds.parse(__doc__), "locals_in_parts", make, ROTATION))

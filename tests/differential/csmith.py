#!/usr/bin/env python3
"""Random programs from csmith, with fixed seeds: the checksum they print must not depend on the compiler.

    csmith.py [--build DIR] [--cc CC] [--count N] [--first SEED] [--settings NAMES]

The programs take turns at the features that csmith leaves out unless it is asked (KINDS).

Left out, and counted, are programs whose reference does not end within 3 seconds, fails, or differs between -O0 and
-O1: csmith makes a few that read out of bounds, which plain clang's ASan finds as well, and a few that never end.
Last line: N passed, N failed.
"""

import subprocess
import sys

import programs
import seeds

# It passes the bytes of a float to its checksum without a cast.
FLAGS = ["-I/usr/include/csmith", "-Wno-incompatible-pointer-types"]
# Small enough that a thousand of them are a night's work and not a week's.
OPTIONS = ["--max-funcs", "8", "--max-block-depth", "4", "--max-array-dim", "2", "--max-expr-complexity", "6"]
KINDS = [
    [],
    ["--builtins"],
    ["--float", "--strict-float"],
    ["--inline-function"],
    ["--max-pointer-depth", "4"],
    ["--max-struct-fields", "20", "--max-union-fields", "8", "--builtins"],
]
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
    kind = seed % len(KINDS)
    path = folder / f"csmith_{seed}_{kind}.c"
    if not path.exists():
        text = subprocess.run(
            ["csmith", "--seed", str(seed), *OPTIONS, *KINDS[kind]], check=True, capture_output=True, cwd=folder
        ).stdout
        path.write_bytes(text)
    # One of its builtins is an instruction of x86 that has to be asked for.
    flags = [*FLAGS, *(["-mcrc32"] if "--builtins" in KINDS[kind] else [])]
    return programs.Program(" ".join(["csmith --seed", str(seed), *KINDS[kind]]), path, flags)


if __name__ == "__main__":
    sys.exit(seeds.compare(seeds.parse(__doc__), "csmith", make, ROTATION))

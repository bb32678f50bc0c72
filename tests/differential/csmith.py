#!/usr/bin/env python3
"""Random programs from csmith, with fixed seeds: the checksum they print must not depend on the compiler.

    csmith.py [--build DIR] [--cc CC] [--count N] [--first SEED] [--settings NAMES]

Left out, and counted, are programs whose reference does not end within 3 seconds, or fails: csmith makes a few that
read out of bounds, which plain clang's ASan finds as well. Last line: N passed, N failed.
"""

import argparse
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import programs
import run
import settings

SECONDS = 3
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


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, default=run.REPO / "build")
    parser.add_argument("--cc")
    parser.add_argument("--reference", default="clang-22")
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--settings", help="each program in all of these; default: one or two settings each, in turn")
    parser.add_argument("--jobs", type=int, default=2)
    args = parser.parse_args()

    compiler = (args.cc or str(args.build.resolve() / "bin" / "charcoal-cc")).split()
    folder = args.build.resolve() / "differential" / "csmith"
    folder.mkdir(parents=True, exist_ok=True)
    make(args.first, folder)  # alone: the first run leaves platform.info there, which others would read half written
    test = run.Run(compiler, run.Reference(args.reference.split(), folder / "expected", SECONDS), 120, ["-O1"])

    def one(seed):
        program = make(seed, folder)
        reference = test.reference.outcome(program, test.base)
        if reference.status != 0:
            return 1
        if args.settings:
            chosen = settings.parse(args.settings)
        else:
            chosen = [
                settings.BY_NAME[ROTATION[seed % len(ROTATION)]],
                settings.BY_NAME[ROTATION[(seed + 3) % len(ROTATION)]],
            ]
        for setting in chosen:
            if setting.extra not in ("asan", "ubsan") or test.reference.outcome(program, setting.reference).same(
                reference
            ):
                test.one(program, setting)
        return 0

    with ThreadPoolExecutor(args.jobs) as pool:
        slow = sum(pool.map(one, range(args.first, args.first + args.count)))
    print(
        f"csmith: {args.count - slow} programs compared, {slow} left out because their reference fails or takes longer "
        f"than {SECONDS} s"
    )
    print(f"{test.total('passed')} passed, {test.total('failed')} failed")
    return 1 if test.total("failed") or not test.total("passed") else 0


if __name__ == "__main__":
    sys.exit(main())

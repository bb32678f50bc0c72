"""Compares random programs with what the reference compiler makes of them: the options and the loop over the seeds."""

import argparse
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import run
import settings

SECONDS = 3


def parse(description):
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, default=run.REPO / "build")
    parser.add_argument("--cc")
    parser.add_argument("--reference", default="clang-22")
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--settings", help="each program in all of these; default: one or two settings each, in turn")
    parser.add_argument("--jobs", type=int, default=2)
    args = parser.parse_args()
    args.build = args.build.resolve()
    return args


def in_turn(rotation, seed):
    return [settings.BY_NAME[rotation[(seed + k) % len(rotation)]] for k in (0, 3)]


def compare(args, name, make, rotation):
    """`make(seed, folder)` gives the program. Exit status: 0 if something passed and nothing failed."""
    compiler = (args.cc or str(args.build / "bin" / "charcoal-cc")).split()
    folder = args.build / "differential" / name
    folder.mkdir(parents=True, exist_ok=True)
    make(args.first, folder)  # alone: the first run of csmith leaves a file that others would read half written
    test = run.Run(compiler, run.Reference(args.reference.split(), folder / "expected", SECONDS), 120, ["-O1"])

    def one(seed):
        program = make(seed, folder)
        reference = test.reference.outcome(program, test.base)
        # Optimisation may remove a loop that has no end, which is undefined; interruptible code keeps it.
        if reference.status != 0 or not test.reference.outcome(program, ["-O0"]).same(reference):
            return 1
        for setting in settings.parse(args.settings) if args.settings else in_turn(rotation, seed):
            if setting.extra not in ("asan", "ubsan") or test.reference.outcome(program, setting.reference).same(
                reference
            ):
                test.one(program, setting)
        return 0

    with ThreadPoolExecutor(args.jobs) as pool:
        left_out = sum(pool.map(one, range(args.first, args.first + args.count)))
    print(
        f"{name}: {args.count - left_out} programs compared, {left_out} left out because their reference fails, "
        f"takes longer than {SECONDS} s or depends on the level"
    )
    print(f"{test.total('passed')} passed, {test.total('failed')} failed")
    return 1 if test.total("failed") or not test.total("passed") else 0

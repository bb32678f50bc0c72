#!/usr/bin/env python3
"""gcc's gcc.c-torture/execute, compiled by charcoal-cc in several settings.

    torture.py [--build DIR] [--cc CC] [--every N] [--settings NAMES] [--jobs N] [PATTERN ...]

A test judges itself by its exit status; those that plain clang cannot compile, or
that fail with it (nested functions, gcc's own builtins), are left out and counted. Last line: N passed, N failed.
"""
import re
import sys
from concurrent.futures import ThreadPoolExecutor
from fnmatch import fnmatchcase
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "differential"))
import programs  # noqa: E402
import run  # noqa: E402
import settings  # noqa: E402

import arguments  # noqa: E402
import fetch  # noqa: E402

# The behaviour of these tests is undefined, for they convert a float to an int that cannot hold it. Whether clang's
# program passes them is chance.
UNDEFINED = {"20031003-1.c"}
OPTIONS = re.compile(r'dg-(?:additional-)?options\s+(?:\{\s*)?"([^"]*)"')


def load(path):
    flags = ["-std=gnu17", "-Wno-everything", "-lm"]
    program = programs.Program(f"gcc-torture/{path.name}", path, flags, prints=False, leaks=False)
    for found in OPTIONS.finditer(path.read_text(errors="replace")):
        program.flags[:0] = [o for o in found.group(1).split() if o.startswith(("-f", "-std", "-D"))]
    return program


def main():
    args = arguments.parse(__doc__, "O0-plain,O2-plain,O0-stress,O2-stress,O0-stress-asan,O2-stress-asan")
    folder = fetch.fetch("gcc-torture", args.build / "suites" / "gcc-torture")
    chosen = [load(p) for p in sorted(folder.glob("*.c"))[:: args.every] if p.name not in UNDEFINED]
    if args.patterns:
        chosen = [p for p in chosen if any(fnmatchcase(p.path.name, w) for w in args.patterns)]
    reference = run.Reference(args.reference, args.build / "suites" / "gcc-torture.expected", 10)
    tests = {}
    unusable = set()

    def one(pair):
        program, setting = pair
        base = ["-" + setting.level]
        test = tests.setdefault(setting.level, run.Run(args.cc, reference, 100, base))
        want = reference.outcome(program, base)
        if (want.stage, want.status) != ("run", 0):
            unusable.add(program.name)
        else:
            test.one(program, setting)

    plan = [(p, s) for p in chosen for s in settings.parse(args.settings)]
    with ThreadPoolExecutor(args.jobs) as pool:
        for _ in pool.map(one, plan):
            pass
    passed, failed = (sum(t.total(what) for t in tests.values()) for what in ("passed", "failed"))
    for test in tests.values():
        for setting, row in test.table.items():
            print(f"{setting.name:24} {row['passed']:4} passed {row['failed']:4} failed {row['skipped']:4} skipped")
    print(f"gcc-torture: {len(chosen)} tests, {len(unusable)} left out because plain clang fails them")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Differential test: every program means the same compiled by charcoal-cc as by plain clang.

    run.py [--build DIR] [--cc CC] [--settings quick|all|NAMES] [--jobs N] [PATTERN ...]

The expected outcome (standard output and exit status) is that of the reference compiler at -O0. Where a
setting differs from it, the reference is asked again in the same setting, because sanitizers may
legitimately change what a program sees. A dialect program brings its expected output with it.
Last line: N passed, N failed. Exit status 1 if any failed.
"""

import argparse
import hashlib
import json
import os
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from fnmatch import fnmatchcase
from pathlib import Path

import programs
import settings

HERE = Path(__file__).resolve().parent
REPO = HERE.parent.parent


class Reference:
    """What the reference compiler says, remembered on disk under a hash of everything that it depends on."""

    def __init__(self, compiler, folder, limit):
        self.compiler, self.folder, self.limit = compiler, folder, limit
        self.version = subprocess.run([*compiler, "--version"], capture_output=True).stdout
        folder.mkdir(parents=True, exist_ok=True)

    def outcome(self, program, flags):
        digest = hashlib.sha256(self.version)
        for part in [*flags, *program.flags, *program.args]:
            digest.update(part.encode() + b"\0")
        for source in program.sources():
            digest.update(source.name.encode() + b"\0" + source.read_bytes())
        note = self.folder / digest.hexdigest()[:32]
        if note.exists():
            known = json.loads(note.read_text())
            return programs.Outcome(
                known["stage"], known["status"], bytes.fromhex(known["stdout"]), b"", known["seconds"]
            )
        seen = programs.build_and_run(program, self.compiler, flags, self.limit)
        if seen.status is not None and seen.stage == "run":
            # Whole or not at all: another thread may ask for the same.
            draft = note.with_name(f"{note.name}.{os.getpid()}.{threading.get_ident()}")
            draft.write_text(
                json.dumps(
                    {"stage": seen.stage, "status": seen.status, "stdout": seen.stdout.hex(), "seconds": seen.seconds}
                )
            )
            draft.replace(note)
        return seen


def first_difference(want, got):
    a, b = want.decode(errors="replace").splitlines(), got.decode(errors="replace").splitlines()
    for line, (x, y) in enumerate(zip(a + [None] * len(b), b + [None] * len(a)), 1):
        if x != y:
            return f"line {line}: expected {x!r}\n         got      {y!r}"
    return "output equal"


def explain(program, setting, compiler, want, got):
    if setting.noise:
        how = "\n           ".join(programs.noisy(program, compiler, setting.flags).splitlines())
    elif not program.linked:
        how = " ".join(programs.command(program, compiler, setting.flags, "program"))
    else:
        flags = " ".join(["-w", *setting.flags, *program.flags])
        recipe = f"SRC={program.path} sh -eu {program.path}/recipe"
        how = f"CC='{' '.join(compiler)}' CFLAGS='{flags}' GCC=gcc {recipe}"
    lines = [f"FAIL {program.name} [{setting.name}]", f"  command: {how}"]
    if got.stage == "compile":
        lines.append("  does not compile" + (" in time" if got.status is None else f" (status {got.status})"))
    elif got.status != want.status:
        lines.append(f"  status: expected {want.status}, got {'time limit' if got.status is None else got.status}")
    if got.stage == "run":
        lines.append("  " + first_difference(want.stdout, got.stdout))
    text = got.stderr.decode(errors="replace").splitlines()
    if got.stage == "compile":  # the assertion or the error, rather than the call stack behind it
        text = [l for l in text if not l.lstrip().startswith("#") and "PLEASE submit" not in l]
    lines += ["  | " + line[:240] for line in text[:8]]
    return "\n".join(lines)


class Run:
    def __init__(self, compiler, reference, limit, base=("-O0",)):
        self.compiler, self.reference, self.limit, self.base = compiler, reference, limit, list(base)
        self.lock, self.table = threading.Lock(), {}

    def expected(self, program, flags):
        if program.outcome:
            return programs.Outcome("run", 0, program.outcome.read_bytes())
        return self.reference.outcome(program, flags)

    def one(self, program, setting):
        if program.skipped(setting.flags) or (
            setting.noise and (program.linked or program.outcome or not program.noise)
        ):
            return self.count(setting, "skipped")
        want = self.expected(program, self.base)
        if want.stage == "compile":
            return self.count(
                setting,
                "failed",
                f"FAIL {program.name} [{setting.name}]: the reference compiler refuses it\n"
                + want.stderr.decode(errors="replace")[:600],
            )
        limit = self.limit + 20 * want.seconds
        got = programs.build_and_run(program, self.compiler, setting.flags, limit, setting.noise)
        if not got.same(want, program.prints) and not program.outcome:
            want = self.reference.outcome(program, setting.reference)
            if want.stage == "compile":
                return self.count(setting, "skipped")
        if got.same(want, program.prints):
            return self.count(setting, "passed")
        self.count(setting, "failed", explain(program, setting, self.compiler, want, got))

    def count(self, setting, what, message=None):
        with self.lock:
            row = self.table.setdefault(setting, {"passed": 0, "failed": 0, "skipped": 0})
            row[what] += 1
            if message:
                print(message, flush=True)

    def total(self, what):
        return sum(row[what] for row in self.table.values())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, default=REPO / "build")
    parser.add_argument("--cc", help="compiler under test (default: BUILD/bin/charcoal-cc)")
    parser.add_argument("--reference", default="clang-22")
    parser.add_argument(
        "--root", type=Path, action="append", help="folder of programs (default: tests/programs and the generated ones)"
    )
    parser.add_argument(
        "--every-kind", action="store_true", help="only the generated programs, each construct with every kind of value"
    )
    parser.add_argument("--settings", default="quick")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--limit", type=float, default=60, help="seconds for one run")
    parser.add_argument("--table", action="store_true", help="print the counts of each setting")
    parser.add_argument("--without", action="append", default=[], help="leave out programs with this in their names")
    parser.add_argument("patterns", nargs="*")
    args = parser.parse_args()

    compiler = (args.cc or str(args.build.resolve() / "bin" / "charcoal-cc")).split()
    work = args.build.resolve() / "differential"
    if args.every_kind:
        roots = [generated(work / "every", ["--all"])]
    else:
        roots = (
            [r.resolve() for r in args.root]
            if args.root
            else [REPO / "tests" / "programs", generated(work / "generated")]
        )
    chosen = [p for root in roots for p in programs.discover(root)]
    if args.patterns:
        chosen = [p for p in chosen if any(fnmatchcase(p.name, f"*{w}*") for w in args.patterns)]
    chosen = [p for p in chosen if not any(word in p.name for word in args.without)]
    if not chosen:
        raise SystemExit("run.py: no program matches")

    run = Run(compiler, Reference(args.reference.split(), work / "expected", args.limit), args.limit)
    plan = [
        (p, s)
        for i, p in enumerate(chosen)
        for s in (settings.quick(i) if args.settings == "quick" else settings.parse(args.settings))
    ]
    with ThreadPoolExecutor(args.jobs) as pool:
        for _ in pool.map(lambda pair: run.one(*pair), plan):
            pass
    if args.table:
        for setting, row in run.table.items():
            print(f"{setting.name:24} {row['passed']:4} passed {row['failed']:4} failed {row['skipped']:4} skipped")
    print(f"{run.total('passed')} passed, {run.total('failed')} failed")
    return 1 if run.total("failed") or not run.total("passed") else 0


def generated(folder, options=()):
    """The generated part of the corpus, made afresh: it takes a moment only."""
    subprocess.run(
        [sys.executable, str(REPO / "tests" / "programs" / "generate.py"), str(folder), *options], check=True
    )
    return folder


if __name__ == "__main__":
    sys.exit(main())

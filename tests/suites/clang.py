#!/usr/bin/env python3
"""clang's own tests of C: whatever clang accepts, charcoal-cc accepts, too, and compiles to valid code.

    clang.py [--build DIR] [--cc CC] [--every N] [--settings NAMES] [--jobs N] [PATTERN ...]

The options of a test are those of its first RUN line with which clang accepts it as C for a 64-bit target; tests
that it accepts with none are left out and counted. Most have no main: they are compiled to an object. Those that
link by themselves and are meant for more than the front end (which may do without any defined behaviour, as do those of
UNDEFINED) are run, too, and must end as clang's program does. Last line: N passed, N failed.
"""

import json
import re
import shlex
import sys
import tempfile
from collections import Counter
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

MAIN = re.compile(r"\bmain\s*\(")
NO_CODE = re.compile(r"RUN:.*-(fsyntax-only|verify|E|analyze)\b")
SECONDS = 100
UNDEFINED = {"CodeGen/alloca.c"}  # copies its own path into an array as long as its number of arguments
# Of an option of RUN lines, what is left to the settings or has nothing to do with code.
LEFT_OUT = re.compile(
    r"-f(syntax-only|diagnostics|color|module|implicit|profile|pseudo-probe|coverage|lto|thinlto|use-ld)"
)
KEPT = re.compile(r"-(std=|f|m|D|U|ansi|trigraphs)")


def target_option(triple):
    """64-bit targets that interruptible code exists for, on Linux and without a C library; others: this machine."""
    arch = triple.split("-")[0]
    names = {"aarch64": "aarch64", "arm64": "aarch64", "riscv64": "riscv64"}
    return [f"--target={names[arch]}-linux-gnu", "-ffreestanding"] if arch in names else []


def options_of(command):
    """The driver's options that say what the RUN line's do."""
    kept, words = [], iter(command)
    for word in words:
        if word in ("-triple", "-target"):
            kept += target_option(next(words, ""))
        elif word in ("-target-feature", "-target-cpu", "-target-abi"):
            kept += ["-Xclang", word, "-Xclang", next(words, "")]
        elif word.startswith("--target="):
            kept += target_option(word.partition("=")[2])
        elif KEPT.match(word) and not LEFT_OUT.match(word):
            kept.append(word)
    return kept


def candidates(text):
    """The options of each RUN line that compiles, without repetition; at last none."""
    found = []
    for line in re.findall(r"RUN:((?:.*\\\n)*.*)", text):
        line = re.sub(r"\\\n\s*(//|\*)?\s*(RUN:)?", " ", line)
        try:
            command = shlex.split(line.partition("|")[0], posix=True)
        except ValueError:
            continue
        if any(word.startswith("%clang") for word in command) and "%s" in command:
            options = options_of(command)
            if options not in found:
                found.append(options)
    return found[:3] + [o for o in [[]] if o not in found[:3]]


def compile_only(compiler, flags, path):
    with tempfile.TemporaryDirectory(prefix="charcoal-") as scratch:
        argv = [*compiler, "-w", *flags, "-x", "c", "-c", str(path), "-o", "object.o", "-I", str(path.parent)]
        return programs.execute(argv, scratch, SECONDS)


class Accepted:
    """With which options clang accepts a test, or that it does with none; remembered on disk."""

    def __init__(self, compiler, note):
        self.compiler, self.note = compiler, note
        self.known = json.loads(note.read_text()) if note.exists() else {}

    def options(self, name, path):
        if name not in self.known:
            text = path.read_text(errors="replace")
            self.known[name] = next(
                (o for o in candidates(text) if compile_only(self.compiler, ["-O0", *o], path)[0] == 0), None
            )
        return self.known[name]

    def save(self):
        self.note.write_text(json.dumps(self.known))


class Suite:
    def __init__(self, compiler, reference, accepted, outcomes):
        self.compiler, self.reference, self.accepted = compiler, reference, accepted
        self.runs = {level: run.Run(compiler, outcomes, SECONDS, ["-" + level]) for level in settings.LEVELS}

    def one(self, name, path, chosen):
        """What became of the test, in each setting."""
        options = self.accepted.options(name, path)
        if options is None:
            return ["left out"]
        found = [self.compile(name, path, options, setting) for setting in chosen]
        text = path.read_text(errors="replace")
        runs = MAIN.search(text) and not NO_CODE.search(text) and name not in UNDEFINED
        if runs and not any("target" in o for o in options):
            for setting in chosen:
                self.run(name, path, options, setting)
        return found

    def compile(self, name, path, options, setting):
        status, out, err, _ = compile_only(self.compiler, [*setting.flags, *options], path)
        if status == 0:
            return "compiled"
        if compile_only(self.reference, [*setting.reference, *options], path)[0] != 0:
            return "refused at that level only"
        text = (out + err).decode(errors="replace").splitlines()
        shown = "\n".join("  | " + line[:240] for line in text if not line.lstrip().startswith("#"))
        told = shlex.join([*self.compiler, "-w", *setting.flags, *options, "-x", "c", "-c", str(path)])
        print(f"FAIL {name} [{setting.name}] status {status}\n  {told}\n{shown[:1500]}", flush=True)
        return "failed"

    def run(self, name, path, options, setting):
        """Unless clang's program does not link: at -O0 either, where optimization removes nothing that is missing."""
        program = programs.Program(f"clang/{name}", path, [*options, "-x", "c"], leaks=False)
        wants = [self.runs[level].reference.outcome(program, ["-" + level]) for level in ("O0", setting.level)]
        if all(want.stage == "run" and want.status is not None for want in wants):
            self.runs[setting.level].one(program, setting)

    def ran(self, what):
        return sum(test.total(what) for test in self.runs.values())


def main():
    args = arguments.parse(__doc__, "O0-stress,O2-stress")
    folder = fetch.fetch("clang-tests", args.build / "suites" / "clang-tests")
    tests = {str(p.relative_to(folder)): p for p in sorted(folder.rglob("*.c"))}
    chosen = [n for n in tests if not args.patterns or any(fnmatchcase(n, w) for w in args.patterns)][:: args.every]
    accepted = Accepted(args.reference, args.build / "suites" / "clang-tests.accepted")
    outcomes = run.Reference(args.reference, args.build / "suites" / "clang-tests.expected", 10)
    suite = Suite(args.cc, args.reference, accepted, outcomes)
    counts = Counter()
    with ThreadPoolExecutor(args.jobs) as pool:
        for found in pool.map(lambda name: suite.one(name, tests[name], settings.parse(args.settings)), chosen):
            counts.update(found)
    accepted.save()
    print(f"clang-tests: {len(chosen)} tests;", ", ".join(f"{n} {what}" for what, n in counts.items()))
    print(f"clang-tests: {suite.ran('passed')} runs as clang's program, {suite.ran('failed')} otherwise")
    passed, failed = counts["compiled"] + suite.ran("passed"), counts["failed"] + suite.ran("failed")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""glibc's own tests of what Charcoal puts in the place of the C library's calls.

    glibc.py [--build DIR] [--cc CC] [--every N] [--settings NAMES] [--jobs N] [PATTERN ...]

A setting is a level and a mode, as elsewhere, or ends in `-company`: then another activity of the same thread is awake
while the test runs, which is repeated with each reactor. A test is one file; it judges itself by its exit status, and
glibc's support library, compiled in the same way, watches it. Those that fail as clang's programs are left out and
counted, and so are those named in glibc/left_out.txt, each with its reason. Last line: N passed, N failed.
"""

import json
import os
import re
import shlex
import shutil
import sys
import tempfile
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "differential"))
import programs  # noqa: E402
import settings  # noqa: E402

import arguments  # noqa: E402
import fetch  # noqa: E402

FOLDERS = (
    "rt signal posix libio stdio-common io setjmp misc socket time dirent stdlib pwd nptl sysdeps/pthread"
).split()
# Those whose failures are all known and stand in left_out.txt; others run when they are named.
CHOSEN = [*(f"{name}/*" for name in FOLDERS[:-2]), "nptl/tst-[r-z]*", "sysdeps/pthread/tst-[abce-ls-z]*"]
REACTORS = ["epoll", "io_uring"]
NOBODY = 65534
LIMIT_FACTOR = 5  # times the limit that a test sets for itself
TIMEOUT = re.compile(r"^\s*#\s*define\s+TIMEOUT\s+\(?(\d+)", re.M)
ARGUMENTS = re.compile(r"^(\S+)-ARGS = ((?:.*\\\n)*.*)", re.M)
FLAGS = re.compile(r"^CFLAGS-(\S+)\.c \+?= (.*)", re.M)
# Headers of glibc's own that its tests include and that stand by themselves.
HEADERS = "libc-diag.h array_length.h intprops.h libc-pointer-arith.h verify.h".split()
EMPTY_HEADERS = "config.h libc-symbols.h libc-internal.h sysdep.h".split()
SEEN_FOLDERS = "support sysdeps posix libio io nptl malloc test-skeleton.c".split()
PATHS = "SRCDIR OBJDIR OBJDIR_ELF_LDSO INSTDIR LIBDIR BINDIR SBINDIR SLIBDIR ROOTSBINDIR COMPLOCALEDIR".split()
ALWAYS = ["-w", "-std=gnu11", "-D_GNU_SOURCE", "-DTIMEOUTFACTOR=1", *(f'-D{name}_PATH="."' for name in PATHS)]
WATCHED = [Path(__file__), *(HERE / "glibc").iterdir()]  # who changes these wants the support library made anew
SUPPORT_INCLUDES = ["-include", "string.h", "-include", "stdlib.h", "-include", "limits.h"]
NO_SUPPORT = re.compile(r"^(tst|test-|links|README)|-container$")


@dataclass(frozen=True)
class Setting:
    """How a test is compiled, and what stands beside it."""

    name: str
    flags: tuple
    company: bool

    @property
    def reactors(self):
        """An activity alone makes the plain calls mostly, for which the reactor does not matter."""
        return REACTORS if self.company else REACTORS[:1]


def parse_settings(text):
    found = []
    for word in text.split(","):
        base = settings.BY_NAME[word.removesuffix("-company")]
        found.append(Setting(word, tuple(base.flags), word.endswith("-company")))
    return found


def headers(source, folder):
    """A folder of headers that holds what tests may include of glibc's source, and hides nothing of the system's."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for name in HEADERS:
        (folder / name).symlink_to(source / "include" / name)
    for name in SEEN_FOLDERS:
        (folder / name).symlink_to(source / name)
    for name in EMPTY_HEADERS:
        (folder / name).write_text("#include <stddef.h>\n")
    return ["-I", str(folder), "-I", str(HERE / "glibc"), "-I", str(source / "support")]


class Builder:
    """Compiles the support library and tests with one compiler in one setting."""

    def __init__(self, source, includes, compiler, setting, folder, jobs):
        self.source, self.setting, self.folder = source, setting, folder
        self.compiler = [*compiler, *setting.flags, *ALWAYS, *includes]
        self.library = folder / "libsupport.a"
        made = self.library.stat().st_mtime if self.library.exists() else 0
        if made < max(p.stat().st_mtime for p in [Path(shutil.which(compiler[0])), *WATCHED]):
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
            self.make_library(jobs)

    def make_object(self, path):
        output = self.folder / f"{path.stem}.o"
        argv = [*self.compiler, *SUPPORT_INCLUDES, "-c", str(path), "-o", str(output)]
        return output if programs.execute(argv, self.folder, 100)[0] == 0 else None

    def make_library(self, jobs):
        """What does not compile is missing: a test that needs it does not link with clang either."""
        sources = [p for p in sorted((self.source / "support").glob("*.c")) if not NO_SUPPORT.search(p.stem)]
        sources += [HERE / "glibc" / "company.c"] if self.setting.company else []
        with ThreadPoolExecutor(jobs) as pool:
            objects = [str(o) for o in pool.map(self.make_object, sources) if o]
        status, out, err, _ = programs.execute(["ar", "rcs", str(self.library), *objects], self.folder, 100)
        if status != 0:
            raise SystemExit(f"glibc.py: {(out + err).decode()}")

    def command(self, test, output):
        company = ["-Dsupport_test_main=company_test_main"] if self.setting.company else []
        libraries = [str(self.library), "-lrt", "-lpthread", "-lm", "-ldl"]
        return [*self.compiler, *company, *test.flags, str(test.path), "-o", str(output), *libraries]

    def build(self, test, output):
        status, out, err, _ = programs.execute(self.command(test, output), self.folder, 200)
        return status == 0, (out + err).decode(errors="replace")


@dataclass
class Test:
    name: str
    path: Path
    flags: list
    arguments: list
    limit: int


def load(folder, source):
    """The tests of a folder, with the options and arguments that its Makefile gives them."""
    makefile = (source / folder / "Makefile").read_text()
    given = {n: a.replace("\\\n", " ") for n, a in ARGUMENTS.findall(makefile)}
    options = {n: f for n, f in FLAGS.findall(makefile) if "$" not in f}
    for path in sorted((source / folder).glob("*.c")):
        if re.match(r"tst|test|bug|eintr", path.stem):
            text = path.read_text(errors="replace")
            limit = int(found[1]) if (found := TIMEOUT.search(text)) else 20
            flags = ["-DOBJPFX=\"./\"", *shlex.split(options.get(path.stem, ""))]
            yield Test(f"{folder}/{path.stem}", path, flags, given.get(path.stem, "").split(), limit)


def run(test, program, reactor):
    """Runs a test as nobody where root runs this, for whom tests of permissions would fail, with a folder of its own
    for temporary files, where it runs."""
    with tempfile.TemporaryDirectory(prefix="charcoal-") as scratch:
        user = []
        if os.getuid() == 0:
            os.chown(scratch, NOBODY, NOBODY)
            user = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]
        words = " ".join(test.arguments).replace("$(host-test-program-cmd)", str(program))
        words = words.replace("$(objpfx)", scratch + "/").replace("$(objdir)", scratch)
        environment = {"TIMEOUTFACTOR": str(LIMIT_FACTOR), "TMPDIR": scratch, "LC_ALL": "C"}
        environment["CHARCOAL_REACTOR"] = reactor
        argv = [*user, str(program), *shlex.split(words)]
        return programs.execute(argv, scratch, test.limit * LIMIT_FACTOR + 20, environment)


class Reference:
    """How clang's program of a test ends; remembered on disk."""

    def __init__(self, builder, note):
        self.builder, self.note = builder, note
        self.known = json.loads(note.read_text()) if note.exists() else {}
        self.lock = threading.Lock()

    def outcome(self, test):
        if test.name not in self.known:
            with tempfile.TemporaryDirectory(prefix="charcoal-") as scratch:
                Path(scratch).chmod(0o755)
                program = Path(scratch) / test.path.stem
                built, _ = self.builder.build(test, program)
                found = "does not compile" if not built else self.end(test, program)
            with self.lock:
                self.known[test.name] = found
                self.note.write_text(json.dumps(self.known, indent=0, sort_keys=True))
        return self.known[test.name]

    def end(self, test, program):
        status = run(test, program, REACTORS[0])[0]
        return {0: "passes", 77: "does not apply here"}.get(status, "fails")


class Suite:
    def __init__(self, reference, builders, left_out):
        self.reference, self.builders, self.left_out = reference, builders, left_out
        self.lock, self.table = threading.Lock(), {}
        self.unusable = Counter()

    def one(self, test):
        found = "left out by name" if test.name in self.left_out else self.reference.outcome(test)
        if found != "passes":
            self.unusable[found] += 1
            return
        for builder in self.builders:
            self.in_setting(test, builder)

    def in_setting(self, test, builder):
        with tempfile.TemporaryDirectory(prefix="charcoal-") as scratch:
            Path(scratch).chmod(0o755)
            program = Path(scratch) / test.path.stem
            built, text = builder.build(test, program)
            for reactor in builder.setting.reactors:
                status = None
                if built:
                    status, out, err, _ = run(test, program, reactor)
                    text = (out + err).decode(errors="replace")
                self.count(test, builder, reactor, built, status, text)

    def count(self, test, builder, reactor, built, status, text):
        setting = f"{builder.setting.name} {reactor}"
        with self.lock:
            row = self.table.setdefault(setting, Counter())
            row["passed" if status == 0 else "failed"] += 1
            if status != 0:
                what = f"status {status}" if built else "does not compile"
                command = shlex.join(builder.command(test, Path("program")))
                shown = "\n".join("  | " + line[:240] for line in text.splitlines()[:12])
                print(f"FAIL {test.name} [{setting}] {what}\n  {command}\n{shown}", flush=True)

    def total(self, what):
        return sum(row[what] for row in self.table.values())


def names_left_out():
    """Names, each with a reason behind it."""
    lines = (HERE / "glibc" / "left_out.txt").read_text().splitlines()
    return {line.partition(":")[0] for line in lines if line and not line.startswith("#")}


def main():
    args = arguments.parse(__doc__, "O2-stress-company")
    work = args.build / "suites" / "glibc-tests"
    source = fetch.fetch("glibc", args.build / "suites" / "glibc")
    chosen = [test for folder in FOLDERS for test in load(folder, source)]
    chosen = [t for t in chosen if any(fnmatchcase(t.name, w) for w in args.patterns or CHOSEN)]
    includes = headers(source, work / "include")
    without = Setting("reference", ("-O2",), False)
    plain = Builder(source, includes, args.reference, without, work / "reference", args.jobs)
    reference = Reference(plain, work / "reference.json")
    builders = [Builder(source, includes, args.cc, s, work / s.name, args.jobs) for s in parse_settings(args.settings)]
    suite = Suite(reference, builders, names_left_out())
    with ThreadPoolExecutor(args.jobs) as pool:
        for _ in pool.map(suite.one, chosen[:: args.every]):
            pass
    for setting, row in suite.table.items():
        print(f"{setting:30} {row['passed']:4} passed {row['failed']:4} failed")
    print("glibc: left out:", ", ".join(f"{n} {what}" for what, n in sorted(suite.unusable.items())))
    print(f"{suite.total('passed')} passed, {suite.total('failed')} failed")
    return 1 if suite.total("failed") or not suite.total("passed") else 0


if __name__ == "__main__":
    sys.exit(main())

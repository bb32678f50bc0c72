#!/usr/bin/env python3
"""Lua, SQLite and zlib, unmodified and entirely interruptible: what they print and return equals plain clang's.

    applications.py [--build DIR] [--cc CC] [--settings NAMES] [--jobs N] [NAME ...]

Each run of a program (a Lua test file, an SQL script, a round of compression) counts as one test in each
setting. The reference is compiled at -O0, because that takes a tenth of the time. Output is compared after addresses
and times have been masked, where a program prints such. Last line: N passed, N failed.
"""

import argparse
import re
import shutil
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "differential"))
import programs  # noqa: E402
import run as differential  # noqa: E402
import settings  # noqa: E402

import fetch  # noqa: E402

SCRIPTS = HERE / "scripts"


@dataclass
class Case:
    name: str
    argv: list  # argv[0] is the name of one of the application's programs
    stdin: Path = None
    folder: Path = None  # copied: the case runs in the copy
    env: dict = field(default_factory=dict)
    limit: float = 120  # seconds for plain clang's program; the program under test has 10 times as long
    long: bool = False  # not part of a quick run


@dataclass
class Application:
    name: str
    sources: dict  # program name: list of source files; files under "" belong to all
    flags: list
    libraries: list
    cases: list
    mask: re.Pattern = None


def lua54(cache):
    src = fetch.fetch("lua", cache / "lua") / "src"
    shared = sorted(p for p in src.glob("*.c") if p.name not in ("lua.c", "luac.c"))
    cases = [Case(s, ["lua", str(SCRIPTS / f"{s}.lua")]) for s in ("language", "library", "unprotected")]
    return Application("lua", {"": shared, "lua": [src / "lua.c"]}, ["-DLUA_USE_POSIX"], ["-lm"], cases)


def lua_unprotected(cache):
    """Lua with protected calls that do not catch: nothing calls setjmp, so the whole interpreter can be suspended."""
    application = lua54(cache)
    application.name = "lua-unprotected"
    application.flags += ["-DLUAI_THROW(L,c)=abort()", "-DLUAI_TRY(L,c,a)={ a }", "-Dluai_jmpbuf=int"]
    application.cases = [Case("unprotected", ["lua", str(SCRIPTS / "unprotected.lua")])]
    return application


# Those of Lua's own 5.1 suite that run by themselves (all.lua runs them all, but stops at two that gopher-lua
# has changed for its own dialect: math.lua and pm.lua).
LUA51_TESTS = (
    "api attrib calls checktable closure code constructs db errors events files gc literals locals main nextvar sort "
    "strings vararg verybig"
).split()
LUA51_SLOW = {"constructs", "gc", "verybig", "nextvar", "sort", "db", "main", "strings"}
LUA51_EXAMPLES = {
    "bisect": [],
    "cf": [],
    "env": [],
    "factorial": [],
    "fibfor": [],
    "sieve": [],
    "sort": [],
    "life": None,
    "trace-calls": None,
    "globals": None,
}


def lua51(cache):
    tree = fetch.fetch("lua51", cache / "lua51")
    tests = fetch.fetch("lua51-tests", cache / "lua51-tests")
    shared = sorted(p for p in (tree / "src").glob("*.c") if p.name not in ("lua.c", "luac.c", "print.c"))
    env = {"LUA_PATH": "?;./?.lua"}
    cases = [Case(f"suite/{n}", ["lua", f"{n}.lua"], folder=tests, env=env, long=n in LUA51_SLOW) for n in LUA51_TESTS]
    cases += [
        Case(f"test/{n}", ["lua", str(tree / "test" / f"{n}.lua"), *a])
        for n, a in LUA51_EXAMPLES.items()
        if a is not None
    ]
    masked = re.compile(
        rb"0x[0-9a-f]{6,}|\S*/built/[^/]+/|\d+\.\d\d|\d+(\.\d+)? (msec|Kbytes)|total memory: \S+"
        rb"|current path:[^-]*|/tmp/lua_\w+|random.*"
        rb"|test done on .*"
    )
    return Application(
        "lua51",
        {"": shared, "lua": [tree / "src" / "lua.c"]},
        ["-DLUA_USE_POSIX", "-DLUA_USE_DLOPEN"],
        ["-lm", "-ldl", "-Wl,-E"],
        cases,
        masked,
    )


def sqlite(cache):
    src = fetch.fetch("sqlite", cache / "sqlite")
    flags = ["-DSQLITE_THREADSAFE=0", "-DSQLITE_OMIT_LOAD_EXTENSION", "-I" + str(src)]
    speedtest = ["speedtest1", "--memdb", "--shrink-memory", "--size"]
    cases = [
        Case("answers.sql", ["sqlite", "-batch", ":memory:"], stdin=SCRIPTS / "answers.sql"),
        Case("answers.sql in a file", ["sqlite", "-batch", "test.db"], stdin=SCRIPTS / "answers.sql"),
        Case("speedtest1 --size 1", [*speedtest, "1"]),
        Case("speedtest1 --size 5", [*speedtest, "5"], long=True),
    ]
    return Application(
        "sqlite",
        {"": [src / "sqlite3.c"], "sqlite": [src / "shell.c"], "speedtest1": [src / "test" / "speedtest1.c"]},
        flags,
        ["-lm"],
        cases,
        re.compile(rb"\s*\d+\.\d+s|-- Time.*"),
    )


def zlib(cache):
    src = fetch.fetch("zlib", cache / "zlib")
    work = cache / "zlib.inputs"
    if not work.exists():
        work.mkdir()
        (work / "text").write_bytes((src / "ChangeLog").read_bytes() + (src / "zlib.h").read_bytes())
        (work / "binary").write_bytes(bytes((i * i >> 3) & 255 for i in range(150_000)))
    cases = [Case("example", ["example"], folder=work), Case("infcover", ["infcover"], long=True)]
    for level in "169":
        cases += [
            Case(f"minigzip -{level} {n}", ["minigzip", "-c", f"-{level}", n], folder=work) for n in ("text", "binary")
        ]
    return Application(
        "zlib",
        {"": sorted(src.glob("*.c")), **{n: [src / "test" / f"{n}.c"] for n in ("example", "minigzip", "infcover")}},
        ["-I" + str(src), "-DHAVE_UNISTD_H"],
        [],
        cases,
    )


APPLICATIONS = {"lua": lua54, "lua-unprotected": lua_unprotected, "lua51": lua51, "sqlite": sqlite, "zlib": zlib}


def build(application, compiler, flags, folder, pool):
    """Compiles what is not there yet; returns the error text of the first command that fails, or None."""
    folder.mkdir(parents=True, exist_ok=True)
    objects, work = {}, []
    for program, sources in application.sources.items():
        objects[program] = [folder / (s.stem + ".o") for s in sources]
        work += [
            [*compiler, "-w", *flags, *application.flags, "-c", str(s), "-o", str(o)]
            for s, o in zip(sources, objects[program])
        ]
    links = [
        [*compiler, *flags, *map(str, objects[p] + objects[""]), "-o", str(folder / p), *application.libraries]
        for p in application.sources
        if p
    ]
    for step in (work, links):
        for argv, (status, out, err, _) in zip(step, pool.map(lambda argv: programs.execute(argv, folder, 900), step)):
            if status != 0:
                return f"  command: {' '.join(argv)}\n  status {status}\n" + (out + err).decode(errors="replace")[:1500]
    return None


def run_case(case, folder, scratch, factor):
    """Runs one case in a copy of its folder; returns an Outcome."""
    place = scratch / re.sub(r"\W+", "_", case.name)
    shutil.rmtree(place, ignore_errors=True)
    if case.folder:
        shutil.copytree(case.folder, place)
    else:
        place.mkdir(parents=True)
    env = {"LC_ALL": "C", "ASAN_OPTIONS": "detect_leaks=0", **case.env}
    status, out, err, seconds = programs.execute(
        [str(folder / case.argv[0]), *case.argv[1:]], place, case.limit * factor, env, case.stdin
    )
    shutil.rmtree(place)
    return programs.Outcome("run", status, out, err, seconds)


def compare(application, setting, compiler, reference, work, quick, pool, count):
    ours, theirs = work / f"{application.name}-{setting.name}", work / f"{application.name}-reference"
    for who, flags, folder in ((reference, ["-O0"], theirs), (compiler, setting.flags, ours)):
        if who is compiler:
            shutil.rmtree(folder, ignore_errors=True)
        elif all((folder / p).exists() for p in application.sources if p):
            continue
        error = build(application, who, flags, folder, pool)
        if error:
            return count(False, f"FAIL {application.name} [{setting.name}] does not compile\n{error}")
    mask = (lambda text: application.mask.sub(b"#", text)) if application.mask else (lambda text: text)

    def one(case):
        want = run_case(case, theirs, work / "runs" / theirs.name, 1)
        if want.status is None:
            return count(False, f"FAIL {application.name} {case.name}: the reference exceeds {case.limit} s")
        got = run_case(case, ours, work / "runs" / ours.name, 10)
        name = f"{application.name} {case.name} [{setting.name}]"
        if got.status != want.status or mask(got.stdout) != mask(want.stdout):
            status = (
                ""
                if got.status == want.status
                else f"  status: expected {want.status}, got {'time limit' if got.status is None else got.status}\n"
            )
            err = "\n".join("  | " + l[:240] for l in got.stderr.decode(errors="replace").splitlines()[:12])
            return count(
                False,
                f"FAIL {name}\n{status}  program: {ours / case.argv[0]} {' '.join(case.argv[1:])}"
                + (f" < {case.stdin}" if case.stdin else "")
                + f"\n  {differential.first_difference(mask(want.stdout), mask(got.stdout))}\n{err}",
            )
        count(True, f"ok   {name} {want.seconds:.1f} s -> {got.seconds:.1f} s")

    for case in application.cases:
        if not (quick and case.long):
            one(case)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, default=differential.REPO / "build")
    parser.add_argument("--cc")
    parser.add_argument("--reference", default="clang-22")
    parser.add_argument("--settings", default="O2-stress")
    parser.add_argument("--quick", action="store_true", help="leave out the long cases")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("names", nargs="*", default=list(APPLICATIONS))
    args = parser.parse_args()
    tree = args.build.resolve()
    compiler = (args.cc or str(tree / "bin" / "charcoal-cc")).split()
    passed = failed = 0

    def count(good, message):
        nonlocal passed, failed
        passed, failed = passed + good, failed + (not good)
        print(message, flush=True)

    with ThreadPoolExecutor(args.jobs) as pool:
        for name in args.names or APPLICATIONS:
            application = APPLICATIONS[name](tree / "suites")
            for setting in settings.parse(args.settings):
                compare(
                    application,
                    setting,
                    compiler,
                    args.reference.split(),
                    tree / "suites" / "built",
                    args.quick,
                    pool,
                    count,
                )
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Other people's projects, recompiled in stress mode as their authors say, pass their own tests.

    own_tests.py [--build DIR] [--cc CC] [NAME ...]

A project is one test: its own tests end well, and say how many they were. Last line: N passed, N failed.
"""

import argparse
import os
import re
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "differential"))
import programs  # noqa: E402
import run  # noqa: E402

import fetch  # noqa: E402

HOUR = 3600
NOBODY = 65534
ONE_AGE = 1_700_000_000


@dataclass
class Project:
    steps: list  # commands of the shell, in a copy of the source; CC stands in the environment
    tests: str  # the last step: its end is judged
    count: str  # a regular expression for how many passed


QUICK_LINKER = "LDCMD=\"$CC -fuse-ld=lld\""  # 250 programs, each with the whole library
AUTOMAKE = r"# PASS: +(\d+)"
PROJECTS = {
    "xz": Project(
        ["./configure CFLAGS='-O2 -w' --disable-shared --disable-nls --disable-doc", "make"],
        "make check",
        AUTOMAKE,
    ),
    "pcre2": Project(
        ["./configure CFLAGS='-O2 -w' --disable-shared --enable-pcre2-16 --enable-pcre2-32", "make"],
        "make check",
        AUTOMAKE,
    ),
    # Left out: what needs the locale en_US.UTF-8 (IDN), and what has a program of its own (most of 500 to 999).
    "curl": Project(
        [
            "./configure CFLAGS='-O2 -w' --with-openssl --disable-shared --disable-manual",
            "make",
            "make -C tests/certs",
            "make -C tests/server",
        ],
        "cd tests && perl runtests.pl -a -n '!flaky' '!timing-dependent' '!IDN' 1 to 499 1000 to 1299",
        r"TESTDONE: (\d+) tests out of \1 reported OK",
    ),
    "openssl": Project(
        ["./config no-shared -O2 -w", f"make {QUICK_LINKER}"],
        f"make test {QUICK_LINKER}",
        r"Files=\d+, Tests=(\d+)",
    ),
    # One of its two programs is in C++, and is linked with objects of Charcoal's.
    "expat": Project(
        [
            "CFLAGS='-O2 -w' CXX=\"$CC --driver-mode=g++\" cmake -S expat -B out -DEXPAT_BUILD_DOCS=OFF"
            " -DEXPAT_BUILD_TOOLS=OFF -DEXPAT_SHARED_LIBS=OFF",
            "make -C out",
        ],
        "./out/tests/runtests && ./out/tests/runtestspp",
        r"Checks: (\d+), Failed: 0",
    ),
    # Once alone, and once beside an activity that overwrites the native stack.
    "sed": Project(
        ["./configure CFLAGS='-O2 -w' --disable-nls", "make", "$CC -O2 -c $BESIDE -o beside.o"],
        "make check-am && rm sed/sed && make check-am LIBS=$PWD/beside.o",
        AUTOMAKE,
    ),
}


def prepare(name, build):
    """A copy of the source. It belongs to nobody where root runs this, for whom tests of permissions would fail. All
    files are of one age, so that nothing which the authors have generated is made again."""
    source, folder = fetch.fetch(name, build / "suites" / name), build / "suites" / "own" / name
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(source, folder, symlinks=True)
    for path in [folder, *folder.rglob("*")]:
        os.utime(path, (ONE_AGE, ONE_AGE), follow_symlinks=False)
        if os.getuid() == 0:
            os.chown(path, NOBODY, NOBODY, follow_symlinks=False)
    return folder


def test(name, project, compiler, build):
    folder = prepare(name, build)
    user = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"] if os.getuid() == 0 else []
    environment = {
        "CC": f"{compiler} -fcharcoal-stress",
        "LC_ALL": "C",
        "HOME": str(folder),
        "BESIDE": str(HERE / "beside.c"),
    }
    for step in [*project.steps, project.tests]:
        status, out, err, seconds = programs.execute([*user, "sh", "-c", step], folder, 3 * HOUR, environment)
        text = (out + err).decode(errors="replace")
        if status != 0:
            print(f"FAIL {name}: '{step}' ended with status {status}\n" + text[-3000:], flush=True)
            return False
    count = sum(int(n) for n in re.findall(project.count, text))
    print(f"{'ok  ' if count else 'FAIL'} {name}: {count} tests of its own in {seconds:.0f} s", flush=True)
    return count > 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, default=run.REPO / "build")
    parser.add_argument("--cc")
    parser.add_argument("names", nargs="*", default=list(PROJECTS))
    args = parser.parse_args()
    build = args.build.resolve()
    compiler = args.cc or str(build / "bin" / "charcoal-cc")
    results = [test(name, PROJECTS[name], compiler, build) for name in args.names or PROJECTS]
    print(f"{sum(results)} passed, {len(results) - sum(results)} failed")
    return 0 if results and all(results) else 1


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Obtains other people's programs, unmodified, for the tests and the benchmarks: fetch.py NAME FOLDER

    lua           Lua 5.4 (Debian source package lua5.4): FOLDER/src
    lua51         Lua 5.1 (Debian source package lua5.1): FOLDER/src, FOLDER/test
    lua51-tests   Lua's own test suite for 5.1, as the Go module github.com/yuin/gopher-lua carries it
    sqlite        SQLite (Debian source package sqlite3): FOLDER/sqlite3.c, shell.c, test/speedtest1.c
    zlib          zlib (Debian source package zlib): FOLDER/*.c, test/example.c, test/minigzip.c
    zstd          zstd (Debian source package libzstd): FOLDER/lib
    cjson         cJSON (Debian source package cjson): FOLDER/cJSON.c, cJSON.h
    xz, pcre2, curl, openssl, expat, sed
                  XZ Utils, PCRE2, curl, OpenSSL, Expat and GNU sed (Debian source packages xz-utils, pcre2, curl,
                  openssl, expat, sed), with their own tests
    redis, cpython, git
                  Redis, CPython 3.11 and Git (Debian source packages redis, python3.11, git)
    glibc         glibc's source (Debian source package glibc), for its own tests
    gcc-torture   gcc 12's gcc.c-torture/execute (Debian package gcc-12-source): FOLDER/*.c
    clang-tests   clang 19's tests of C (Debian source package llvm-toolchain-19): FOLDER/CodeGen, C, Sema, …

Prints FOLDER. Does nothing when FOLDER is complete already (it then holds the file `.complete`). Nothing
outside FOLDER and its sibling `.downloads` is written; apt's own settings and lists are left alone.
"""

import os
import shutil
import subprocess
import sys
import tarfile
from functools import partial
from pathlib import Path

RELEASE = "bookworm"
SOURCES = """Types: deb-src
URIs: {site}
Suites: {release}
Components: main
Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg
"""


def command(*argv, cwd, env=None):
    done = subprocess.run(
        [str(a) for a in argv],
        cwd=cwd,
        env={**os.environ, **(env or {})},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    if done.returncode:
        raise SystemExit(f"fetch.py: '{' '.join(str(a) for a in argv)}' failed:\n{done.stdout[-2000:]}")
    return done.stdout


def sources():
    """The list of sources: from where this machine has its packages."""
    for line in command(
        "apt-get", "indextargets", "--format", "$(SITE) $(RELEASE) $(COMPONENT)", "Created-By: Packages", cwd="."
    ).splitlines():
        site, release, component = line.split()
        if release == RELEASE and component == "main":
            return SOURCES.format(site=site, release=release)
    raise SystemExit(f"fetch.py: apt knows no archive of Debian {RELEASE}; add one to /etc/apt/sources.list")


def download_source(package, downloads, *what):
    """Downloads a Debian source package by way of a private list of sources; returns the folder with its files."""
    private = downloads / "apt"
    (private / "lists" / "partial").mkdir(parents=True, exist_ok=True)
    (private / "debian.sources").write_text(sources())
    options = [
        "-o",
        "Dir::Etc::SourceList=/dev/null",
        "-o",
        f"Dir::Etc::SourceParts={private}",
        "-o",
        f"Dir::State::Lists={private}/lists",
        "-o",
        "APT::Sandbox::User=root",
        "-o",
        "Acquire::Retries=3",
    ]
    if not any((private / "lists").glob("*Sources*")):
        command("apt-get", *options, "update", cwd=downloads)
    target = downloads / f"{package}.source"
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir()
    command("apt-get", *options, "source", "--download-only", *what, package, cwd=target)
    return target


def apt_source(package, downloads):
    """Unpacks a Debian source package; returns its folder."""
    target = download_source(package, downloads)
    command("dpkg-source", "--no-check", "--skip-patches", "-x", next(target.glob("*.dsc")), "tree", cwd=target)
    return target / "tree"


def package_source(package, folder, downloads):
    shutil.copytree(apt_source(package, downloads), folder, dirs_exist_ok=True, symlinks=True)


def lua51_tests(folder, downloads):
    module = downloads / "gopher-lua"
    module.mkdir(exist_ok=True)
    (module / "go.mod").write_text("module fetch\n\ngo 1.17\n")
    path = command(
        "go",
        "mod",
        "download",
        "-json",
        "github.com/yuin/gopher-lua@v1.1.1",
        cwd=module,
        env={"GOMODCACHE": str(module / "cache"), "GOFLAGS": "-mod=mod -modcacherw"},
    )
    found = next(line.split('"')[3] for line in path.splitlines() if '"Dir"' in line)
    shutil.copytree(Path(found) / "_lua5.1-tests", folder, dirs_exist_ok=True)


def sqlite(folder, downloads):
    tree = apt_source("sqlite3", downloads)
    build = downloads / "sqlite3.build"
    shutil.rmtree(build, ignore_errors=True)
    build.mkdir()
    command(tree / "configure", "--disable-tcl", cwd=build, env={"CC": "cc"})
    command("make", "sqlite3.c", "shell.c", cwd=build)
    for name in ("sqlite3.c", "sqlite3.h", "sqlite3ext.h", "shell.c"):
        shutil.copy(build / name, folder)
    (folder / "test").mkdir(exist_ok=True)
    shutil.copy(tree / "test" / "speedtest1.c", folder / "test")
    shutil.rmtree(build)


def gcc_torture(folder, downloads):
    command(
        "apt-get",
        "-o",
        "APT::Sandbox::User=root",
        "-o",
        "Acquire::Retries=3",
        "download",
        "gcc-12-source",
        cwd=downloads,
    )
    package = next(downloads.glob("gcc-12-source_*.deb"))
    unpacked = downloads / "gcc-12-source"
    command("dpkg-deb", "-x", package, unpacked, cwd=downloads)
    with tarfile.open(next(unpacked.rglob("gcc-12*.tar.xz"))) as tar:
        for member in tar:
            _, found, name = member.name.partition("/testsuite/gcc.c-torture/execute/")
            if found and member.isfile() and "/" not in name:
                (folder / name).write_bytes(tar.extractfile(member).read())
    shutil.rmtree(unpacked)
    package.unlink()


def clang_tests(folder, downloads):
    """The archive holds all of LLVM, of which a hundredth is unpacked; RISC-V's vector intrinsics are half of that."""
    archive = next(download_source("llvm-toolchain-19", downloads, "--tar-only").glob("*.orig.tar.xz"))
    parts = [f"*/clang/test/{name}" for name in ("CodeGen", "C", "Sema", "Parser", "Lexer")]
    argv = ["tar", "-xf", archive, "-C", folder, "--strip-components=3", "--wildcards", "--exclude=rvv-intrinsics-*"]
    command(*argv, *parts, cwd=downloads)
    archive.unlink()


NAMES = {
    "lua": partial(package_source, "lua5.4"),
    "lua51": partial(package_source, "lua5.1"),
    "lua51-tests": lua51_tests,
    "sqlite": sqlite,
    "zlib": partial(package_source, "zlib"),
    "zstd": partial(package_source, "libzstd"),
    "cjson": partial(package_source, "cjson"),
    "xz": partial(package_source, "xz-utils"),
    "pcre2": partial(package_source, "pcre2"),
    "curl": partial(package_source, "curl"),
    "openssl": partial(package_source, "openssl"),
    "expat": partial(package_source, "expat"),
    "sed": partial(package_source, "sed"),
    "redis": partial(package_source, "redis"),
    "cpython": partial(package_source, "python3.11"),
    "git": partial(package_source, "git"),
    "glibc": partial(package_source, "glibc"),
    "gcc-torture": gcc_torture,
    "clang-tests": clang_tests,
}


def fetch(name, folder):
    folder = Path(folder).resolve()
    if not (folder / ".complete").exists():
        downloads = folder.parent / ".downloads"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        downloads.mkdir(exist_ok=True)
        NAMES[name](folder, downloads)
        (folder / ".complete").touch()
    return folder


if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[1] not in NAMES:
        raise SystemExit(__doc__)
    print(fetch(*sys.argv[1:]))

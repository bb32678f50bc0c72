"""Fetches four libraries as Debian source packages, without Debian's patches, and builds each in its own way.

Everything lies below <build>/recompile: NAME/ is the source, KIND/NAME/ what was built of it. A kind is a compiler with
its flags.
"""

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

REPO = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(REPO / "tests" / "suites"))
import fetch  # noqa: E402

# name: Debian's source package, how to configure it, how to make the library, where headers and archives are found.
# {cc}, {flags}, {source} and {built} are filled in. Where nothing is configured, the source is copied and made in its
# own folder.
LIBRARIES = {
    "hiredis": {
        "package": "hiredis",
        "make": "make static CC={cc} 'OPTIMIZATION={flags}'",
        "headers": ["."],
        "archives": ["libhiredis.a"],
    },
    "libpq": {
        "package": "postgresql-15",
        "configure": "{source}/configure CC={cc} 'CFLAGS={flags}' --without-readline --without-zlib",
        "make": "make -C src/interfaces/libpq all-static-lib",
        "headers": ["src/include", "{source}/src/interfaces/libpq", "{source}/src/include"],
        "archives": ["src/interfaces/libpq/libpq.a", "src/common/libpgcommon_shlib.a", "src/port/libpgport_shlib.a"],
    },
    "libcurl": {
        "package": "curl",
        "configure": "{source}/configure CC={cc} 'CFLAGS={flags}' --disable-shared --without-ssl --without-zlib"
        " --without-brotli --without-zstd --without-nghttp2 --without-libidn2 --without-libpsl --without-librtmp"
        " --disable-ldap --disable-manual --disable-dict --disable-file --disable-ftp --disable-gopher --disable-imap"
        " --disable-mqtt --disable-pop3 --disable-rtsp --disable-smb --disable-smtp --disable-telnet --disable-tftp",
        "make": "make -C lib",
        "headers": ["{source}/include"],
        "archives": ["lib/.libs/libcurl.a"],
    },
    "mbedtls": {
        "package": "mbedtls",
        "make": "make -C library static CC={cc} 'CFLAGS={flags}'",
        "headers": ["include"],
        "archives": ["library/libmbedtls.a", "library/libmbedx509.a", "library/libmbedcrypto.a"],
    },
}

# program: the libraries it uses
PROGRAMS = {
    "redis": ["hiredis"],
    "postgres": ["libpq"],
    "http": ["libcurl"],
    "tls": ["mbedtls"],
    "deadline": ["hiredis", "libpq"],
}

OWN_TESTS = {"hiredis": "test.c", "mbedtls": "programs/test/selftest.c"}

# kind: compiler, flags of library and program, further flags of the program
KINDS = {
    "activities": ("{build}/bin/charcoal-cc", "-O2 -g", ""),
    "sequential": ("clang-22", "-O2 -g", "-isystem {build}/include"),
    "threads": ("clang-22", "-O2 -g", "-isystem {build}/include -DTHREADS -pthread"),
    "stress": ("{build}/bin/charcoal-cc", "-O1 -g -fcharcoal-stress -fsanitize=address -fno-omit-frame-pointer", ""),
}
LIBRARIES_OF = {"threads": "sequential"}  # these kinds use another's libraries


def shell(command, folder, log):
    folder.mkdir(parents=True, exist_ok=True)
    with open(log, "a") as out:
        out.write(f"$ cd {folder} && {command}\n")
        out.flush()
        # What a configure script tries out may leak.
        done = subprocess.run(
            command,
            shell=True,
            cwd=folder,
            stdout=out,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            env={**os.environ, "ASAN_OPTIONS": "detect_leaks=0"},
        )
    if done.returncode:
        end = "".join(open(log, errors="replace").readlines()[-25:])
        raise SystemExit(f"recompile: '{command}' failed in {folder}; the end of {log}:\n{end}")


def source(build, name):
    """The library's unpatched source, fetched when it is not there yet."""
    folder = build / "recompile" / name
    if not (folder / ".complete").exists():
        downloads = build / "recompile" / ".downloads"
        downloads.mkdir(parents=True, exist_ok=True)
        shutil.rmtree(folder, ignore_errors=True)
        tree = fetch.apt_source(LIBRARIES[name]["package"], downloads)
        tree.rename(folder)
        shutil.rmtree(tree.parent)
        (folder / ".complete").touch()
    return folder


def fingerprint(build, compiler):
    """What objects depend on: the compiler that made them."""
    text = hashlib.sha256(compiler.encode())
    if "charcoal" in compiler:
        for part in [*sorted((build / "lib").glob("charcoal-*.so")), build / "bin" / "charcoal-cc"]:
            text.update(part.read_bytes())
    return text.hexdigest()


def stale(stamp, content):
    return not stamp.exists() or stamp.read_text() != content


def build_library(build, kind, name, jobs=2):
    """Builds the library where that has not been done with this compiler; returns (flags for headers, archives)."""
    kind = LIBRARIES_OF.get(kind, kind)
    compiler, flags, _ = KINDS[kind]
    compiler = compiler.format(build=build)
    library, tree = LIBRARIES[name], source(build, name)
    built = build / "recompile" / kind / name
    log = built.parent / f"{name}.log"
    places = {"cc": compiler, "flags": flags, "source": tree, "built": built}
    made, configured = built.parent / f"{name}.made", built.parent / f"{name}.configured"
    if stale(made, fingerprint(build, compiler + flags)):
        made.unlink(missing_ok=True)
        configure = library.get("configure", "").format(**places)
        if stale(configured, configure) or not configure:
            shutil.rmtree(built, ignore_errors=True)
            built.parent.mkdir(parents=True, exist_ok=True)
            log.unlink(missing_ok=True)
            if configure:
                shell(configure, built, log)
            else:
                shutil.copytree(tree, built, symlinks=True)
            configured.write_text(configure)
        else:
            for old in [p for pattern in ("*.o", "*.lo", "*.a") for p in built.rglob(pattern)]:
                old.unlink()
        shell(library["make"].format(**places) + f" -j{jobs}", built, log)
        made.write_text(fingerprint(build, compiler + flags))
    headers = [f"-I{built / h.format(**places)}" for h in library["headers"]]
    return headers, [str(built / a) for a in library["archives"]]


def compile_with(build, kind, names, sources, path, warnings="-Wall -Wextra"):
    """Compiles a program of these sources with these libraries; returns its path. What the compiler said is in its
    log."""
    headers, archives = [], []
    for name in names:
        more_headers, more_archives = build_library(build, kind, name)
        headers, archives = headers + more_headers, archives + more_archives
    compiler, flags, more = (text.format(build=build) for text in KINDS[kind])
    log = path.with_suffix(".log")
    path.parent.mkdir(parents=True, exist_ok=True)
    log.unlink(missing_ok=True)
    shell(
        " ".join(map(str, [compiler, flags, warnings, more, *sources, *headers, *archives, "-o", path])),
        path.parent,
        log,
    )
    return path


def build_program(build, kind, program):
    """One of this folder's programs, with its libraries."""
    here = Path(__file__).resolve().parent
    return compile_with(
        build, kind, PROGRAMS[program], [here / f"{program}.c", here / "many.c"], build / "recompile" / kind / program
    )


def build_own_test(build, kind, name):
    """What the library's authors test it with, in one program."""
    tree = source(build, name)
    folder = build / "recompile" / kind
    return compile_with(
        build, kind, [name], [f"-I{tree / 'library'}", tree / OWN_TESTS[name]], folder / f"{name}-own-test", "-w"
    )

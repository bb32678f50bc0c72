"""How each kind of program is built, once, into BUILD/bench/bin.

A program is built again when its command, its sources or, for ours, the compiler and the runtime have changed.
What cannot be built raises Unavailable with a sentence that says what is missing.
"""

import glob
import hashlib
import os
import shutil
import subprocess

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# Where a loop happens to lie decides up to a factor of two; this takes the luck out, for ours and for C alike.
ALIGNED = ["-O2", "-falign-functions=64", "-falign-loops=32"]
SUFFIXES = {".c", ".cpp", ".go", ".rs"}
LIBRARIES = {"io_uring": ("-luring", "liburing-dev"), "libuv": ("-luv", "libuv1-dev")}
# Where our program is one of the examples: BENCH -> EXAMPLE. It is built as all examples are.
EXAMPLES = {"http": "knot", "kv": "kv", "proxy": "gateway"}
# Servers that are installed on the machine; their program here starts them: SYSTEM -> COMMAND, also its Debian package.
SERVERS = {"nginx": "nginx", "haproxy": "haproxy", "redis": "redis-server"}


class Unavailable(Exception):
    pass


def tool(*names):
    """The first of several commands that is there, or None."""
    return next((found for found in map(shutil.which, names) if found), None)


def clang(plus_plus=False):
    stem = "clang++" if plus_plus else "clang"
    found = tool(f"{stem}-22", f"{stem}-19", stem)
    if not found:
        raise Unavailable(f"{stem} is not installed")
    return found


def source_of(bench, system):
    """The system's program for this benchmark, or None. Of an example it is the file that one reads first."""
    if system == "charcoal" and bench in EXAMPLES:
        return f"{os.path.dirname(HERE)}/examples/{EXAMPLES[bench]}/main.c"
    found = [path for path in glob.glob(f"{HERE}/{bench}/{system}.*") if os.path.splitext(path)[1] in SUFFIXES]
    return found[0] if found else None


class Builder:
    def __init__(self, build_directory):
        self.tree = os.path.abspath(build_directory)
        self.out = f"{self.tree}/bench"
        self.log = f"{self.out}/build.log"
        self.failures = {}  # program -> sentence; what failed once is not tried again
        os.makedirs(f"{self.out}/bin", exist_ok=True)
        os.environ.setdefault("BENCH_FILE", f"{self.out}/disk-file")  # see disk/file.h
        open(self.log, "w").close()

    def charcoal_cc(self):
        path = f"{self.tree}/bin/charcoal-cc"
        if not os.access(path, os.X_OK):
            raise Unavailable(f"{path} is not there; build the project first (make)")
        return path

    def compiler_inputs(self):
        """The files of which our compiler and what it links consist."""
        found = (glob.glob(f"{self.tree}/{folder}/**/*", recursive=True) for folder in ("lib", "include"))
        return [self.charcoal_cc(), *(path for paths in found for path in paths)]

    def program(self, bench, system, variant=""):
        """Path of the built program."""
        source = source_of(bench, system)
        target = f"{self.out}/bin/{bench}/{system}{'-' + variant if variant else ''}"
        if target in self.failures:
            raise Unavailable(self.failures[target])
        try:
            self._make(target, *self._command(bench, system, variant, source, target))
        except Unavailable as reason:
            self.failures[target] = str(reason)
            raise
        return target

    def _command(self, bench, system, variant, source, target):
        """(command, environment, working directory, further inputs, what to do when it fails)"""
        define = [f"-DBENCH_{variant.upper()}"] if variant else []
        if system in SERVERS and not tool(SERVERS[system]):
            raise Unavailable(f"{system} is not installed (apt-get install {SERVERS[system]})")
        if system == "charcoal":
            cc = self.charcoal_cc()
            inputs = self.compiler_inputs()
            if bench in EXAMPLES:
                inputs += glob.glob(f"{os.path.dirname(source)}/*")
                built = f"{self.tree}/examples/{EXAMPLES[bench]}"
                steps = 'make -s -C "$0" BUILD="$1" "$2" && cp "$2" "$3"'
                command = ["sh", "-c", steps, f"{os.path.dirname(HERE)}/examples", self.tree, built, target]
                return command, {}, HERE, inputs, "the example could not be built"
            return [cc, *ALIGNED, *define, source, "-o", target], {}, HERE, inputs, "charcoal-cc could not compile it"
        if system in ("c", "c-callbacks", "epoll", "pthreads", "driver", *SERVERS):
            return (
                [clang(), *ALIGNED, *define, source, "-o", target, "-pthread"],
                {},
                HERE,
                [],
                "clang could not compile it",
            )
        if system in LIBRARIES:
            flag, package = LIBRARIES[system]
            command = [clang(), *ALIGNED, *define, source, "-o", target, flag, "-pthread"]
            return command, {}, HERE, [], f"{system} is not installed (apt-get install {package})"
        if system == "mpi":
            mpicc = tool("mpicc.mpich")
            if not mpicc or not tool("mpiexec.mpich"):
                raise Unavailable("MPI is not installed (apt-get install mpich libmpich-dev)")
            return (
                [mpicc, *ALIGNED, source, "-o", target],
                {"MPICH_CC": clang()},
                HERE,
                [],
                "mpicc could not compile it",
            )
        if system == "splitstack":
            gcc = tool("gcc")
            if not gcc or not tool("ld.gold"):
                raise Unavailable("split stacks need gcc and the gold linker (apt: gcc binutils)")
            command = [gcc, *ALIGNED, "-fsplit-stack", "-fuse-ld=gold", source, "-o", target]
            return command, {}, HERE, [], "gcc does not do -fsplit-stack here"
        if system == "cxx20":
            compiler = clang(plus_plus=True) if variant == "clang" else tool("g++")
            if not compiler:
                raise Unavailable("g++ is not installed")
            return [compiler, "-std=c++20", "-O2", source, "-o", target], {}, HERE, [], "no C++20 coroutines here"
        if system == "boost-fiber":
            compiler = tool("g++", "clang++-22", "clang++")
            if not compiler:
                raise Unavailable("no C++ compiler is installed")
            command = [
                compiler,
                "-std=c++20",
                "-O2",
                source,
                "-o",
                target,
                "-lboost_fiber",
                "-lboost_context",
                "-pthread",
            ]
            return command, {}, HERE, [], "Boost.Fiber is not installed (apt-get install libboost-fiber-dev)"
        if system == "go":
            go = tool("go")
            if not go:
                raise Unavailable("Go is not installed (1.19 or newer is needed)")
            return (
                [go, "build", "-trimpath", "-o", target, source],
                {"GOFLAGS": "-mod=mod"},
                HERE,
                [],
                "go build failed",
            )
        if system in ("tokio", "crossbeam"):
            cargo = tool("cargo")
            if not cargo:
                raise Unavailable("cargo (Rust) is not installed")
            directory = f"{self.out}/cargo"
            name = bench if system == "tokio" else f"{bench}-{system}"
            copy = f'"$0" build --release --locked --quiet --bin {name} && cp "{directory}/release/{name}" "{target}"'
            return ["sh", "-c", copy, cargo], {"CARGO_TARGET_DIR": directory}, HERE, [], "cargo could not build it"
        raise Unavailable(f"nobody knows how to build {system}")

    def _make(self, target, command, environment, directory, inputs, complaint):
        folder = os.path.basename(os.path.dirname(target))
        sources = sorted(
            glob.glob(f"{HERE}/{folder}/*")
            + glob.glob(f"{HERE}/common/*")
            + [f"{HERE}/Cargo.toml", f"{HERE}/Cargo.lock", f"{HERE}/go.mod"]
        )
        contents = []
        for path in filter(os.path.isfile, sources):
            with open(path, "rb") as file:
                contents.append(hashlib.sha256(file.read()).hexdigest())
        self.once(target, (command, contents), inputs,
                  lambda: run_logged(command, self.log, environment, directory, complaint))

    @staticmethod
    def once(target, recipe, inputs, make):
        """Calls `make` unless the target is there and was made by the same recipe of the same inputs."""
        digest = hashlib.sha256(repr(recipe).encode())
        for path in sorted(filter(os.path.isfile, inputs)):
            status = os.stat(path)
            digest.update(f"{path} {status.st_mtime_ns} {status.st_size}".encode())
        stamp = f"{target}.stamp"
        if os.path.exists(target) and os.path.exists(stamp) and open(stamp).read() == digest.hexdigest():
            return
        os.makedirs(os.path.dirname(target), exist_ok=True)
        make()
        with open(stamp, "w") as file:
            file.write(digest.hexdigest())


def run_logged(command, log, environment=None, directory=HERE, complaint="failed"):
    """Runs a build command, its output in the log; Unavailable carries the first line that says why it failed."""
    done = subprocess.run(
        command,
        cwd=directory,
        env={**os.environ, **(environment or {})},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    )
    with open(log, "a") as file:
        file.write(f"$ {' '.join(command)}\n{done.stdout}\n")
    if done.returncode != 0:
        lines = [line for line in done.stdout.splitlines() if line.strip()]
        why = next(
            (line for line in lines if "error" in line.lower()), lines[-1] if lines else f"exit {done.returncode}"
        )
        raise Unavailable(f"{complaint}: {why.strip()[:200]}")

"""The projects of other people that `programs` recompiles: how each is built, and what it is given to do."""

import glob
import hashlib
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass

from . import redis_server
from .build import HERE, Unavailable, clang, run_logged

FLAGS = "-O2 -ffunction-sections -fdata-sections -w"
COPY = "cp -a {}/. {}"  # programs with a build of their own are built in a copy of their source
JOBS = f"-j{os.cpu_count()}"


@dataclass
class Command:
    arguments: list
    input: bytes = b""


class Project:
    """A program of one process that ends by itself."""

    package = ""  # as tests/suites/fetch.py calls it
    program = "program"  # in the folder that it is built in
    environment = {}

    def __init__(self, builder, name):
        self.builder, self.name = builder, name
        self.source = self.fetch(self.package)

    def fetch(self, package):
        """The unmodified source, fetched once, as tests/suites and tests/recompile fetch theirs."""
        folder = f"{self.builder.out}/programs/{package}"
        run_logged([sys.executable, f"{os.path.dirname(HERE)}/tests/suites/fetch.py", package, folder],
                    self.builder.log, complaint=f"the source of {package} cannot be fetched")
        return folder

    def built(self, system, program=None):
        """Where a system's program lies."""
        return f"{self.builder.out}/programs/built/{self.name}-{system}/{program or self.program}"

    def make(self, system):
        """Builds the program, unless it is there and of the same; its folder keeps the objects."""
        target = self.built(system)
        folder = target.removesuffix(f"/{self.program}")
        compiler = self.builder.charcoal_cc() if system == "charcoal" else clang()
        inputs = self.builder.compiler_inputs() if system == "charcoal" else [os.path.realpath(compiler)]

        def make():
            shutil.rmtree(folder, ignore_errors=True)
            os.makedirs(folder)
            for step in self.steps():
                run_logged(["sh", "-ec", step], self.builder.log, {"CC": compiler, "LC_ALL": "C"}, folder,
                            f"{self.name} could not be built by {os.path.basename(compiler)}")

        self.builder.once(target, self.steps(), [*inputs, *self.files()], make)
        return target

    def files(self):
        """What is compiled besides what the steps say."""
        return []

    def run(self, prefix, program, counted):
        """Does the work; returns a digest of what was printed. Each command stands behind a `prefix()` of its own.

        `counted`: less work, since callgrind takes some fifty times as long.
        """
        printed = hashlib.sha256()
        for command in self.commands(counted):
            done = subprocess.run([*prefix(), program, *command.arguments], input=command.input, stdout=subprocess.PIPE,
                                  stderr=subprocess.DEVNULL, env={**os.environ, **self.environment})
            if done.returncode != 0:
                raise Unavailable(f"{self.name}: {program} ends with {done.returncode}")
            printed.update(self.repeatable(done.stdout))
        return printed.hexdigest()

    def repeatable(self, output):
        """What is the same in each run of the output."""
        return output


class Files(Project):
    """A program whose files are compiled by one command each, and linked."""

    libraries = ""

    def steps(self):
        objects = [os.path.basename(path)[:-2] + ".o" for path in self.files()]
        flags = f"{FLAGS} {self.flags()}"
        compiled = (f"$CC {flags} -c {path} -o {out}" for path, out in zip(self.files(), objects))
        return [*compiled, f"$CC {FLAGS} {' '.join(objects)} -o {self.program} {self.libraries}"]

    def flags(self):
        return f"-I{self.source}"


class Sqlite(Files):
    package = "sqlite"
    libraries = "-lm -lpthread"

    def files(self):
        return [f"{self.source}/sqlite3.c", f"{self.source}/test/speedtest1.c"]

    def flags(self):
        return f"{super().flags()} -DSQLITE_THREADSAFE=1 -DSQLITE_OMIT_LOAD_EXTENSION"

    def commands(self, counted):
        return [Command(["--memdb", "--size", "3" if counted else "15"])]

    def repeatable(self, output):
        """speedtest1 prints how long each part takes, behind as many spaces as fill the column."""
        return re.sub(rb" *\d+\.\d+s", b"", output)


class Lua(Files):
    package = "lua"
    libraries = "-lm"

    def files(self):
        return sorted(path for path in glob.glob(f"{self.source}/src/*.c") if os.path.basename(path) != "luac.c")

    def flags(self):
        # What runs below `setjmp` keeps a native stack when it waits; here errors end Lua instead.
        unprotected = "'-DLUAI_THROW(L,c)=abort()' '-DLUAI_TRY(L,c,a)={ a }' -Dluai_jmpbuf=int"
        repeatable = "'-Dluai_makeseed(...)=1'"  # else its tables depend on where the program is loaded
        return f"-DLUA_USE_POSIX {unprotected} {repeatable}"

    def commands(self, counted):
        return [Command([f"{HERE}/programs/work.lua", "15" if counted else "27"])]


class Json(Files):
    package = "cjson"
    libraries = "-lm"

    def files(self):
        return [f"{self.source}/cJSON.c", f"{HERE}/programs/json.c"]

    def commands(self, counted):
        return [Command(["20" if counted else "1000"])]


class Zstd(Files):
    package = "zstd"
    libraries = "-lpthread"

    def files(self):
        found = (glob.glob(f"{self.source}/lib/{part}/*.c") for part in ("common", "compress", "decompress"))
        return [*sorted(path for paths in found for path in paths), f"{HERE}/programs/zstd.c"]

    def flags(self):
        return f"-I{self.source}/lib -DZSTD_DISABLE_ASM=1"

    def commands(self, counted):
        return [Command(["1" if counted else "8"])]


class Redis(Project):
    package = "redis"
    program = "src/redis-server"

    def steps(self):
        options = "MALLOC=libc OPTIMIZATION=-O2 CFLAGS=-w DEBUG= BUILD_TLS=no USE_SYSTEMD=no"
        make = f'make -C src {JOBS} CC="$CC" {options} redis-server redis-benchmark'
        return [COPY.format(self.source, "."), make]

    def run(self, prefix, program, counted):
        """The same clients, those of clang, ask both servers."""
        benchmark = None if counted else self.built("c", "src/redis-benchmark")
        return redis_server.load([*prefix(), program], benchmark, 1000 if counted else 3000)


class Cpython(Project):
    package = "cpython"
    program = "python"
    # All that the scripts import, built in, so that no other object is loaded.
    modules = {"math": "mathmodule", "_struct": "_struct", "_json": "_json", "_bisect": "_bisectmodule",
               "_heapq": "_heapqmodule", "_random": "_randommodule", "array": "arraymodule"}
    environment = {"PYTHONHASHSEED": "0", "LC_ALL": "C"}
    scripts = {"tasks": (12000, 200), "planets": (20000, 400), "documents": (40, 1), "patterns": (60000, 1000),
               "texts": (160000, 4000), "searches": (9, 5)}

    def steps(self):
        modules = "".join(f"{name} {source}.c\\n" for name, source in self.modules.items())
        return [COPY.format(self.source, "."), f"printf '*static*\\n{modules}' >Modules/Setup.local",
                "./configure OPT='-O2 -w' --disable-test-modules --without-ensurepip", f"make {JOBS} pybuilddir.txt"]

    def commands(self, counted):
        return [Command(["-S", "-s", f"{HERE}/programs/python/{name}.py", str(sizes[counted])])
                for name, sizes in self.scripts.items()]


class Openssl(Files):
    """A program of ours with OpenSSL's libcrypto, without assembler, so that all of the work is compiled code."""

    package = "openssl"
    libraries = "libcrypto.a -lpthread"
    def files(self):
        return [f"{HERE}/programs/openssl.c"]

    def flags(self):
        return "-Iinclude"

    def steps(self):
        return [COPY.format(self.source, "."), "CFLAGS='-O2 -w' ./Configure linux-x86_64 no-asm no-bulk no-tests",
                f"make {JOBS} build_generated", f"make {JOBS} libcrypto.a", *super().steps()]

    def commands(self, counted):
        return [Command([f"{self.source}/test/testrsa2048.pem", "40" if counted else "4000"])]


class Git(Project):
    """Git with zlib, on a repository of 20,000 files."""

    package = "git"
    program = "git"
    environment = {"LC_ALL": "C", "HOME": "/nonexistent", "GIT_CONFIG_NOSYSTEM": "1"}
    left_out = "OPENSSL CURL EXPAT GETTEXT TCLTK PERL PYTHON INSTALL_HARDLINKS".split()

    def steps(self):
        options = " ".join(f"NO_{name}=1" for name in self.left_out)
        return [COPY.format(self.source, "."), COPY.format(self.fetch("zlib"), "zlib"),
                f"cd zlib && CFLAGS='-O2 -w' ./configure --static && make {JOBS} libz.a",
                f'make {JOBS} CC="$CC" CFLAGS="-O2 -w" ZLIB_PATH=zlib {options} git']

    def tree(self):
        """The repository, made once by clang's git."""
        made, maker = f"{self.builder.out}/programs/git-tree", f"{HERE}/programs/git_tree.py"

        def make():
            shutil.rmtree(made, ignore_errors=True)
            run_logged([sys.executable, maker, self.built("c"), made], self.builder.log, self.environment,
                        complaint="git's repository could not be made")

        self.builder.once(f"{made}/.git/index", "the repository", [maker], make)
        return made

    def commands(self, counted):
        alone = ["-c", "core.preloadIndex=false", "-c", "grep.threads=1", "-c", "pack.threads=1"]
        always = ["--no-pager", "--no-optional-locks", *alone, "-C", self.tree()]
        since = b"HEAD~3..HEAD\n" if counted else b"HEAD~25..HEAD\n"
        few = ["part7"] if counted else []
        work = [
            Command(["status", "--porcelain"]),
            Command(["log", "--stat", *(["-8"] if counted else [])]),
            Command(["log", "-p", "-2" if counted else "-20"]),
            Command(["diff"]),
            Command(["diff", "--stat", "HEAD~5" if counted else "HEAD~49", "HEAD"]),
            Command(["grep", "-c", "-E", "(struct|buffer) [a-z]+ .*9;", "--", *few]),
            Command(["grep", "-n", "one_more_line", "--", *few]),
            Command(["pack-objects", "--revs", "--stdout", "--no-reuse-delta", "-q"], since),
        ]
        return [Command([*always, *command.arguments], command.input) for command in work]


PROJECTS = {"sqlite": Sqlite, "redis": Redis, "lua": Lua, "cpython": Cpython, "zstd": Zstd, "openssl": Openssl,
            "json": Json, "git": Git}

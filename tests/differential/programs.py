"""Finding the programs of the corpus, and building and running one of them.

A program is one C file, or a folder with a file `recipe`: a shell script that leaves ./program behind,
given $CC, $CFLAGS, $GCC (a foreign compiler) and $SRC (the folder). Directives stand in the first lines:

    // flags: -lm          more flags for the compiler
    // args: one two       arguments of the run
    // skip: address (why) settings whose flags contain the word are left out
    // outcome: file       the expected output stands in that file beside the program (dialect programs)
    // noise: no (why)     not to be run beside other activities
"""

import os
import re
import shlex
import signal
import subprocess
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
DIRECTIVE = re.compile(r"^(?://|#|/\*)\s*(flags|args|skip|outcome|stdin|noise):\s*(.*?)\s*(?:\*/)?$")


@dataclass
class Program:
    name: str
    path: Path
    flags: list = field(default_factory=list)
    args: list = field(default_factory=list)
    skip: list = field(default_factory=list)
    outcome: Path = None
    stdin: Path = None
    noise: bool = True
    prints: bool = True  # what it prints counts, and not its exit status alone
    leaks: bool = True  # the program frees what it takes, so that ASan may look for leaks

    @property
    def linked(self):
        return self.path.is_dir()

    def sources(self):
        return sorted(p for p in self.path.iterdir() if p.is_file()) if self.linked else [self.path]

    def skipped(self, flags):
        return any(word in flag for word in self.skip for flag in flags)


def load(path, root):
    program = Program(str(path.relative_to(root)), path)
    head = path / "recipe" if path.is_dir() else path
    for line in head.read_text().splitlines()[:12]:
        found = DIRECTIVE.match(line)
        if not found:
            continue
        key, value = found.groups()
        if key == "skip":
            program.skip.append(value.split()[0])
        elif key == "noise":
            program.noise = False
        elif key in ("outcome", "stdin"):
            setattr(program, key, head.parent / value)
        else:
            getattr(program, key).extend(value.split())
    return program


def discover(root):
    found = [load(p, root) for p in sorted(root.rglob("*.c")) if not (p.parent / "recipe").exists()]
    found += [load(p.parent, root) for p in sorted(root.rglob("recipe"))]
    return found


@dataclass
class Outcome:
    stage: str  # "compile" or "run": how far it came
    status: int  # exit status of that stage; -signal; None after the time limit
    stdout: bytes = b""
    stderr: bytes = b""
    seconds: float = 0.0

    def same(self, other, prints=True):
        return (self.stage, self.status) == (other.stage, other.status) and (not prints or self.stdout == other.stdout)


def execute(argv, cwd, limit, env=None, stdin=None):
    """Runs argv in a process group of its own, so that nothing outlives the time limit."""
    start = time.monotonic()
    source = open(stdin, "rb") if stdin else subprocess.DEVNULL
    child = subprocess.Popen(
        argv,
        cwd=cwd,
        stdin=source,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        env={**os.environ, **(env or {})},
    )
    try:
        out, err = child.communicate(timeout=limit)
        status = child.returncode
    except subprocess.TimeoutExpired:
        os.killpg(child.pid, signal.SIGKILL)
        out, err = child.communicate()
        status = None
    finally:
        if stdin:
            source.close()
    return status, out, err, time.monotonic() - start


QUICK_LINKER = "-fuse-ld=lld"  # thousands of programs, each with the whole library


def command(program, compiler, flags, output):
    return [*compiler, "-w", QUICK_LINKER, *flags, str(program.path), "-o", str(output), *program.flags]


def noisy(program, compiler, flags):
    """Builds the program with its main renamed, beside noise.c. A shell script, as a recipe is."""
    quoted = lambda words: " ".join(shlex.quote(str(w)) for w in words)
    return "\n".join(
        [
            quoted([*compiler, "-w", *flags, "-c", program.path, "-o", "program.o", *program.flags]),
            "objcopy --redefine-sym main=program_main --redefine-sym main.int=program_main.int program.o",
            quoted([*compiler, "-w", *flags, "-c", HERE / "noise.c", "-o", "noise.o"]),
            quoted([*compiler, "-w", QUICK_LINKER, *flags, "program.o", "noise.o", "-o", "program", *program.flags]),
        ]
    )


def build_and_run(program, compiler, flags, limit, noise=False):
    """Compiles (limit x 6 seconds at most) and runs (limit seconds at most) in a scratch folder."""
    with tempfile.TemporaryDirectory(prefix="charcoal-") as scratch:
        exe = Path(scratch) / "program"
        env = {
            "LLVM_PROFILE_FILE": os.path.join(scratch, "profile"),
            "LC_ALL": "C",
            "ASAN_OPTIONS": f"detect_leaks={int(program.leaks)}",
        }
        if program.linked:
            env |= {
                "CC": " ".join(compiler),
                "CFLAGS": " ".join(["-w", *flags, *program.flags]),
                "GCC": "gcc",
                "SRC": str(program.path),
            }
            argv = ["sh", "-eu", str(program.path / "recipe")]
        elif noise:
            argv = ["sh", "-euc", noisy(program, compiler, flags)]
        else:
            argv = command(program, compiler, flags, exe)
        status, out, err, seconds = execute(argv, scratch, limit * 6, env)
        if status != 0 or not exe.exists():
            return Outcome("compile", status if status != 0 else 1, b"", out + err, seconds)
        status, out, err, seconds = execute([str(exe), *program.args], scratch, limit, env, program.stdin)
        return Outcome("run", status, out, err, seconds)

"""`programs`: what recompiling a real program costs that runs as one activity, against clang."""

import glob
import os
import re
import shutil
import subprocess
import sys

from . import objects, results
from .build import HERE, Unavailable, clang, run_quietly

FLAGS = ["-O2", "-ffunction-sections", "-fdata-sections", "-w"]
CASES = ("sqlite", "lua", "zstd", "json")
PACKAGES = {"json": "cjson"}  # as tests/suites/fetch.py calls it, where the case has another name
ROUNDS = 5


def source(builder, name):
    """The unmodified source, fetched once, as tests/suites and tests/recompile fetch theirs."""
    package = PACKAGES.get(name, name)
    folder = f"{builder.out}/programs/{package}"
    run_quietly([sys.executable, f"{os.path.dirname(HERE)}/tests/suites/fetch.py", package, folder], builder.log,
                complaint=f"the source of {name} cannot be fetched")
    return folder


def project(name, folder):
    """(source files, flags, libraries, arguments of a run, arguments of a run under callgrind)"""
    if name == "sqlite":
        return ([f"{folder}/sqlite3.c", f"{folder}/test/speedtest1.c"],
                [f"-I{folder}", "-DSQLITE_THREADSAFE=1", "-DSQLITE_OMIT_LOAD_EXTENSION"], ["-lm", "-lpthread"],
                ["--memdb", "--size", "15"], ["--memdb", "--size", "3"])
    if name == "lua":
        # A function that calls setjmp stays plain, and so does all that runs below it: errors end this Lua instead.
        unprotected = ["-DLUAI_THROW(L,c)=abort()", "-DLUAI_TRY(L,c,a)={ a }", "-Dluai_jmpbuf=int"]
        repeatable = ["-Dluai_makeseed(...)=1"]  # else its tables depend on where the program is loaded
        files = sorted(path for path in glob.glob(f"{folder}/src/*.c") if os.path.basename(path) != "luac.c")
        script = f"{HERE}/programs/work.lua"
        return files, ["-DLUA_USE_POSIX", *unprotected, *repeatable], ["-lm"], [script, "27"], [script, "15"]
    if name == "json":
        return [f"{folder}/cJSON.c", f"{HERE}/programs/json.c"], [f"-I{folder}"], ["-lm"], ["1000"], ["20"]
    files = sorted(glob.glob(f"{folder}/lib/common/*.c") + glob.glob(f"{folder}/lib/compress/*.c") +
                   glob.glob(f"{folder}/lib/decompress/*.c"))
    return ([*files, f"{HERE}/programs/zstd.c"],
            [f"-I{folder}/lib", "-DZSTD_DISABLE_ASM=1"], ["-lpthread"], ["8"], ["1"])


def build(builder, name, system):
    """Path of the program."""
    files, flags, libraries, _, _ = project(name, source(builder, name))
    compiler = builder.charcoal_cc() if system == "charcoal" else clang()
    target = f"{builder.out}/bin/programs/{name}-{system}"
    made = [f"{target}.objects/{os.path.basename(path)[:-2]}.o" for path in files]
    os.makedirs(f"{target}.objects", exist_ok=True)
    for path, out in zip(files, made):
        run_quietly([compiler, *FLAGS, *flags, "-c", path, "-o", out], builder.log,
                    complaint=f"{os.path.basename(compiler)} could not compile {os.path.basename(path)}")
    run_quietly([compiler, *FLAGS, *made, "-o", target, *libraries], builder.log,
                complaint=f"{os.path.basename(compiler)} could not link {name}")
    return target, sum(map(objects.code_bytes, made))


def measurer(builder):
    """Path of the program that runs another and says what it used: started from here, it has Python's memory."""
    path = f"{builder.out}/bin/programs/usage"
    os.makedirs(os.path.dirname(path), exist_ok=True)
    run_quietly([clang(), "-O2", f"{HERE}/programs/usage.c", "-o", path], builder.log)
    return path


def run(usage, program, arguments):
    """One run: (CPU seconds, peak of resident bytes, output without the times that speedtest1 prints)."""
    done = subprocess.run([usage, f"{usage}.figures", program, *arguments], stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL, text=True)
    if done.returncode != 0:
        raise Unavailable(f"{os.path.basename(program)} ends with {done.returncode}")
    with open(f"{usage}.figures") as file:
        microseconds, peak = map(int, file.read().split())
    return microseconds / 1e6, peak, re.sub(r"\d+\.\d+s", "", done.stdout)


def instructions(program, arguments):
    valgrind = shutil.which("valgrind")
    if not valgrind:
        return None
    bare = f"{program}.bare"  # without debug information, which older valgrinds cannot all read
    subprocess.run(["strip", "--strip-debug", "-o", bare, program], check=True)
    done = subprocess.run([valgrind, "--tool=callgrind", "--callgrind-out-file=/dev/null", bare, *arguments],
                          capture_output=True, text=True)
    collected = re.search(r"Collected : (\d+)", done.stderr)
    return int(collected.group(1)) if done.returncode == 0 and collected else None


def case_rows(builder, name, rounds, count):
    systems = ("charcoal", "c")
    made = {system: build(builder, name, system) for system in systems}
    _, _, _, arguments, fewer = project(name, source(builder, name))
    usage = measurer(builder)
    seconds, memory, answers = {s: [] for s in systems}, {s: [] for s in systems}, {}
    for _ in range(rounds):
        for system in systems:
            taken, peak, answers[system] = run(usage, made[system][0], arguments)
            seconds[system].append(taken)
            memory[system].append(peak)
    if answers["charcoal"] != answers["c"]:
        raise Unavailable(f"{name} answers differently from clang's")
    figures = {"time": ({s: min(seconds[s]) for s in systems}, "CPU seconds"),
               "text": ({s: made[s][1] for s in systems}, "bytes"),
               "memory": ({s: min(memory[s]) for s in systems}, "bytes at most")}
    if count:
        counts = {s: instructions(made[s][0], fewer) for s in systems}
        if None not in counts.values():
            figures["instructions"] = counts, "instructions"
    rows = []
    for system in systems:
        for metric, (values, unit) in figures.items():
            rows.append(results.row("programs", name, system, metric, values[system], unit, values["charcoal"]))
            if metric == "time":
                spread = 100 * (sorted(seconds[system])[rounds // 2] / values[system] - 1)
                rows.append(results.row("programs", name, system, "spread", spread, "%"))
    return rows


def rows(builder, rounds, complaints, count=True):
    found = []
    for name in CASES:
        try:
            found += case_rows(builder, name, rounds or ROUNDS, count)
        except (Unavailable, subprocess.CalledProcessError) as reason:
            complaints.append(("charcoal", name, f"programs, {name}: {reason}"))
    return found

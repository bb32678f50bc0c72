"""`programs`: what it costs to recompile a real program that runs as one activity, compared with clang."""

import glob
import math
import os
import shutil
import statistics
import subprocess
import tempfile

from . import excess, objects, projects, results
from .build import HERE, Unavailable, clang, run_logged

CASES = tuple(projects.PROJECTS)
SYSTEMS = ("charcoal", "c")
MEAN = "mean"  # the case with the geometric mean of all programs
ROUNDS = 5


def project(builder, name):
    return projects.PROJECTS[name](builder, name)


def text_bytes(program, project):
    """The code in all objects of a program."""
    folder = program.removesuffix(f"/{project.program}")
    return objects.code_bytes(*sorted(glob.glob(f"{folder}/**/*.o", recursive=True)))


def measurer(builder):
    """Path of the program that runs another and says what it used: started from here, it has Python's memory."""
    path = f"{builder.out}/bin/programs/usage"
    os.makedirs(os.path.dirname(path), exist_ok=True)
    run_logged([clang(), "-O2", f"{HERE}/programs/usage.c", "-o", path], builder.log)
    return path


class Prefixes:
    """Puts a command before each command of a run: one that writes what it finds into a file of its own."""

    def __init__(self, folder, command):
        self.folder, self.command, self.files = folder, command, []

    def __call__(self):
        self.files.append(f"{self.folder}/{len(self.files)}")
        return self.command(self.files[-1])


def run(usage, project, program):
    """One run: (CPU seconds, peak of resident bytes, digest of what was printed)."""
    with tempfile.TemporaryDirectory() as folder:
        prefix = Prefixes(folder, lambda path: [usage, path])
        answer = project.run(prefix, program, counted=False)
        figures = []
        for path in prefix.files:
            with open(path) as file:
                figures.append([int(number) for number in file.read().split()])
    return sum(used for used, _ in figures) / 1e6, max(peak for _, peak in figures), answer


def profile(project, program):
    """What callgrind counts in a smaller run, with the digest; None where there is no valgrind."""
    valgrind = shutil.which("valgrind")
    if not valgrind:
        return None
    bare = f"{program}.bare"  # without debug information, which older valgrinds cannot all read
    subprocess.run(["strip", "--strip-debug", "-o", bare, program], check=True)
    with tempfile.TemporaryDirectory() as folder:
        prefix = Prefixes(folder, lambda path: [valgrind, "--tool=callgrind", f"--callgrind-out-file={path}"])
        answer = project.run(prefix, bare, counted=True)
        return excess.read(*prefix.files), answer


def same(project, answers):
    if answers["charcoal"] != answers["c"]:
        raise Unavailable(f"{project.name} answers differently from clang's")


def case_rows(builder, name, rounds, count):
    work = project(builder, name)
    made = {system: work.make(system) for system in SYSTEMS}
    usage = measurer(builder)
    seconds, memory, answers = {s: [] for s in SYSTEMS}, {s: [] for s in SYSTEMS}, {}
    for _ in range(rounds):
        for system in SYSTEMS:
            taken, peak, answers[system] = run(usage, work, made[system])
            seconds[system].append(taken)
            memory[system].append(peak)
        same(work, answers)
    figures = {"time": ({s: min(seconds[s]) for s in SYSTEMS}, "CPU seconds"),
               "text": ({s: text_bytes(made[s], work) for s in SYSTEMS}, "bytes"),
               "memory": ({s: min(memory[s]) for s in SYSTEMS}, "bytes at most")}
    counted = {s: profile(work, made[s]) for s in SYSTEMS} if count else {}
    if counted and None not in counted.values():
        same(work, {s: answer for s, (_, answer) in counted.items()})
        figures["instructions"] = {s: found.instructions.total() for s, (found, _) in counted.items()}, "instructions"
    rows = []
    for system in SYSTEMS:
        for metric, (values, unit) in figures.items():
            rows.append(results.row("programs", name, system, metric, values[system], unit, values["charcoal"]))
            if metric == "time":
                spread = 100 * (statistics.median(seconds[system]) / values[system] - 1)
                rows.append(results.row("programs", name, system, "spread", spread, "%"))
    return rows


def mean_rows(rows):
    """The geometric means of how many times clang's figures ours are, where all programs have been measured."""
    found = []
    for metric in ("time", "instructions", "text"):
        ratios = [row["ratio_to_ours"] for row in rows if (row["system"], row["metric"]) == ("c", metric)]
        if len(ratios) == len(CASES):
            mean = math.prod(ratios) ** (-1 / len(ratios))
            found.append(results.row("programs", MEAN, "charcoal", metric, mean, "times clang's"))
    return found


def cases(builder, rounds, complaints, count=True):
    """The rows of each program in turn, and those of their means."""
    found = []
    for name in CASES:
        try:
            rows = case_rows(builder, name, rounds or ROUNDS, count)
        except (Unavailable, subprocess.CalledProcessError) as reason:
            complaints.append(("charcoal", name, f"programs, {name}: {reason}"))
            continue
        found += rows
        yield rows
    yield mean_rows(found)

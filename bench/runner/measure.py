"""Runs the programs of one benchmark in interleaved rounds and keeps the best of each."""

import json
import os
import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass

from . import plan
from .build import Unavailable, source_of

LIMIT = 600  # seconds for one run of one program


class WrongAnswer(Exception):
    pass


@dataclass
class Figure:
    """What one program measured, over all rounds. Beside its first metric it may report others, also of other cases."""

    system: str
    variant: str
    metric: str
    unit: str
    values: list
    first: bool = True
    case: str = None  # where it is not the case that the program was called with

    @property
    def best(self):
        return max(self.values) if self.metric in plan.THE_MORE_THE_BETTER else min(self.values)

    @property
    def spread(self):
        """How far the middle run lies from the best one, as a fraction."""
        ordered = sorted(self.values)
        return abs(ordered[len(ordered) // 2] / self.best - 1) if self.best else 0.0


def available_memory():
    with open("/proc/meminfo") as file:
        return int(re.search(r"MemAvailable:\s+(\d+)", file.read()).group(1)) << 10


def run_program(program, case, count, environment, driver=None):
    """One run: the parsed line of JSON. A server is started by its driver, `driver CASE COUNT SERVER`."""
    command = [driver, case, str(count), program] if driver else [program, case, str(count)]
    try:
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            os.chmod(folder, 0o755)  # a server may run as another user
            done = subprocess.run(
                command,
                env={**os.environ, "TMPDIR": folder, **environment},
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=LIMIT,
            )
    except subprocess.TimeoutExpired:
        raise WrongAnswer(f"took longer than {LIMIT} s")
    if done.returncode != 0:
        lines = done.stderr.strip().splitlines()
        raise WrongAnswer(f"exit status {done.returncode}{': ' + lines[-1] if lines else ''}")
    try:
        line = json.loads(done.stdout)
        return {
            "metric": line["metric"],
            "value": float(line["value"]),
            "unit": line["unit"],
            "check": line["check"],
            "more": [(m.get("case"), m["metric"], float(m["value"]), m["unit"]) for m in line.get("more", [])],
        }
    except (ValueError, KeyError, TypeError):
        raise WrongAnswer(f"printed something else than its line: {done.stdout[:100]!r}")


def participants(builder, bench, complaints):
    """[(system, variant, program, environment)] for all systems that have a program here and could be built."""
    found = []
    for system in plan.SYSTEMS:
        if not source_of(bench, system):
            continue
        reasons = {}
        for variant, (key, environment) in plan.variants(bench, system).items():
            try:
                found.append((system, variant, builder.program(bench, system, key), environment))
            except Unavailable as reason:
                reasons[str(reason)] = variant
        for reason, variant in reasons.items():
            complaints.append((system, "", f"{system}{f' ({variant})' if variant else ''}: {reason}"))
    return found


def driver_of(builder, bench):
    """The program that drives a benchmark's servers, or None where the programs run by themselves."""
    if bench == "proxy":
        builder.program("http", "epoll")  # what is behind the proxies
    return builder.program(bench, "driver") if source_of(bench, "driver") else None


def measure_case(bench, case, programs, complaints, rounds, tiny=False, driver=None):
    """[Figure] of one case. A program that fails is complained of and left out."""
    figures, answers, out = {}, {}, set()
    for _ in range(rounds):
        for system, variant, program, environment in programs:
            key = (system, variant)
            count = plan.count_for(bench, case, system, tiny)
            if key in out or count is None:
                continue
            try:
                needed = plan.MEMORY_NEEDED.get((bench, case, system), 0)
                if needed > available_memory() and not tiny:
                    raise Unavailable(f"needs {needed >> 30} GiB of free memory")
                line = run_program(program, case, count, environment, driver)
                expected = answers.setdefault(count, line["check"])
                if line["check"] != expected:
                    raise WrongAnswer(f"answer {line['check']}, others say {expected}")
            except (Unavailable, WrongAnswer) as reason:
                out.add(key)
                figures = {k: f for k, f in figures.items() if k[:2] != key}
                name = f"{system} ({variant})" if variant else system
                complaints.append((system, case, f"{name}, case {case}: {reason}"))
                continue
            seen = set()
            for where, metric, value, unit in [(None, line["metric"], line["value"], line["unit"]), *line["more"]]:
                new = Figure(system, variant, metric, unit, [], where not in seen, where)
                figures.setdefault((*key, where, metric), new).values.append(value)
                seen.add(where)
    return list(figures.values())


def instructions(bench, case, programs):
    """{system: instructions per unit of work} for the single-threaded systems, by callgrind."""
    valgrind = shutil.which("valgrind")
    pair = plan.BENCHES[bench].probe.get(case)
    if not valgrind or not pair:
        return {}
    units = plan.BENCHES[bench].units
    result = {}
    for system, variant, program, _ in programs:
        if system not in ("charcoal", "c", "splitstack", "cxx20") or plan.count_for(bench, case, system) is None:
            continue
        counts = [_callgrind(valgrind, program, case, count) for count in pair]
        if None not in counts:
            each = (counts[1] - counts[0]) / (units(pair[1]) - units(pair[0]))
            result[system] = min(each, result.get(system, each))
    return result


def _callgrind(valgrind, program, case, count):
    # Without debug information, which older valgrinds cannot all read.
    bare = f"{program}.bare"
    subprocess.run(["strip", "--strip-debug", "-o", bare, program], check=True)
    command = [valgrind, "--tool=callgrind", "--callgrind-out-file=/dev/null", bare, case, str(count)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT)
    except subprocess.TimeoutExpired:
        return None
    collected = re.search(r"Collected : (\d+)", done.stderr)
    return int(collected.group(1)) if done.returncode == 0 and collected else None

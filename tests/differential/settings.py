"""The settings a program is compiled in: optimisation x mode x extra, each with a name such as O2-stress-asan.

Invariants: a setting's `reference` flags are its flags without Charcoal's own options, so that the
reference compiler can be asked for exactly the same code generation.
"""

from dataclasses import dataclass

LEVELS = ["O0", "O1", "O2", "O3", "Os"]
MODES = ["plain", "stress"]
# Stress, and beside the program another activity that overwrites the stack (noise.c).
NOISE = "noise"
# Noise without stress: only the program's own waits suspend it. The image of a call is smallest then, because stress
# may also suspend a function at its entry, where its parameters are alive.
PLAIN_NOISE = "plain-noise"
EXTRAS = {
    "": [],
    "g": ["-g"],
    "fpic": ["-fPIC", "-rdynamic"],
    "pie": ["-fPIE", "-pie"],
    "nopie": ["-fno-pie", "-no-pie"],
    "lto": ["-flto=thin", "-fuse-ld=lld"],
    "asan": ["-fsanitize=address", "-g1"],
    "ubsan": ["-fsanitize=undefined", "-fno-sanitize-recover=undefined"],
    "coverage": ["-fprofile-instr-generate", "-fcoverage-mapping"],
}


@dataclass(frozen=True)
class Setting:
    level: str
    mode: str
    extra: str

    @property
    def name(self):
        return "-".join(p for p in (self.level, self.mode, self.extra) if p)

    @property
    def reference(self):
        return ["-" + self.level, *EXTRAS[self.extra]]

    @property
    def flags(self):
        return [*self.reference, *(["-fcharcoal-stress"] if self.mode in ("stress", NOISE) else [])]

    @property
    def noise(self):
        return self.mode in (NOISE, PLAIN_NOISE)


ALL = [Setting(l, m, x) for l in LEVELS for m in MODES for x in EXTRAS]
ALL += [Setting(l, m, "") for l in LEVELS for m in (NOISE, PLAIN_NOISE)]
BY_NAME = {s.name: s for s in ALL}
# Every program has the first in every quick run, for ASan with stress is the sharpest of all. Noise finds the same
# without it, in optimised code.
SHARPEST, SECOND = BY_NAME["O0-stress-asan"], BY_NAME["O2-noise"]


def quick(position):
    """The settings of a quick run for the program at this position: the sharpest one, and the second or one of the
    others, in turn.

    9 and the number of settings have no common factor, so that neighbours differ in every axis."""
    others = [s for s in ALL if s not in (SHARPEST, SECOND)]
    return [SHARPEST, SECOND if position % 2 else others[position // 2 * 9 % len(others)]]


def parse(text):
    """Setting names, comma separated; `all`; or globs such as O2-stress*."""
    from fnmatch import fnmatchcase

    chosen = []
    for word in text.split(","):
        found = ALL if word == "all" else [s for s in ALL if fnmatchcase(s.name, word)]
        if not found:
            raise SystemExit(f"run.py: no setting is called '{word}'; one of: {', '.join(BY_NAME)}")
        chosen += [s for s in found if s not in chosen]
    return chosen

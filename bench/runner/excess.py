"""Finds by function where a recompiled program executes more instructions than clang's, by callgrind."""

import re
from collections import Counter
from dataclasses import dataclass

NAME = re.compile(r"\((\d+)\)(?: (.*))?")
# What stands behind a function's own name: the interruptible version, its cold part, and clang's private copies.
SUFFIX = re.compile(r"(\.int|\.framed|\.cold|'\d+|\.llvm\.\d+|\.\d+)+$")


@dataclass
class Profile:
    instructions: Counter  # by function, its own
    calls: Counter


@dataclass
class Row:
    function: str
    ours: int
    clangs: int
    calls: int
    clangs_calls: int

    @property
    def excess(self):
        return self.ours - self.clangs


def read(*paths):
    """What callgrind has written into some files, as one Profile."""
    profile = Profile(Counter(), Counter())
    for path in paths:
        add(profile, path)
    return profile


def add(profile, path):
    names, function, after_call = {}, None, False

    def named(text):
        number, name = NAME.match(text).groups()
        if name:
            names[number] = SUFFIX.sub("", name)
        return names[number]

    with open(path) as file:
        for line in file:
            if line.startswith("fn="):
                function = named(line[3:].rstrip())
            elif line.startswith("cfn="):
                called = named(line[4:].rstrip())
            elif line.startswith("calls="):
                profile.calls[called] += int(line[6:].split()[0])
                after_call = True
            elif line[0] in "0123456789+-*":
                if not after_call:  # else it is what the call took, all in all
                    profile.instructions[function] += int(line.split()[1])
                after_call = False


def table(ours, clangs):
    """Rows of all functions, those with the largest excess first."""
    names = {*ours.instructions, *clangs.instructions}
    rows = [Row(name, ours.instructions[name], clangs.instructions[name], ours.calls[name], clangs.calls[name])
            for name in names]
    return sorted(rows, key=lambda row: -row.excess)


def lines(rows, count):
    """The table as text; the share is that of the whole excess, which what became shorter makes smaller."""
    whole, clangs = sum(row.excess for row in rows), sum(row.clangs for row in rows)
    yield f"{sum(row.ours for row in rows):,} instructions, clang's {clangs:,}: {1 + whole / clangs:.3f} times as many"
    yield ""
    yield f"{'share':>6} {'excess':>13} {'ours':>14} {'clang':>14} {'calls':>11} {'clang':>11}  function"
    for row in rows[:count]:
        numbers = f"{row.excess:>13,} {row.ours:>14,} {row.clangs:>14,} {row.calls:>11,} {row.clangs_calls:>11,}"
        yield f"{100 * row.excess / (whole or 1):5.1f} % {numbers}  {row.function}"

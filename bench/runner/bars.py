"""The bars of bars.toml beside what results.json has: a list that the terminal, the page and the picture are made of."""

import os
import tomllib
from dataclasses import dataclass

from .build import HERE


@dataclass
class Bar:
    bench: str
    case: str
    metric: str
    peer: str | None  # None: the bar is a figure of ours
    wanted: float  # a ratio peer / ours, at least; or our figure, at most
    measured: float
    spread: float  # in %, of our figure; how far the median of the rounds lies above the best
    ours: float
    unit: str
    headline: bool

    @property
    def is_met(self):
        return self.measured >= self.wanted if self.peer else self.measured <= self.wanted


def bars(rows, benches=None):
    """The bars whose figures are among the rows, in the order of bars.toml. A bar without a figure is left out."""
    with open(os.path.join(HERE, "bars.toml"), "rb") as file:
        wanted = tomllib.load(file)
    figures = {(r["bench"], r["case"], r["system"], r["metric"]): r for r in rows}
    found = []
    for bench, entries in wanted.items():
        for entry in entries if benches is None or bench in benches else []:
            peer, metric = entry.get("peer"), entry.get("metric", "time")
            for case in entry["case"]:
                ours = figures.get((bench, case, "charcoal", metric))
                theirs = figures.get((bench, case, peer, metric)) if peer else ours
                if not ours or not theirs or (peer and theirs["ratio_to_ours"] is None):
                    continue
                spread = figures.get((bench, case, "charcoal", "spread"), {"value": 0})["value"]
                limit = entry["at_least"] if peer else entry["at_most"]
                measured = theirs["ratio_to_ours"] if peer else ours["value"]
                headline = entry.get("headline") == case
                figure = (limit, measured, spread, ours["value"], ours["unit"])
                found.append(Bar(bench, case, metric, peer, *figure, headline))
    return found


def number(value):
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def texts(bar):
    """(what is wanted, what was measured, the verdict) as a person reads them."""
    unit = "" if bar.peer else f" {bar.unit}"
    wanted = f"{bar.peer} / ours at least {number(bar.wanted)}" if bar.peer else f"at most {number(bar.wanted)}{unit}"
    return wanted, f"{number(bar.measured)}{unit}", "met" if bar.is_met else "missed"


def print_bars(found):
    if not found:
        return
    print(f"\n{'bar':32} {'wanted':32} {'measured':>24} {'spread':>7}  verdict")
    for bar in found:
        wanted, measured, verdict = texts(bar)
        name = f"{bar.bench} {bar.case}, {bar.metric}"
        print(f"{name:32} {wanted:32} {measured:>24} {bar.spread:5.0f} %  {verdict}")
    print(f"{sum(bar.is_met for bar in found)} of {len(found)} bars are met")

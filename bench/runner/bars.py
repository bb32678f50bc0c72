"""Lists the bars of bars.toml with what results.json has for each; the page and the pictures use the list."""

import os
import tomllib
from dataclasses import dataclass

from . import plan
from .build import HERE


@dataclass
class Bar:
    bench: str
    case: str
    metric: str
    peer: str | None  # None: the bar is a figure of ours
    wanted: float  # a ratio peer / ours, at least; or our figure, at most
    measured: float
    median: float  # the same from the medians of the rounds; as measured where that is what was measured, or unknown
    spread: float | None  # in %, of our figure; how far the median of the rounds lies above the best
    unit: str
    headline: bool

    @property
    def verdict(self):
        """A figure that does not repeat meets nothing, so the medians have to reach the bar as well."""
        reached = [
            figure >= self.wanted if self.peer else figure <= self.wanted for figure in (self.measured, self.median)
        ]
        return "met" if all(reached) else "met at best only" if reached[0] else "missed"

    @property
    def is_met(self):
        return self.verdict == "met"


def bars(rows):
    """The bars whose figures are among the rows, in the order of bars.toml. A bar without a figure is left out."""
    with open(os.path.join(HERE, "bars.toml"), "rb") as file:
        wanted = tomllib.load(file)
    figures = {(r["bench"], r["case"], r["system"], r["metric"]): r for r in rows}
    main = {}  # the metric that a spread belongs to: the one that is measured first
    for r in rows:
        main.setdefault((r["bench"], r["case"]), r["metric"])

    def bar(bench, case, entry):
        peer, metric = entry.get("peer"), entry.get("metric", "time")
        measured = figures.get((bench, case, peer or "charcoal", metric))
        field = "ratio_to_ours" if peer else "value"
        if not measured or measured[field] is None:
            return None

        def spread(system):
            row = figures.get((bench, case, system, "spread"))
            return row["value"] if row and main[bench, case] == metric else None

        ours = spread("charcoal")
        repeated = bench in plan.BENCHES and plan.BENCHES[bench].paired  # its figures are medians
        above = 1 if repeated else 1 + (ours or 0) / 100
        factor = (1 if repeated else 1 + (spread(peer) or 0) / 100) / above if peer else above
        return Bar(
            bench,
            case,
            metric,
            peer,
            entry["at_least"] if peer else entry["at_most"],
            measured[field],
            measured[field] * factor,
            ours,
            measured["unit"],
            entry.get("headline") == case,
        )

    made = (bar(bench, case, entry) for bench, entries in wanted.items() for entry in entries for case in entry["case"])
    return [b for b in made if b]


def number(value):
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def texts(bar):
    """(what is wanted, what was measured, its spread) as a person reads them."""
    unit = "" if bar.peer else f" {bar.unit}"
    wanted = f"{bar.peer} / ours at least {number(bar.wanted)}" if bar.peer else f"at most {number(bar.wanted)}{unit}"
    return wanted, f"{number(bar.measured)}{unit}", "" if bar.spread is None else f"{bar.spread:.0f} %"


def print_bars(found):
    if not found:
        return
    print(f"\n{'bar':32} {'wanted':32} {'measured':>24} {'spread':>7}  verdict")
    for bar in found:
        wanted, measured, spread = texts(bar)
        name = f"{bar.bench} {bar.case}, {bar.metric}"
        print(f"{name:32} {wanted:32} {measured:>24} {spread:>7}  {bar.verdict}")
    print(f"{sum(bar.is_met for bar in found)} of {len(found)} bars are met")

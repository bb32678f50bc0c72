"""Draws what was measured, by matplotlib: all costs (BUILD/bench/plot.svg), and the ratios that have a bar."""

import json
import os
import subprocess
import sys

from .build import Unavailable, run_logged

COSTS = r"""
import json, sys
import matplotlib
matplotlib.use("svg")
import matplotlib.pyplot as plt

with open(sys.argv[1]) as file:
    rows = [r for r in json.load(file) if r["metric"] in ("time", "memory", "text", "cpu", "p99")]
benches = list(dict.fromkeys(r["bench"] for r in rows))
systems = list(dict.fromkeys(r["system"] for r in rows))
systems.sort(key=lambda s: (s != "charcoal", s))
colors = dict(zip(systems, ["black"] + [plt.get_cmap("tab10")(i) for i in range(len(systems))]))
columns = 2
lines = max(1, -(-len(benches) // columns))
figure, axes = plt.subplots(lines, columns, figsize=(13, 3.6 * lines), squeeze=False)
for axis in axes.flat[len(benches):]:
    axis.set_visible(False)
for axis, bench in zip(axes.flat, benches):
    mine = [r for r in rows if r["bench"] == bench]
    cases = list(dict.fromkeys(r["case"] for r in mine))
    here = [s for s in systems if any(r["system"] == s for r in mine)]
    width = 0.8 / len(here)
    for i, system in enumerate(here):
        values = {r["case"]: r["value"] for r in mine if r["system"] == system}
        at = [c for c in range(len(cases)) if cases[c] in values]
        axis.bar([c + (i - (len(here) - 1) / 2) * width for c in at], [values[cases[c]] for c in at], width,
                 label=system, color=colors[system])
    axis.set_xticks(range(len(cases)), cases, fontsize=8, rotation=20 if len(cases) > 4 else 0)
    units = dict.fromkeys(r["unit"] for r in mine)
    axis.set_ylabel(", ".join(units))
    axis.set_yscale("log")
    axis.set_title(bench)
    axis.legend(fontsize=7)
figure.tight_layout()
figure.savefig(sys.argv[2])
"""

# A line for each bar with a peer: the dot is the ratio, its stroke leads to that of the medians, the tick is the bar.
RATIOS = r"""
import json, sys
import matplotlib
matplotlib.use("svg")
matplotlib.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "charcoal", "font.size": 9})
import matplotlib.pyplot as plt
from matplotlib.lines import Line2D

with open(sys.argv[1]) as file:
    bars = json.load(file)
MET, MISSED, BAR = "#0072b2", "#d55e00", "#444444"
names, groups, at = [], [], 0.0
for i, bar in enumerate(bars):
    if i and bars[i - 1]["bench"] != bar["bench"]:
        at += 0.6
    groups.append(at)
    metric = "" if bar["metric"] == "time" else f" ({bar['metric']})"
    names.append(f"{bar['bench']} {bar['case']}{metric}: {bar['peer']}")
    at += 1
figure, axis = plt.subplots(figsize=(9, 0.19 * at + 1.2))
axis.axvline(1, color="#999999", linewidth=0.8, zorder=0)
for bar, y in zip(bars, groups):
    color = MET if bar["met"] else MISSED
    axis.plot([bar["median"], bar["measured"]], [y, y], color=color, linewidth=1.4, alpha=0.5)
    axis.plot(bar["measured"], y, "o", color=color, markersize=4)
    axis.plot([bar["wanted"]] * 2, [y - 0.4, y + 0.4], color=BAR, linewidth=1.2)
axis.set_xscale("log")
axis.set_yticks(groups, names, fontsize=7.5)
axis.set_ylim(at + 0.2, -1)
axis.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
axis.tick_params(axis="x", top=True, labeltop=True)
axis.tick_params(axis="y", length=0)
axis.grid(axis="x", color="#e4e4e4", linewidth=0.6)
axis.set_axisbelow(True)
for side in ("left", "right"):
    axis.spines[side].set_visible(False)
axis.set_xlabel("the peer's cost divided by ours: to the right of 1 we are ahead")
axis.legend(handles=[Line2D([], [], marker="o", linestyle="", color=MET, label="the bar is met"),
                     Line2D([], [], marker="o", linestyle="", color=MISSED, label="missed"),
                     Line2D([], [], marker="|", markersize=9, linestyle="", color=BAR, label="the bar")],
            loc="lower right", fontsize=8, framealpha=1)
figure.tight_layout()
figure.savefig(sys.argv[2], metadata=dict.fromkeys(["Date", "Creator", "Format", "Type"]), facecolor="white")
"""


def _python_with_matplotlib(builder):
    venv = f"{builder.out}/venv"
    for python in (sys.executable, "/usr/bin/python3", f"{venv}/bin/python"):
        if (
            os.path.exists(python)
            and subprocess.run([python, "-c", "import matplotlib"], capture_output=True).returncode == 0
        ):
            return python
    run_logged([sys.executable, "-m", "venv", venv], builder.log, complaint="no virtual environment for matplotlib")
    run_logged(
        [f"{venv}/bin/python", "-m", "pip", "install", "--quiet", "matplotlib>=3.8,<4"],
        builder.log,
        complaint="pip cannot install matplotlib",
    )
    return f"{venv}/bin/python"


def _run(program, source, target, builder):
    """A sentence that says where the picture is, or why there is none."""
    try:
        python = _python_with_matplotlib(builder)
        run_logged([python, "-c", program, source, target], builder.log, complaint="matplotlib failed")
    except Unavailable as reason:
        return f"no plot: {reason}"
    return f"plot: {target}"


def draw(results_path, builder):
    return _run(COSTS, results_path, f"{builder.out}/plot.svg", builder)


def draw_bars(bars, target, builder):
    """Of the bars with a peer; the others have no ratio."""
    source = f"{builder.out}/bars.json"
    with open(source, "w") as file:
        json.dump([{**vars(bar), "met": bar.is_met} for bar in bars if bar.peer], file)
    return _run(RATIOS, source, target, builder)

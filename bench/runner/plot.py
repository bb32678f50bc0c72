"""Draws results.json as BUILD/bench/plot.svg: a panel for each benchmark, costs on a logarithmic scale."""

import os
import subprocess
import sys

from .build import Unavailable, run_quietly

DRAW = r"""
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


def _python_with_matplotlib(builder):
    venv = f"{builder.out}/venv"
    for python in (sys.executable, "/usr/bin/python3", f"{venv}/bin/python"):
        if os.path.exists(python) and subprocess.run([python, "-c", "import matplotlib"], capture_output=True).returncode == 0:
            return python
    run_quietly([sys.executable, "-m", "venv", venv], builder.log, complaint="no virtual environment for matplotlib")
    run_quietly([f"{venv}/bin/python", "-m", "pip", "install", "--quiet", "matplotlib>=3.8,<4"], builder.log,
                complaint="pip cannot install matplotlib")
    return f"{venv}/bin/python"


def draw(results_path, builder):
    """A sentence that says where the plot is, or why there is none."""
    target = f"{builder.out}/plot.svg"
    try:
        python = _python_with_matplotlib(builder)
        run_quietly([python, "-c", DRAW, results_path, target], builder.log, complaint="matplotlib failed")
    except Unavailable as reason:
        return f"no plot: {reason}"
    return f"plot: {target}"

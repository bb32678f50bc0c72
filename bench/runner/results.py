"""The rows of a run: results.json, and the table on the terminal.

A row is {"bench", "case", "system", "metric", "value", "unit", "ratio_to_ours"}. `ratio_to_ours` is the system's cost divided by
ours in the same metric, so above 1 we are ahead; null where there is nothing to compare.
"""

import json
import os

KEYS = ["bench", "case", "system", "metric", "value", "unit", "ratio_to_ours"]


def row(bench, case, system, metric, value, unit, ours=None):
    ratio = round(value / ours, 4) if ours else None
    return dict(zip(KEYS, [bench, case, system, metric, round(value, 4), unit, ratio]))


def rows_of_case(bench, case, figures, counts):
    """Rows from Figures: each system at its best variant, every variant, the spread, and instructions."""
    best = {}
    for figure in figures:
        if figure.system not in best or figure.best < best[figure.system].best:
            best[figure.system] = figure
    ours = best["charcoal"].best if "charcoal" in best else None
    rows = []
    for system, figure in best.items():
        rows.append(row(bench, case, system, figure.metric, figure.best, figure.unit, ours))
        rows.append(row(bench, case, system, "spread", 100 * figure.spread, "%"))
    for figure in figures:
        if figure.variant:
            metric = f"{figure.metric} ({figure.variant})"
            rows.append(row(bench, case, figure.system, metric, figure.best, figure.unit, ours))
    for system, count in counts.items():
        unit = f"instructions/{best[system].unit.split('/')[-1]}" if system in best else "instructions"
        rows.append(row(bench, case, system, "instructions", count, unit, counts.get("charcoal")))
    return rows


def merge(path, bench, rows):
    """Replaces the rows of one benchmark in the file; the others stay. The file is whole at every moment."""
    try:
        with open(path) as file:
            old = [r for r in json.load(file) if r["bench"] != bench]
    except (FileNotFoundError, ValueError):
        old = []
    with open(path + ".new", "w") as file:
        file.write("[\n" + ",\n".join(json.dumps(r) for r in old + rows) + "\n]\n")
    os.replace(path + ".new", path)


def _number(value):
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"


def print_table(bench, rows):
    spreads = {(r["case"], r["system"]): r["value"] for r in rows if r["metric"] == "spread"}
    shown = [r for r in rows if r["metric"] != "spread"]
    print(f"\n{bench:16} {'system':12} {'metric':22} {'value':>12} {'unit':20} {'ratio':>8} {'spread':>7}")
    last = None
    for r in shown:
        main = r["metric"] in ("time", "memory")
        spread = f"{spreads[r['case'], r['system']]:5.0f} %" if main and (r["case"], r["system"]) in spreads else ""
        ratio = f"{r['ratio_to_ours']:.3g}" if r["ratio_to_ours"] is not None else ""
        case = r["case"] if r["case"] != last else ""
        last = r["case"]
        print(f"{case:16} {r['system']:12} {r['metric']:22} {_number(r['value']):>12} {r['unit']:20} {ratio:>8} {spread:>7}")

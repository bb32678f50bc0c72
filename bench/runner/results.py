"""The rows of a run: results.json, and the table on the terminal.

A row is {"bench", "case", "system", "metric", "value", "unit", "ratio_to_ours"}. `ratio_to_ours` is the system's cost
divided by ours in the same metric (of a throughput, ours divided by its), so above 1 we are ahead; null where there is
nothing to compare.
"""

import json
import os
import statistics

from . import plan

KEYS = ["bench", "case", "system", "metric", "value", "unit", "ratio_to_ours"]


def row(bench, case, system, metric, value, unit, ours=None, ratio=None):
    if ratio is not None:
        ratio = round(ratio, 4)
    elif metric.split(" (")[0] in plan.THE_MORE_THE_BETTER:
        ratio = round(ours / value, 4) if ours and value else None
    else:
        ratio = round(value / ours, 4) if ours else None
    return dict(zip(KEYS, [bench, case, system, metric, round(value, 4), unit, ratio]))


def _figures_row(bench, case, metric, figure, ours):
    """A figure's row: its best value beside our best, or, where the plan says `paired`, medians of all rounds."""
    if not plan.BENCHES[bench].paired:
        return row(bench, case, figure.system, metric, figure.best, figure.unit, ours.best if ours else None)
    pairs = [(theirs, own) for theirs, own in zip(figure.values, ours.values if ours else []) if theirs and own]
    turned = figure.metric in plan.THE_MORE_THE_BETTER
    ratios = [own / theirs if turned else theirs / own for theirs, own in pairs]
    ratio = statistics.median(ratios) if ratios else None
    return row(bench, case, figure.system, metric, statistics.median(figure.values), figure.unit, ratio=ratio)


def rows_of_case(bench, case, figures, counts):
    """Rows from Figures: each system at its best variant in each metric, all variants, the spread, and instructions."""
    others = dict.fromkeys(f.case for f in figures if f.case)
    rows = _rows(bench, case, [f for f in figures if not f.case], counts)
    for other in others:
        rows += _rows(bench, other, [f for f in figures if f.case == other], {})
    return rows


def _rows(bench, case, figures, counts):
    best = {}
    for figure in figures:
        held = best.setdefault((figure.system, figure.metric), figure)
        better = max if figure.metric in plan.THE_MORE_THE_BETTER else min
        best[figure.system, figure.metric] = better(held, figure, key=lambda f: f.best)
    rows = []
    for (system, metric), figure in best.items():
        rows.append(_figures_row(bench, case, metric, figure, best.get(("charcoal", metric))))
        if figure.first:
            rows.append(row(bench, case, system, "spread", 100 * figure.spread, "%"))
    for figure in figures:
        if figure.variant:
            metric = f"{figure.metric} ({figure.variant})"
            rows.append(_figures_row(bench, case, metric, figure, best.get(("charcoal", figure.metric))))
    units = {f.system: f.unit.split("/")[-1] for f in best.values() if f.first and "/" in f.unit}
    for system, count in counts.items():
        unit = f"instructions/{units[system]}" if system in units else "instructions"
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
    last, first = None, set()
    for r in shown:
        main = (r["case"], r["system"]) not in first
        first.add((r["case"], r["system"]))
        spread = f"{spreads[r['case'], r['system']]:5.0f} %" if main and (r["case"], r["system"]) in spreads else ""
        ratio = f"{r['ratio_to_ours']:.3g}" if r["ratio_to_ours"] is not None else ""
        case = r["case"] if r["case"] != last else ""
        last = r["case"]
        name = f"{case:16} {r['system']:12} {r['metric']:22}"
        print(f"{name} {_number(r['value']):>12} {r['unit']:20} {ratio:>8} {spread:>7}")

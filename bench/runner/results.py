"""The rows of a run: results.json, and the table on the terminal.

A row is {"bench", "case", "system", "metric", "value", "unit", "ratio_to_ours"}. `ratio_to_ours` is the system's cost
divided by ours in the same metric (of a throughput, ours divided by its), so above 1 we are ahead; null where there is
nothing to compare.

The fields of a row are fixed, so the day of each benchmark stands in a file of its own, taken.json.
"""

import datetime
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


def _value(bench, figure):
    """The best of all rounds; where the plan says `paired`, their median."""
    return statistics.median(figure.values) if plan.BENCHES[bench].paired else figure.best


def _figures_row(bench, case, metric, figure, ours):
    """A figure's row: its value beside ours; where the plan says `paired`, the ratio is a median of all rounds."""
    value = _value(bench, figure)
    if not plan.BENCHES[bench].paired:
        return row(bench, case, figure.system, metric, value, figure.unit, ours.best if ours else None)
    pairs = [(theirs, own) for theirs, own in zip(figure.values, ours.values if ours else []) if theirs and own]
    turned = figure.metric in plan.THE_MORE_THE_BETTER
    ratios = [own / theirs if turned else theirs / own for theirs, own in pairs]
    ratio = statistics.median(ratios) if ratios else None
    return row(bench, case, figure.system, metric, value, figure.unit, ratio=ratio)


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
        best[figure.system, figure.metric] = better(held, figure, key=lambda f: _value(bench, f))
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


def load(path, otherwise):
    """What a file holds, or `otherwise` if there is none or it is not whole."""
    try:
        with open(path) as file:
            return json.load(file)
    except (FileNotFoundError, ValueError):
        return otherwise


def replace(path, text):
    """Writes a file that is whole at every moment."""
    with open(path + ".new", "w") as file:
        file.write(text)
    os.replace(path + ".new", path)


def lines(rows):
    """Rows as JSON, one on a line."""
    return "[\n" + ",\n".join(json.dumps(r) for r in rows) + "\n]"


def _days_file(path):
    return f"{os.path.dirname(path)}/taken.json"


def merge(path, bench, rows, finished=True):
    """Replaces the rows of one benchmark in the file; the other benchmarks stay. A finished run has its day noted."""
    days = load(_days_file(path), {})
    days.pop(bench, None)
    if finished:
        days[bench] = datetime.date.today().isoformat()
    replace(_days_file(path), f"{json.dumps(days, indent=1)}\n")
    old = [r for r in load(path, []) if r["bench"] != bench]
    replace(path, f"{lines(old + rows)}\n")


def day(path, bench):
    """The day on which the rows of a benchmark in the file were measured; None if its run did not come to its end."""
    return load(_days_file(path), {}).get(bench)


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

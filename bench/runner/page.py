"""The page of benchmarks: what it shows of each benchmark, with the day on which that was measured.

docs/data/benchmarks.json keeps what is shown: {bench: {"taken": day, "machine": text, "rows": [...]}}.
"""

import json

from . import bars, results

HEAD = """# Benchmarks: the bars, and where we stand

`make figures` writes this page and its picture from what `make bench` has measured. Each benchmark is a run of its own
and has its day. [All rows](data/benchmarks.json) include the peers' costs and the figures without a bar.
[bench/README.md](../bench/README.md) says what each benchmark does and how the peers are run.

A ratio is the peer's cost divided by ours: above 1 we are ahead. A bar is met when the best of a run's rounds reaches
it and their median does, too. The spread is that of our own rounds: how far the median lies above the best.

![Each benchmark's ratio of the peer's cost to ours, on a logarithmic scale, with its bar](img/benchmarks.svg)

**{met} of {all} bars are met.**
"""


def update(shown, path, where):
    """Puts the rows of each finished benchmark in a results.json into what is shown, unless that is of a later day."""
    measured = results.load(path, [])
    for bench in dict.fromkeys(row["bench"] for row in measured):
        day = results.day(path, bench)
        if day and (bench not in shown or shown[bench]["taken"] <= day):
            rows = [row for row in measured if row["bench"] == bench]
            shown[bench] = {"taken": day, "machine": where, "rows": rows}


def as_json(shown):
    """What is shown as JSON, one row on a line."""
    members = [
        f'"{bench}": {{"taken": "{one["taken"]}", "machine": {json.dumps(one["machine"])}, '
        f'"rows": {results.lines(one["rows"])}}}'
        for bench, one in sorted(shown.items())
    ]
    return "{\n" + ",\n".join(members) + "\n}\n"


def text(found, shown):
    """The page."""
    lines = [HEAD.format(met=sum(bar.is_met for bar in found), all=len(found))]
    for bench in dict.fromkeys(bar.bench for bar in found):
        lines.append(f"## {bench}\n\nTaken on {shown[bench]['taken']} on {shown[bench]['machine']}.\n")
        lines += ["| case | metric | wanted | measured | spread | verdict |", "|" + " --- |" * 6]
        for bar in found:
            if bar.bench == bench:
                wanted, measured, spread = bars.texts(bar)
                verdict = "met" if bar.is_met else f"**{bar.verdict}**"
                cells = [f"`{bar.case}`", bar.metric, wanted, measured, spread, verdict]
                lines.append(f"| {' | '.join(cells)} |")
        lines.append("")
    return "\n".join(lines)

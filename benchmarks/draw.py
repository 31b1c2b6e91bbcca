"""Draws a chart from JSON on stdin; runs in an environment that has matplotlib.

draw.py OUT: {"title": ..., "panels": [as `report.Panel` says, ...]} becomes the PNG file OUT.
"""

import json
import sys

import matplotlib

matplotlib.use("Agg")
from matplotlib import pyplot  # noqa: E402
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter, NullLocator  # noqa: E402

OURS, LIMIT, RIVAL = "#d55e00", "#555555", "#9dbcd4"  # their greys differ too
_MOST_TICKS = 8
LINES = [OURS, "#0072b2", "#009e73", "#cc79a7"]


def color_of(name):
    if name.startswith("fastpipe"):
        return OURS
    return LIMIT if name.startswith("bare") else RIVAL


def short(value, _=None):
    for size, letter in ((1e6, "M"), (1e3, "k")):
        if value >= size:
            return f"{value / size:.3g}{letter}"
    return f"{value:.3g}"


def draw_bars(axes, panel):
    bars = panel["bars"][::-1]  # matplotlib counts from below
    names, values = [bar[0] for bar in bars], [bar[1] for bar in bars]
    spread = [
        [max(0.0, bar[1] - bar[2]) for bar in bars],
        [max(0.0, bar[3] - bar[1]) for bar in bars],
    ]
    axes.barh(names, values, xerr=spread, color=list(map(color_of, names)), capsize=2, height=0.7)
    for place, bar in enumerate(bars):
        axes.annotate(
            short(bar[1]), (bar[3], place), (6, 0), textcoords="offset points", va="center"
        )
    axes.set_xlabel(panel["unit"])
    axes.set_xlim(0, 1.15 * max((bar[3] for bar in bars), default=1))
    axes.xaxis.set_major_formatter(FuncFormatter(short))


def draw_lines(axes, panel):
    for color, (name, points) in zip(LINES, panel["lines"].items()):
        xs, values = zip(*points)
        axes.plot(xs, values, marker="o", ms=3, label=name, color=color)
    if "x" in panel["logarithmic"]:
        axes.set_xscale("log")
    ticks = sorted({x for points in panel["lines"].values() for x, _ in points})
    if len(ticks) <= _MOST_TICKS:
        axes.set_xticks(ticks, [f"{x:g}" if x < 10_000 else short(x) for x in ticks])
        axes.xaxis.set_minor_locator(NullLocator())
    if "y" in panel["logarithmic"]:
        axes.set_yscale("log")
        axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axes.yaxis.set_minor_formatter(NullFormatter())
    else:
        axes.set_ylim(bottom=0)
    axes.yaxis.set_major_formatter(FuncFormatter(short))
    axes.set_xlabel(panel["x"])
    axes.set_ylabel(panel["unit"])
    if len(panel["lines"]) > 1:
        axes.legend(frameon=False)


def main():
    chart = json.load(sys.stdin)
    panels = chart["panels"]
    columns = 2 if len(panels) > 1 and panels[0]["lines"] else 1
    rows = -(-len(panels) // columns)
    heights = [max(1.8, 0.36 * len(panel["bars"]) + 0.9) for panel in panels]
    heights = [max(3.0 if panels[0]["lines"] else 0, each) for each in heights[::columns]]
    figure, grid = pyplot.subplots(
        rows,
        columns,
        squeeze=False,
        figsize=(9, sum(heights) + 0.4),
        height_ratios=heights,
        layout="constrained",
    )
    for axes, panel in zip(grid.flat, panels):
        axes.set_title(panel["title"])
        axes.spines[["top", "right"]].set_visible(False)
        (draw_bars if panel["bars"] else draw_lines)(axes, panel)
    for axes in list(grid.flat)[len(panels) :]:
        axes.remove()
    figure.suptitle(chart["title"])
    figure.savefig(sys.argv[1], dpi=110)


if __name__ == "__main__":
    main()

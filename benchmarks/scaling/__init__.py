"""Scaling: elements a second against threads, numbers of files, image size and batch size.

Photographs are read, decoded and resized to 224x224. Names of files are generated for
from_tensor_slices, up to a million; list_files finds up to 100,000 empty files. Image sizes are
those of the files: the same photographs, 4 to 3, so many pixels wide.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path

from benchmarks.contenders import Contender, measure, module
from benchmarks.inputs import empty_files, file_list, list_of, sized_photographs
from benchmarks.limit import DecodeLoop
from benchmarks.report import Panel, Report, report_on

THREADS = (1, 2, 4)
NAMES = (100, 1000, 10_000, 100_000, 1_000_000)
LISTED = NAMES[:-1]
WIDTHS = (128, 256, 512, 1024, 2048)
SIZED = 64  # files of each width
BATCHES = (1, 4, 16, 64, 256)
_PIXELS = 100e6  # of an epoch, about


@dataclass
class Point:
    """A contender, and where it belongs in the chart."""

    panel: str
    line: str
    x: float
    contender: Contender


def run(arguments: argparse.Namespace) -> Report:
    points = [*_threads(arguments), *_names(), *_sizes(arguments), *_batches(arguments)]
    for point in points:
        point.contender.name = f"{point.line}: {point.panel} {point.x:,}"
        point.contender.group = point.panel
    measured = measure([point.contender for point in points], arguments)
    report = report_on(measured, "elements")
    panels = [
        _panel("threads", "photographs/s", points),
        _panel("files", "names/s", points, "xy"),
        _panel("width in pixels", "photographs/s", points, "xy"),
        _panel("batch size", "photographs/s", points, "x"),
    ]
    report.panels = [panel for panel in panels if panel.lines]
    return report


def _panel(name: str, unit: str, points: list[Point], logarithmic: str = "") -> Panel:
    panel = Panel(f"against {name}", unit, x=name, logarithmic=logarithmic)
    for point in points:
        if point.panel == name and point.contender.readings:
            panel.lines.setdefault(point.line, []).append((point.x, point.contender.rate))
    return panel


def _photographs(files: Path, threads: int, batch: int) -> Contender:
    return module("", "scaling.run_fastpipe", ["photographs", files, threads, batch])


def _threads(arguments: argparse.Namespace) -> list[Point]:
    files = file_list(arguments.images, arguments.elements)
    points = []
    for threads in THREADS:
        ours = _photographs(files, threads, 64)
        points.append(Point("threads", "fastpipe", threads, ours))
        points.append(Point("threads", "bare decode loop", threads, DecodeLoop(threads, files)))
    return points


def _names() -> list[Point]:
    points = []
    for count in NAMES:
        ours = module("", "scaling.run_fastpipe", ["slices", count])
        points.append(Point("files", "fastpipe from_tensor_slices", count, ours))
    for count in LISTED:
        ours = module("", "scaling.run_fastpipe", ["files", count, empty_files(count)])
        points.append(Point("files", "fastpipe list_files", count, ours))
    return points


def _sizes(arguments: argparse.Namespace) -> list[Point]:
    points = []
    for width in WIDTHS:
        paths = sized_photographs(arguments.images, SIZED, width)
        passes = min(100, max(1, round(_PIXELS / (SIZED * 0.75 * width**2))))
        files = list_of(f"sized-{width}", passes * paths)
        ours = _photographs(files, arguments.threads, 64)
        bare = DecodeLoop(arguments.threads, files)
        points.append(Point("width in pixels", "fastpipe", width, ours))
        points.append(Point("width in pixels", "bare decode loop", width, bare))
    return points


def _batches(arguments: argparse.Namespace) -> list[Point]:
    files = file_list(arguments.images, arguments.elements)
    return [
        Point("batch size", "fastpipe", batch, _photographs(files, arguments.threads, batch))
        for batch in BATCHES
    ]

"""Large photographs: JPEGs of 12 megapixels, decoded and resized to 224x224, batches of 16.

`fast_decode` makes the image smaller while decoding it, as Pillow's `draft` and tf.data's `ratio`
do; what that costs in pixels is beside each rate, as the distance to Pillow's full decode. DALI has
no such decode without a GPU.
"""

import argparse

from benchmarks.contenders import OURS, Contender, measure, module, versions
from benchmarks.inputs import large_photographs, list_of
from benchmarks.limit import DecodeLoop
from benchmarks.pixels import from_pillow
from benchmarks.report import Report, report_on

FILES, PASSES = 16, 4


def run(arguments: argparse.Namespace) -> Report:
    files = list_of("large-photographs", PASSES * large_photographs(arguments.images, FILES))

    def contender(name: str, program: str, environment: str, how: str) -> Contender:
        path = f"large_photographs.{program}"
        return module(name, path, [files, arguments.threads, how], environment, has_images=True)

    bare = DecodeLoop(arguments.threads, files)
    exact = contender("fastpipe, exact", "run_fastpipe", OURS, "exact")
    fast = contender("fastpipe, fast_decode", "run_fastpipe", OURS, "fast")
    rivals = [
        contender("PyTorch DataLoader, pillow-simd", "run_torch", "torch", "exact"),
        contender("PyTorch DataLoader, draft", "run_torch", "torch", "fast"),
        contender("tf.data", "run_tensorflow", "tensorflow", "exact"),
        contender("tf.data, ratio", "run_tensorflow", "tensorflow", "fast"),
        contender("DALI, CPU", "run_dali", "dali", "exact"),
    ]
    measured = measure([bare, exact, fast, *rivals], arguments)
    pixels = from_pillow(measured, files, 224, 224)
    report = report_on(measured, "photographs", [bare, exact], pixels)
    report.ratio_at_least(fast, [exact], 3)
    report.versions = versions(measured)
    return report

"""Records of photographs: parse an Example, decode, resize to 224x224, batches of 64.

10 TFRecord files of Examples {"image": a JPEG, "label": an int64}, of which four are read at once;
DALI reads them one after the other, by an index made before. Pixels are compared with Pillow's.
"""

import argparse

from benchmarks.contenders import Contender, measure, module, versions
from benchmarks.inputs import file_list, list_of, record_photographs
from benchmarks.limit import DecodeLoop
from benchmarks.pixels import from_pillow
from benchmarks.report import Report, report_on
from benchmarks.serving import listed


def run(arguments: argparse.Namespace) -> Report:
    threads = arguments.threads
    photographs = file_list(arguments.images, arguments.elements)
    records = record_photographs(arguments.images, arguments.elements)
    files = list_of("record-files", records)

    def contender(name: str, program: str, *environment: str) -> Contender:
        path = f"record_photographs.{program}"
        return module(name, path, [files, threads], *environment, has_images=True)

    bare = DecodeLoop(threads, photographs)
    fast = contender("fastpipe", "run_fastpipe")
    rivals = [
        contender("tf.data", "run_tensorflow", "tensorflow"),
        contender("DALI, CPU", "run_dali", "dali"),
    ]
    measured = measure([bare, fast, *rivals], arguments)
    # For the comparison only the first file is read.
    compared = list_of("first-record-file", listed(str(photographs))[:: len(records)])
    report = report_on(
        measured, "photographs", [bare, fast], from_pillow(measured, compared, 224, 224)
    )
    report.ratio_at_least(fast, [bare], 0.85, ", which does not resize")
    report.versions = versions(measured)
    return report

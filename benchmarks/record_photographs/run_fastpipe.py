"""fastpipe: a parallel interleave of records, and a parallel map."""

import sys

import fastpipe as fp
from benchmarks.record_photographs.serving_records import serve_records

FEATURES = {
    "image": fp.io.FixedLenFeature([], fp.string),
    "label": fp.io.FixedLenFeature([], fp.int64),
}


def load(record):
    example = fp.io.parse_single_example(record, FEATURES)
    image = fp.io.decode_jpeg(example["image"], channels=3)
    return fp.image.resize_pillow(image, [224, 224]), example["label"]


def make(files, threads):
    records = fp.Dataset.from_tensor_slices(files).interleave(
        fp.TFRecordDataset, cycle_length=min(4, len(files)), num_parallel_calls=1
    )
    batches = records.map(load, num_parallel_calls=threads).batch(64)
    return lambda: batches


if __name__ == "__main__":
    serve_records(sys.argv, make)

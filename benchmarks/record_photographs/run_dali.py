"""DALI without a GPU: its TFRecord reader, decoder and an antialiased resize."""

import os
import struct
import sys
import tempfile

import nvidia.dali.tfrecord as tfrecord
from nvidia.dali import fn, pipeline_def, types

from benchmarks.record_photographs.serving_records import serve_records


def write_index(path, index):
    """What DALI's tool `tfrecord2idx` writes: offset and size of each record."""
    count = 0
    with open(path, "rb") as file, open(index, "w") as out:
        while header := file.read(8):
            size = struct.unpack("<Q", header)[0] + 16  # with its header and checksums
            out.write(f"{file.tell() - 8} {size}\n")
            file.seek(size - 8, os.SEEK_CUR)
            count += 1
    return count


@pipeline_def
def photographs(files, indices):
    record = fn.readers.tfrecord(
        path=files,
        index_path=indices,
        features={
            "image": tfrecord.FixedLenFeature([], tfrecord.string, ""),
            "label": tfrecord.FixedLenFeature([], tfrecord.int64, 0),
        },
    )
    images = fn.decoders.image(record["image"], device="cpu", output_type=types.RGB)
    images = fn.resize(
        images, resize_x=224, resize_y=224, interp_type=types.INTERP_LINEAR, antialias=True
    )
    return images, record["label"]


def make(files, threads):
    folder = tempfile.mkdtemp()
    indices = [os.path.join(folder, os.path.basename(path) + ".idx") for path in files]
    count = sum(map(write_index, files, indices))
    pipeline = photographs(
        files, indices, batch_size=64, num_threads=threads, device_id=None, prefetch_queue_depth=2
    )
    pipeline.build()

    def batches():
        for _ in range(-(-count // 64)):  # whole batches: the reader begins again
            images, labels = pipeline.run()
            yield images.as_array(), labels.as_array()

    return batches


if __name__ == "__main__":
    serve_records(sys.argv, make)

"""SPDL: FFmpeg decodes in the threads of a pipeline. Debian: apt-get install ffmpeg."""

import spdl.io
from spdl.pipeline import PipelineBuilder

from benchmarks.serving import serve_images


def decode(paths):
    buffer = spdl.io.load_image_batch(paths, width=None, height=None, pix_fmt="rgb24")
    return spdl.io.to_numpy(buffer)


def make(paths, threads):
    def batches():
        builder = PipelineBuilder().add_source(paths).aggregate(256)
        builder = builder.pipe(decode, concurrency=threads, output_order="input").add_sink(4)
        pipeline = builder.build(num_threads=threads)
        with pipeline.auto_stop():
            yield from pipeline

    return batches


if __name__ == "__main__":
    serve_images(make)

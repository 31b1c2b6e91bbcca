"""SPDL: FFmpeg decodes and scales in the threads of a pipeline. Debian: apt-get install ffmpeg."""

import spdl.io
from spdl.pipeline import PipelineBuilder

from benchmarks.serving import serve_images

# Without scale_mode=None it keeps the aspect ratio and adds black borders.
FILTERS = spdl.io.get_video_filter_desc(
    scale_width=224, scale_height=224, pix_fmt="rgb24", scale_algo="bilinear", scale_mode=None
)


def decode(paths):
    buffer = spdl.io.load_image_batch(
        paths, width=None, height=None, pix_fmt=None, filter_desc=FILTERS
    )
    return spdl.io.to_numpy(buffer)


def make(paths, threads):
    def batches():
        builder = PipelineBuilder().add_source(paths).aggregate(64)
        builder = builder.pipe(decode, concurrency=threads, output_order="input").add_sink(4)
        pipeline = builder.build(num_threads=threads)
        with pipeline.auto_stop():
            yield from pipeline

    return batches


if __name__ == "__main__":
    serve_images(make)

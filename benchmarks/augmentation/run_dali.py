"""DALI without a GPU: its decoder crops, and one operation flips and normalises."""

from nvidia.dali import fn, pipeline_def, types

from benchmarks.augmentation.normalization import DEVIATION, MEAN
from benchmarks.serving import serve_images


@pipeline_def
def photographs(paths):
    encoded, _ = fn.readers.file(files=paths, pad_last_batch=False, prefetch_queue_depth=2)
    images = fn.decoders.image_random_crop(
        encoded,
        device="cpu",
        output_type=types.RGB,
        random_area=[0.08, 1.0],
        random_aspect_ratio=[3 / 4, 4 / 3],
    )
    images = fn.resize(
        images, resize_x=224, resize_y=224, interp_type=types.INTERP_LINEAR, antialias=False
    )
    return fn.crop_mirror_normalize(
        images,
        mirror=fn.random.coin_flip(),
        mean=MEAN,
        std=DEVIATION,
        dtype=types.FLOAT,
        output_layout="HWC",
    )


def make(paths, threads):
    pipeline = photographs(
        paths, batch_size=64, num_threads=threads, device_id=None, prefetch_queue_depth=2
    )
    pipeline.build()

    def batches():
        for _ in range(-(-len(paths) // 64)):  # whole batches: the reader begins again
            yield pipeline.run()[0].as_array()

    return batches


if __name__ == "__main__":
    serve_images(make)

"""DALI without a GPU: reader, decoder and an antialiased resize."""

from nvidia.dali import fn, pipeline_def, types

from benchmarks.serving import serve_images


@pipeline_def
def photographs(paths):
    encoded, _ = fn.readers.file(files=paths, pad_last_batch=False, prefetch_queue_depth=2)
    images = fn.decoders.image(encoded, device="cpu", output_type=types.RGB)
    return fn.resize(
        images, resize_x=224, resize_y=224, interp_type=types.INTERP_LINEAR, antialias=True
    )


def make(paths, threads, batch=64):
    pipeline = photographs(
        paths, batch_size=batch, num_threads=threads, device_id=None, prefetch_queue_depth=2
    )
    pipeline.build()

    def batches():
        for _ in range(-(-len(paths) // batch)):  # whole batches: the reader begins again
            yield pipeline.run()[0].as_array()

    return batches


if __name__ == "__main__":
    serve_images(make)

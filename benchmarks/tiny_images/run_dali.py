"""DALI without a GPU: reader and decoder."""

from nvidia.dali import fn, pipeline_def, types

from benchmarks.serving import serve_images


@pipeline_def
def images(paths):
    encoded, _ = fn.readers.file(files=paths, pad_last_batch=False, prefetch_queue_depth=2)
    return fn.decoders.image(encoded, device="cpu", output_type=types.RGB)


def make(paths, threads):
    pipeline = images(
        paths, batch_size=256, num_threads=threads, device_id=None, prefetch_queue_depth=2
    )
    pipeline.build()

    def batches():
        for _ in range(-(-len(paths) // 256)):  # whole batches: the reader begins again
            yield pipeline.run()[0].as_array()

    return batches


if __name__ == "__main__":
    serve_images(make)

"""Epochs of (images, labels) from the record files of a list."""

from benchmarks.serving import first_images, listed, serve


def serve_records(arguments, make):
    """Arguments of the program: a list of files, and threads."""
    files, threads = listed(arguments[1]), int(arguments[2])
    batches = make(files, threads)

    def epoch():
        count = 0
        for images, labels in batches():
            images[:, 0, 0].sum()
            count += len(labels)
        return count

    of_first = make(files[:1], 1)
    serve(epoch, lambda: first_images(lambda: (images for images, _ in of_first())))

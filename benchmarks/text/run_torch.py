"""PyTorch: worker processes that share the files out and read them by Python's loop over lines."""

import sys

from torch.utils.data import DataLoader, IterableDataset, get_worker_info

from benchmarks.serving import listed, serve_batches


class Lines(IterableDataset):
    def __init__(self, paths):
        self.paths = paths

    def __iter__(self):
        worker = get_worker_info()
        for path in self.paths[worker.id :: worker.num_workers]:
            with open(path, "rb") as file:
                for line in file:
                    yield line.rstrip(b"\r\n")


def main() -> None:
    loader = DataLoader(
        Lines(listed(sys.argv[1])),
        batch_size=1024,
        num_workers=int(sys.argv[2]),
        persistent_workers=True,
    )
    serve_batches(lambda: loader)


if __name__ == "__main__":
    main()

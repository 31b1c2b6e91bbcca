"""PyTorch: a DataLoader without workers, which only cost here."""

import sys

from torch.utils.data import DataLoader, Dataset

from benchmarks.serving import serve_batches, serve_elements


class Numbers(Dataset):
    def __init__(self, count):
        self.count = count

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        return index + 1


def main() -> None:
    batch, count = map(int, sys.argv[1:])
    loader = DataLoader(Numbers(count), batch_size=None if batch == 1 else batch)
    if batch == 1:
        serve_elements(lambda: loader)
    else:
        serve_batches(lambda: loader)


if __name__ == "__main__":
    main()

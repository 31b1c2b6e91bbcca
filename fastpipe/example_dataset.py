"""Datasets of parsed `tf.train.Example`s."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from fastpipe.csv_dataset import read_in_turn, shuffled_and_repeated
from fastpipe.dataset import Dataset
from fastpipe.errors import InvalidArgumentError
from fastpipe.node import AUTOTUNE
from fastpipe.parsing import parse_example
from fastpipe.readers import TFRecordDataset


def parse_example_dataset(
    features: Mapping[str, Any],
    num_parallel_calls: int | None = 1,
    deterministic: bool | None = None,
) -> Callable[[Any], Any]:
    r"""For Dataset.apply: batches of serialized Examples as dicts of tensors.

    Args:
        features: what to read, as in io.parse_example.
        num_parallel_calls, deterministic: as in Dataset.map.

    Raises:
        TypeError: when applied, if the elements are no vectors of strings.

    >>> from fastpipe import io
    >>> ds = Dataset.from_tensors([b"", b""])
    >>> ds = ds.apply(parse_example_dataset({"a": io.FixedLenFeature([], "int64", 7)}))
    >>> [element["a"].tolist() for element in ds]
    [[7, 7]]
    """
    if features is None:
        raise InvalidArgumentError("features must name at least one feature, got None")

    def parse(dataset: Any) -> Any:
        specs = dataset.native.specs
        if len(specs) != 1 or specs[0][0] != "string" or len(specs[0][1] or (None,)) != 1:
            raise TypeError(
                f"parse_example_dataset takes vectors of strings, got {dataset.element_spec!r}"
            )
        return dataset.map(
            lambda serialized: parse_example(serialized, features),
            num_parallel_calls=num_parallel_calls,
            deterministic=deterministic,
        )

    return parse


def make_batched_features_dataset(
    file_pattern: Any,
    batch_size: int,
    features: Mapping[str, Any],
    reader: Callable[..., Any] | None = None,
    label_key: str | None = None,
    reader_args: Sequence[Any] | None = None,
    num_epochs: int | None = None,
    shuffle: bool = True,
    shuffle_buffer_size: int = 10000,
    shuffle_seed: int | None = None,
    prefetch_buffer_size: int | None = None,
    reader_num_threads: int | None = None,
    parser_num_threads: int | None = None,
    sloppy_ordering: bool = False,
    drop_final_batch: bool = False,
) -> Dataset:
    """Batches of the Examples of many files, as dicts from feature name to tensor.

    Args:
        file_pattern: a glob pattern or a list of them.
        batch_size: Examples in a batch.
        features: what to read, as in io.parse_example.
        reader: makes a dataset of serialized Examples, or (key, Example), of a file name and
            `reader_args`; default TFRecordDataset.
        label_key: a feature that becomes the second part of an element: (features, label).
        num_epochs: passes over the files; None repeats for ever.
        shuffle, shuffle_buffer_size, shuffle_seed: as in Dataset.shuffle; files are shuffled, too.
        prefetch_buffer_size: batches to work ahead; None for AUTOTUNE.
        reader_num_threads: files read in turn, one Example of each; AUTOTUNE; default 1.
        parser_num_threads: threads that parse; default 2.
        sloppy_ordering: lets Examples come in another order if that is faster.
        drop_final_batch: leaves out a last batch that is not full.

    Raises:
        InvalidArgumentError: no file matches, or label_key names no feature.
    """
    if label_key is not None and label_key not in features:
        raise InvalidArgumentError(f"label_key must be one of {list(features)}, got {label_key!r}")
    read: Callable[..., Any] = TFRecordDataset if reader is None else reader
    arguments = list(reader_args or ())

    def labelled(parsed: dict[str, Any]) -> Any:
        rest = {key: value for key, value in parsed.items() if key != label_key}
        return rest, parsed[label_key or ""]

    ds: Any = Dataset.list_files(file_pattern, shuffle=shuffle, seed=shuffle_seed)
    threads = 1 if reader_num_threads is None else reader_num_threads
    ds = read_in_turn(ds, lambda name: read(name, *arguments), threads, sloppy_ordering)
    if len(ds.native.specs) == 2:
        ds = ds.map(lambda _, serialized: serialized)
    ds = shuffled_and_repeated(ds, num_epochs, shuffle, shuffle_buffer_size, shuffle_seed)
    ds = ds.batch(batch_size, drop_remainder=drop_final_batch or num_epochs is None)
    ds = ds.apply(parse_example_dataset(features, num_parallel_calls=parser_num_threads or 2))
    if label_key is not None:
        ds = ds.map(labelled)
    made: Dataset = ds.prefetch(AUTOTUNE if prefetch_buffer_size is None else prefetch_buffer_size)
    return made

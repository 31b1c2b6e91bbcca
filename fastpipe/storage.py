"""Datasets in files: save and load, caches, snapshots. Part of Dataset.

docs/saved-dataset.md describes what is written.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections import namedtuple
from collections.abc import Callable
from typing import Any

from fastpipe.base import INFINITE_CARDINALITY, DatasetBase
from fastpipe.errors import InvalidArgumentError, NotFoundError, TracingError
from fastpipe.functions import arguments_of, trace
from fastpipe.ragged import RaggedTensor
from fastpipe.sparse import SparseTensor
from fastpipe.spec import TensorSpec
from fastpipe.structure import LEAF, Composite, DatasetLeaf, flatten, is_namedtuple, leaf_structures
from fastpipe.tracing import Symbol, call, convert

# Shards that are read in turn: the order must not vary with the machine.
_CYCLE = 16
_RETRY_SECONDS = 1.0

_COMPOSITES: dict[str, Any] = {"RaggedTensor": RaggedTensor, "SparseTensor": SparseTensor}


class Storage(DatasetBase):
    """Mixed into Dataset."""

    def save(
        self,
        path: Any,
        compression: str | None = None,
        shard_func: Callable[..., Any] | None = None,
        checkpoint_args: None = None,
    ) -> None:
        """Writes all elements to a folder, from which `Dataset.load` reads them.

        The folder holds all of them or, if anything fails, what it held before. Saving to it again
        replaces what it holds; other files in it stay.

        Args:
            path: the folder; made if it does not exist, with those above it.
            compression: None, "ZSTD", "GZIP", "ZLIB" or "AUTO" (which is ZSTD).
            shard_func: the shard of an element, a scalar int64; default: one shard.
            checkpoint_args: not supported.

        Raises:
            InvalidArgumentError: the dataset is infinite, its elements contain datasets, shard_func
                returns something else, or there is no such compression.
            ResourceExhaustedError: the disk is full.
            FailedPreconditionError: `path` is a file.

        >>> import tempfile
        >>> import fastpipe as fp
        >>> folder = tempfile.mkdtemp()
        >>> fp.Dataset.range(5).save(folder)
        >>> [int(x) for x in fp.Dataset.load(folder)]
        [0, 1, 2, 3, 4]
        """
        if checkpoint_args is not None:
            raise NotImplementedError("save takes no checkpoint_args: it writes all or nothing")
        if self.cardinality() == INFINITE_CARDINALITY:
            raise InvalidArgumentError("save: the dataset is infinite; use take before it")
        arguments = self._file_arguments(path, compression)
        if shard_func is not None:
            arguments["shard_func"] = trace(shard_func, [arguments_of(self)], probe=self)
        saving = self._make("save", arguments, (self,), LEAF)
        with saving.iterator() as iterator:
            next(iterator)

    @classmethod
    def load(
        cls,
        path: Any,
        element_spec: Any = None,
        compression: str | None = None,
        reader_func: Callable[[Any], Any] | None = None,
        wait: bool = False,
    ) -> Any:
        """The elements that `save` wrote, in their order if there is one shard.

        Of several shards one element each is taken in turn, 16 shards at a time. The number of
        elements is known, and skipping does not read them.

        Args:
            path: the folder.
            element_spec: what the elements must be; default: what they are.
            compression: what it must be; default: what it is.
            reader_func: takes a dataset with a dataset for each shard, and returns the dataset to
                be read.
            wait: waits until the folder holds a dataset.

        Raises:
            NotFoundError: the folder holds no dataset.
            DataLossError: at once if the manifest is damaged; while iterating, for each element
                that is. The message has file and offset.
            InvalidArgumentError: the elements, or their compression, are others than said.
        """
        path = convert(path)
        if isinstance(path, Symbol):
            raise TracingError("load needs the path itself: it reads what the folder says it holds")
        structure, stored, shards = _read_manifest(path, wait)
        if compression not in (None, "", "AUTO") and compression != (stored or "NONE"):
            raise InvalidArgumentError(
                f"load: the dataset was saved with compression {stored or 'NONE'!r}, "
                f"compression={compression!r} was given"
            )

        def shard(index: Any) -> Any:
            return cls._make("load", {"path": path, "shard": index}, (), structure)

        if element_spec is not None:
            _expect_spec(shard(0), element_spec)
        if reader_func is not None:
            made = reader_func(cls._concrete.range(len(shards)).map(shard))
            if not isinstance(made, DatasetBase):
                raise TypeError(f"reader_func must return a dataset, got {made!r:.80}")
            return made
        if len(shards) < 2:
            return shard(0)
        mixed = cls._concrete.range(len(shards)).interleave(
            shard, cycle_length=_CYCLE, num_parallel_calls=-1
        )
        return mixed.assert_cardinality(int(shards.sum()))

    def cache(self, filename: Any = "", name: str | None = None) -> Any:
        """Keeps the elements of the first complete pass, in memory or in files, for later ones.

        A pass with an error, or one that was left, keeps nothing. A cache in files is there for
        other processes and later runs too. Several passes and processes may fill it at once: each
        writes files of its own, and the first that is complete is the cache.

        Args:
            filename: a folder for the files; made if it does not exist. Default: in memory.

        Raises:
            FailedPreconditionError: while iterating, if the folder holds the cache of another
                pipeline. What counts is how the pipeline was described (its fingerprint), not what
                is in the files that it reads: remove the cache when these change.
            DataLossError: while iterating, if the cache is damaged.

        >>> import tempfile
        >>> import fastpipe as fp
        >>> ds = fp.Dataset.range(3).map(lambda x: x * x).cache(tempfile.mkdtemp())
        >>> [int(x) for x in ds], [int(x) for x in ds]
        ([0, 1, 4], [0, 1, 4])
        """
        if isinstance(filename, (str, bytes)) and not filename:
            return self._make("cache", {}, (self,), self.structure)
        return self._make("cache", self._file_arguments(filename, None), (self,), self.structure)

    def snapshot(
        self,
        path: Any,
        compression: str | None = "AUTO",
        reader_func: Callable[[Any], Any] | None = None,
        shard_func: Callable[..., Any] | None = None,
        name: str | None = None,
    ) -> Any:
        """Keeps the elements of the first complete pass in files, and reads them from then on.

        As `cache(filename)`, but `path` may serve many pipelines: each has a folder of its own
        there, named after its fingerprint.

        Args:
            path: the folder of snapshots.
            compression: "AUTO" (which is ZSTD), "ZSTD", "GZIP", "ZLIB" or None.
            reader_func: takes a dataset with a dataset for each shard, and returns the dataset to
                be read. Default: one element of each shard in turn, 16 shards at a time.
            shard_func: the shard of an element, a scalar integer; default: one shard.

        Raises:
            InvalidArgumentError: shard_func or reader_func returns something else.
        """
        if self.symbol is not None:
            raise TracingError("snapshot cannot be used on a dataset inside a traced function")
        key = hashlib.sha256(self.fingerprint())
        shard = None
        if shard_func is not None:
            assign = shard_func
            shard = trace(
                lambda *element: _as_int64(assign(*element)), [arguments_of(self)], probe=self
            )
            key.update(shard.canonical())
            if reader_func is None:
                reader_func = _in_turn
        folder = os.path.join(os.fsdecode(convert(path)), key.hexdigest()[:32])
        arguments = self._file_arguments(folder, compression)
        arguments["shard_func"] = shard
        if reader_func is not None:
            inner = ("dataset", (), self.native.specs)
            shards = (DatasetLeaf(DatasetLeaf(self.structure)), [("dataset", (), [inner])])
            arguments["reader_func"] = read = trace(reader_func, [shards])
            if getattr(read.structure, "structure", None) != self.structure:
                raise InvalidArgumentError(
                    "snapshot: reader_func must return a dataset of the elements of the shards"
                )
        return self._make("snapshot", arguments, (self,), self.structure)

    def _file_arguments(self, path: Any, compression: str | None) -> dict[str, Any]:
        return {
            "path": convert(path),
            "compression": compression,
            "structure": _encode(self.structure),
            # Inside a traced function the name of the files is all that tells pipelines apart.
            "fingerprint": self.fingerprint() if self.symbol is None else b"",
        }


def _in_turn(shards: Any) -> Any:
    return shards.interleave(lambda shard: shard, cycle_length=_CYCLE, num_parallel_calls=-1)


def _as_int64(value: Any) -> Any:
    return call("cast", [value], dtype="int64")


def _read_manifest(path: Any, wait: bool) -> tuple[Any, str, Any]:
    """Structure of an element, compression, and number of elements of each shard."""
    while True:
        try:
            structure, compression, shards = call("saved_dataset", [path])
        except NotFoundError as error:
            if not wait:
                folder = os.fsdecode(path)
                if os.path.exists(os.path.join(folder, "dataset_spec.pb")):
                    raise NotFoundError(
                        f"{folder!r} holds a dataset that TensorFlow saved, which only TensorFlow "
                        f"can load; TFRecord files can be read by both"
                    ) from error
                raise
            time.sleep(_RETRY_SECONDS)
        else:
            return _decode(json.loads(structure)), compression.decode(), shards


def _expect_spec(dataset: DatasetBase, element_spec: Any) -> None:
    wanted, structure = flatten(element_spec, lambda leaf: LEAF)
    found = [TensorSpec(spec[1], spec[0]) for spec in dataset.native.specs]
    leaves = leaf_structures(dataset.structure)
    fits = structure == dataset.structure and len(wanted) == len(leaves)
    if not fits or not all(map(_accepts, wanted, found)):
        raise InvalidArgumentError(
            f"load: the elements were said to be {element_spec!r}, they are "
            f"{dataset.element_spec!r}"
        )


def _accepts(wanted: Any, found: TensorSpec) -> bool:
    if wanted.dtype != found.dtype:
        return False
    if wanted.shape is None or found.shape is None:
        return wanted.shape is None
    return len(wanted.shape) == len(found.shape) and all(
        want in (None, have) for want, have in zip(wanted.shape, found.shape, strict=True)
    )


# ---- structures as JSON: "*" is a tensor, anything else a list that begins with its kind ----


def _encode(structure: Any) -> str:
    def plain(node: Any) -> Any:
        if is_namedtuple(node):
            return ["namedtuple", type(node).__name__, list(node._fields), *map(plain, node)]
        if isinstance(node, tuple):
            return ["tuple", *map(plain, node)]
        if isinstance(node, dict):
            for key in node:
                if not isinstance(key, (str, int)):
                    raise TypeError(f"elements with the key {key!r} cannot be written to files")
            return ["dict", *[[key, plain(item)] for key, item in node.items()]]
        if isinstance(node, Composite) and node.kind.__name__ in _COMPOSITES:
            return ["composite", node.kind.__name__, node.leaves]
        if isinstance(node, Composite):
            raise TypeError(f"{node.kind.__name__}s cannot be written to files")
        return "*"

    return json.dumps(plain(structure))


def _decode(plain: Any) -> Any:
    if plain == "*":
        return LEAF
    kind, *rest = plain
    if kind == "tuple":
        return tuple(_decode(item) for item in rest)
    if kind == "namedtuple":
        return namedtuple(rest[0], rest[1])(*[_decode(item) for item in rest[2:]])
    if kind == "dict":
        return {key: _decode(item) for key, item in rest}
    return Composite(_COMPOSITES[rest[0]], rest[1])

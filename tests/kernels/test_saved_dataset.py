import pytest
from laws import check_kernel

import fastpipe as fp
from fastpipe.errors import DataLossError, InvalidArgumentError, NotFoundError
from fastpipe.tracing import call


def describe(path):
    return tuple(call("saved_dataset", [path]))


def test_a_manifest_says_structure_compression_and_elements_of_each_shard(tmp_path):
    ds = fp.Dataset.range(5)
    ds.save(tmp_path, compression="GZIP", shard_func=lambda x: x % 2)
    check_kernel(
        describe, [str(tmp_path).encode()], (b'"*"', b"GZIP", [3, 2]), wrong_dtypes=["int32"]
    )


def test_a_folder_without_one_is_an_error(tmp_path, write):
    with pytest.raises(NotFoundError, match="no saved dataset"):
        describe(str(tmp_path))
    write("fastpipe.manifest", b"something else")
    with pytest.raises(DataLossError, match="not the manifest"):
        describe(str(tmp_path))
    with pytest.raises(InvalidArgumentError, match="scalar"):
        describe([str(tmp_path)])

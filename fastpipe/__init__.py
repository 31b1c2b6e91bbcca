"""fastpipe: the input pipeline that training jobs deserve.

Describe a pipeline in the vocabulary of tf.data; native threads run it without the GIL.

>>> import fastpipe as fp
>>> ds = fp.Dataset.range(4).map(lambda x: x * x, num_parallel_calls=fp.AUTOTUNE).batch(2)
>>> [batch.tolist() for batch in ds]
[[0, 1], [4, 9]]
"""

from fastpipe import audio, errors, experimental, image, io, math, sparse, strings
from fastpipe.array import (
    boolean_mask,
    broadcast_to,
    concat,
    ensure_shape,
    expand_dims,
    fill,
    gather,
    identity,
    one_hot,
    ones,
    ones_like,
    pad,
    rank,
    repeat,
    reshape,
    reverse,
    shape,
    size,
    sort,
    split,
    squeeze,
    stack,
    tile,
    transpose,
    unstack,
    where,
    zeros,
    zeros_like,
)
from fastpipe.array import range_ as range
from fastpipe.base import INFINITE_CARDINALITY, UNKNOWN_CARDINALITY
from fastpipe.control import cond
from fastpipe.csv_dataset import CsvDataset, make_csv_dataset
from fastpipe.dataset import Dataset
from fastpipe.errors import PythonFallbackWarning
from fastpipe.example_dataset import make_batched_features_dataset, parse_example_dataset
from fastpipe.functions import numpy_function, py_function
from fastpipe.indexing import constant
from fastpipe.iterator import Iterator, NumpyIterator
from fastpipe.math import cast, clip_by_value
from fastpipe.node import AUTOTUNE
from fastpipe.options import AutotuneOptions, Options, SimulatedStorage, ThreadingOptions
from fastpipe.ragged import RaggedTensor, RaggedTensorSpec
from fastpipe.readers import FixedLengthRecordDataset, TextLineDataset, TFRecordDataset
from fastpipe.reductions import (
    argmax,
    argmin,
    cumsum,
    reduce_all,
    reduce_any,
    reduce_max,
    reduce_mean,
    reduce_min,
    reduce_prod,
    reduce_sum,
)
from fastpipe.sparse import SparseTensor, SparseTensorSpec
from fastpipe.spec import (
    DatasetSpec,
    DType,
    IteratorSpec,
    TensorSpec,
    bfloat16,
    bool_,
    float16,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    string,
    uint8,
    uint16,
    uint32,
    uint64,
)

__version__ = "0.1.0"

__all__ = [
    "AUTOTUNE",
    "INFINITE_CARDINALITY",
    "UNKNOWN_CARDINALITY",
    "AutotuneOptions",
    "CsvDataset",
    "DType",
    "Dataset",
    "DatasetSpec",
    "FixedLengthRecordDataset",
    "Iterator",
    "IteratorSpec",
    "NumpyIterator",
    "Options",
    "PythonFallbackWarning",
    "RaggedTensor",
    "RaggedTensorSpec",
    "SimulatedStorage",
    "SparseTensor",
    "SparseTensorSpec",
    "TFRecordDataset",
    "TensorSpec",
    "TextLineDataset",
    "ThreadingOptions",
    "argmax",
    "argmin",
    "audio",
    "bfloat16",
    "bool_",
    "boolean_mask",
    "broadcast_to",
    "cast",
    "clip_by_value",
    "concat",
    "cond",
    "constant",
    "cumsum",
    "ensure_shape",
    "errors",
    "experimental",
    "expand_dims",
    "fill",
    "float16",
    "float32",
    "float64",
    "gather",
    "identity",
    "image",
    "int8",
    "int16",
    "int32",
    "int64",
    "io",
    "make_batched_features_dataset",
    "make_csv_dataset",
    "math",
    "numpy_function",
    "one_hot",
    "ones",
    "ones_like",
    "pad",
    "parse_example_dataset",
    "py_function",
    "range",
    "rank",
    "reduce_all",
    "reduce_any",
    "reduce_max",
    "reduce_mean",
    "reduce_min",
    "reduce_prod",
    "reduce_sum",
    "repeat",
    "reshape",
    "reverse",
    "shape",
    "size",
    "sort",
    "sparse",
    "split",
    "squeeze",
    "stack",
    "string",
    "strings",
    "tile",
    "transpose",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "unstack",
    "where",
    "zeros",
    "zeros_like",
]

"""The tf.* names bound to fastpipe's own: `import fastpipe.compat.tf as tf`. No logic.

>>> import fastpipe.compat.tf as tf
>>> ds = tf.data.Dataset.range(3).map(lambda x: tf.cast(x, tf.float32) / 2)
>>> [float(x) for x in ds]
[0.0, 0.5, 1.0]
"""

from __future__ import annotations

from types import SimpleNamespace

import numpy as _np

import fastpipe as _fp
from fastpipe import audio, errors, image, io, math, sparse, strings
from fastpipe import dense_rows as _dense_rows
from fastpipe.array import *  # noqa: F403
from fastpipe.array import range_ as range
from fastpipe.array import slice_ as slice
from fastpipe.control import cond
from fastpipe.functions import numpy_function, py_function
from fastpipe.indexing import constant
from fastpipe.math import *  # noqa: F403
from fastpipe.ragged import RaggedTensor, RaggedTensorSpec
from fastpipe.sparse import SparseTensor, SparseTensorSpec
from fastpipe.spec import (
    DType,
    TensorSpec,
    bfloat16,
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
from fastpipe.spec import bool_ as bool
from fastpipe.tracing import convert as convert_to_tensor

double = float64
half = float16
newaxis = None
Tensor = _np.ndarray

data = SimpleNamespace(
    AUTOTUNE=_fp.AUTOTUNE,
    INFINITE_CARDINALITY=_fp.INFINITE_CARDINALITY,
    UNKNOWN_CARDINALITY=_fp.UNKNOWN_CARDINALITY,
    Dataset=_fp.Dataset,
    DatasetSpec=_fp.DatasetSpec,
    FixedLengthRecordDataset=_fp.FixedLengthRecordDataset,
    Iterator=_fp.Iterator,
    IteratorSpec=_fp.IteratorSpec,
    NumpyIterator=_fp.NumpyIterator,
    Options=_fp.Options,
    TFRecordDataset=_fp.TFRecordDataset,
    TextLineDataset=_fp.TextLineDataset,
    ThreadingOptions=_fp.ThreadingOptions,
    experimental=_fp.experimental,
)
experimental = SimpleNamespace(Optional=_fp.experimental.Optional)
debugging = SimpleNamespace(check_numerics=math.check_numerics)
ragged = SimpleNamespace(constant=_dense_rows.constant)
nn = SimpleNamespace(relu=math.relu, sigmoid=math.sigmoid, tanh=math.tanh)

__all__ = [
    "DType", "RaggedTensor", "RaggedTensorSpec", "SparseTensor", "SparseTensorSpec", "Tensor",
    "TensorSpec", "audio", "bfloat16", "bool", "cond", "constant", "convert_to_tensor", "data",
    "debugging", "double", "errors", "experimental", "float16", "float32", "float64", "half",
    "image", "int16", "int32", "int64", "int8", "io", "math", "newaxis", "nn", "numpy_function",
    "py_function", "ragged", "range", "slice", "sparse", "string", "strings", "uint16",
    "uint32", "uint64", "uint8",
]  # fmt: skip

"""The tf.* names bound to fastpipe's own: `import fastpipe.compat.tf as tf`. No logic.

>>> import fastpipe.compat.tf as tf
>>> ds = tf.data.Dataset.range(3).map(lambda x: tf.cast(x, tf.float32) / 2)
>>> [float(x) for x in ds]
[0.0, 0.5, 1.0]
"""

from __future__ import annotations

from contextlib import nullcontext
from types import SimpleNamespace

import numpy as _np

import fastpipe as _fp
from fastpipe import (
    audio,
    debugging,
    errors,
    image,
    io,
    linalg,
    lookup,
    math,
    nest,
    nn,
    sparse,
    strings,
)
from fastpipe import ragged_ops as ragged
from fastpipe import random as _random
from fastpipe.array import *  # noqa: F403
from fastpipe.array import range_ as range
from fastpipe.array import slice_ as slice
from fastpipe.control import case, cond, executing_eagerly, function, no_op, switch_case
from fastpipe.counting import searchsorted, unique, unique_with_counts
from fastpipe.debugging import Assert
from fastpipe.debugging import print_ as print
from fastpipe.functions import numpy_function, py_function
from fastpipe.indexing import constant, convert_to_tensor, get_static_value, is_tensor
from fastpipe.linalg import (
    clip_by_global_norm,
    clip_by_norm,
    einsum,
    matmul,
    norm,
    tensordot,
)
from fastpipe.loops import foldl, foldr, map_fn, scan, vectorized_map, while_loop
from fastpipe.math import *  # noqa: F403
from fastpipe.ragged import RaggedTensor, RaggedTensorSpec
from fastpipe.scatter import (
    dynamic_partition,
    dynamic_stitch,
    gather_nd,
    scatter_nd,
    tensor_scatter_nd_add,
    tensor_scatter_nd_max,
    tensor_scatter_nd_min,
    tensor_scatter_nd_sub,
    tensor_scatter_nd_update,
)
from fastpipe.sparse import SparseTensor, SparseTensorSpec
from fastpipe.spec import (
    DType,
    TensorSpec,
    as_dtype,
    as_shape,
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

double = float64
half = float16
newaxis = None
TensorShape = as_shape
control_dependencies = nullcontext
group = no_op
guarantee_const = stop_gradient = _fp.identity
name_scope = nullcontext
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
random = SimpleNamespace(
    categorical=_random.categorical,
    experimental=SimpleNamespace(
        index_shuffle=_random.index_shuffle,
        stateless_fold_in=_random.fold_in,
        stateless_shuffle=_random.stateless_shuffle,
        stateless_split=_random.split,
    ),
    fold_in=_random.fold_in,
    normal=_random.normal,
    set_seed=_random.set_seed,
    shuffle=_random.shuffle,
    split=_random.split,
    stateless_categorical=_random.stateless_categorical,
    stateless_normal=_random.stateless_normal,
    stateless_truncated_normal=_random.stateless_truncated_normal,
    stateless_uniform=_random.stateless_uniform,
    truncated_normal=_random.truncated_normal,
    uniform=_random.uniform,
)
as_string = strings.as_string
assert_equal = debugging.assert_equal
assert_greater = debugging.assert_greater
assert_less = debugging.assert_less
assert_rank = debugging.assert_rank
autograph = SimpleNamespace(experimental=SimpleNamespace(do_not_convert=function))
custom_gradient = grad_pass_through = function
device = nullcontext
realdiv = math.truediv
bitwise = SimpleNamespace(
    bitwise_and=math.bitwise_and,
    bitwise_or=math.bitwise_or,
    bitwise_xor=math.bitwise_xor,
    invert=math.invert,
    left_shift=math.left_shift,
    right_shift=math.right_shift,
)
dtypes = SimpleNamespace(
    DType=DType,
    as_dtype=as_dtype,
    bfloat16=bfloat16,
    bool=bool,
    cast=math.cast,
    double=double,
    float16=float16,
    float32=float32,
    float64=float64,
    half=half,
    int16=int16,
    int32=int32,
    int64=int64,
    int8=int8,
    saturate_cast=math.saturate_cast,
    string=string,
    uint16=uint16,
    uint32=uint32,
    uint64=uint64,
    uint8=uint8,
)

__all__ = [
    "Assert", "DType", "RaggedTensor", "RaggedTensorSpec", "SparseTensor", "SparseTensorSpec",
    "Tensor", "TensorShape", "TensorSpec", "as_dtype", "as_string", "assert_equal",
    "assert_greater", "assert_less", "assert_rank", "audio", "autograph", "bfloat16", "bitwise",
    "bool", "case", "clip_by_global_norm", "clip_by_norm", "cond", "constant",
    "control_dependencies", "convert_to_tensor", "custom_gradient", "data", "debugging", "device",
    "double", "dtypes", "dynamic_partition", "dynamic_stitch", "einsum", "errors",
    "executing_eagerly", "experimental", "float16", "float32", "float64", "foldl", "foldr",
    "function", "gather_nd", "get_static_value", "grad_pass_through", "group", "guarantee_const",
    "half", "image", "int16", "int32", "int64", "int8", "io", "is_tensor", "linalg", "lookup",
    "map_fn", "math", "matmul", "name_scope", "nest", "newaxis", "nn", "no_op", "norm",
    "numpy_function", "print", "py_function", "ragged", "random", "range", "realdiv", "scan",
    "scatter_nd", "searchsorted", "slice", "sparse", "stop_gradient", "string", "strings",
    "switch_case", "tensor_scatter_nd_add", "tensor_scatter_nd_max", "tensor_scatter_nd_min",
    "tensor_scatter_nd_sub", "tensor_scatter_nd_update", "tensordot", "uint16", "uint32",
    "uint64", "uint8", "unique", "unique_with_counts", "vectorized_map", "while_loop",
]  # fmt: skip

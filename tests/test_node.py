"""Nodes are plain data: they compare, print, hash, pickle."""

import pickle
import subprocess
import sys

import numpy as np
import pytest
from process import ROOT

import fastpipe as fp
from fastpipe.node import Node, _canonical


def pipeline(count=3, calls=None, scale=2):
    ds = fp.Dataset.range(10).map(lambda x: x * scale, num_parallel_calls=calls)
    return ds.batch(count)


def test_equal_pipelines_have_equal_nodes():
    assert pipeline().node == pipeline().node
    assert hash(pipeline().node) == hash(pipeline().node)
    assert pipeline().node != pipeline(4).node
    assert pipeline().node != pipeline(scale=3).node
    assert pipeline().node != "range"


def test_a_node_is_frozen():
    node = fp.Dataset.range(3).node
    with pytest.raises(AttributeError):
        node.op = "other"


def test_a_node_prints_op_arguments_and_inputs():
    text = repr(fp.Dataset.range(3).batch(2).node)
    assert "range" in text and "batch" in text and "batch_size=2" in text
    big = repr(fp.Dataset.from_tensors(np.zeros(10_000)).node)
    assert len(big) < 300


def test_the_line_that_made_it_is_remembered_and_no_part_of_it():
    node = fp.Dataset.range(3).node
    assert node.where.startswith("test_node.py:")
    assert node == fp.Dataset.range(3).node


def test_parallelism_inside_functions_is_no_part_of_the_fingerprint():
    def nested(calls):
        inner = fp.Dataset.range(3).map(lambda y: y + 1, num_parallel_calls=calls)
        ds = fp.Dataset.range(3).flat_map(lambda x: inner.map(lambda y: x + y, calls).prefetch(2))
        return ds.concatenate(fp.Dataset.from_tensors(inner).flat_map(lambda d: d))

    assert nested(1).fingerprint() == nested(fp.AUTOTUNE).fingerprint()
    assert nested(1).node != nested(fp.AUTOTUNE).node


def test_a_dataset_inside_a_function_is_part_of_the_fingerprint():
    def captured(stop):
        inner = fp.Dataset.range(stop)
        return fp.Dataset.range(3).flat_map(lambda x: inner)

    assert captured(3).fingerprint() != captured(4).fingerprint()


def test_parallelism_is_no_part_of_the_fingerprint():
    assert pipeline().fingerprint() == pipeline(calls=4).fingerprint()
    assert pipeline().fingerprint() == pipeline(calls=fp.AUTOTUNE).fingerprint()
    assert pipeline().node != pipeline(calls=4).node


@pytest.mark.parametrize(
    "other",
    [
        lambda: pipeline(4),
        lambda: pipeline(scale=3),
        lambda: pipeline().take(1),
        lambda: fp.Dataset.range(11).map(lambda x: x * 2).batch(3),
        lambda: fp.Dataset.range(10).map(lambda x: x + 2).batch(3),
    ],
)
def test_what_yields_something_else_has_another_fingerprint(other):
    assert other().fingerprint() != pipeline().fingerprint()


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ({"x": 1}, {"x": "1"}),
        ({"x": [1, 2]}, {"x": [[1], 2]}),
        ({"x": "ab", "y": ""}, {"x": "a", "y": "b"}),
        ({"x": b"1"}, {"x": "1"}),
        ({"x": np.int32(1)}, {"x": np.int64(1)}),
        ({"x": np.zeros(4, np.float32)}, {"x": np.zeros((2, 2), np.float32)}),
        ({"x": True}, {"x": 1}),
        ({"x": None}, {}),
        ({"x": np.array([b"a", b"bc"], object)}, {"x": np.array([b"ab", b"c"], object)}),
    ],
)
def test_arguments_that_look_alike_are_told_apart(a, b):
    assert Node("op", a) != Node("op", b)
    assert Node("op", a).fingerprint() != Node("op", b).fingerprint()
    assert Node("op", a) == Node("op", dict(a))


def test_fingerprints_are_equal_in_every_process():
    program = (
        "import fastpipe as fp; print(fp.Dataset.range(10).map(lambda x: x * 2).batch(3)"
        ".fingerprint().hex())"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == pipeline().fingerprint().hex()


def test_datasets_pickle_with_all_that_is_in_them(tmp_path):
    table = np.array([5.5, 6.5])
    ds = fp.Dataset.from_tensor_slices({"i": [0, 1], "s": ["a", "b"]})
    ds = ds.map(lambda e: (fp.gather(table, e["i"]), fp.strings.upper(e["s"])))
    ds = ds.interleave(
        lambda x, s: fp.Dataset.from_tensors((x, s)).repeat(2), cycle_length=2
    ).shuffle(3, seed=1)
    copy = pickle.loads(pickle.dumps(ds))
    assert copy.node == ds.node and copy.element_spec == ds.element_spec
    assert [repr(x) for x in copy] == [repr(x) for x in ds]


def test_options_travel_with_the_dataset():
    options = fp.Options(deterministic=False)
    copy = pickle.loads(pickle.dumps(fp.Dataset.range(3).with_options(options)))
    assert copy.options().deterministic is False


def test_a_pickled_dataset_works_in_another_process(tmp_path):
    path = tmp_path / "dataset.pickle"
    path.write_bytes(pickle.dumps(pipeline()))
    program = (
        "import pickle, sys; print([b.tolist() for b in pickle.load(open(sys.argv[1], 'rb'))])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "[[0, 2, 4], [6, 8, 10], [12, 14, 16], [18]]"


def test_python_functions_do_not_travel_and_say_so():
    ds = fp.Dataset.range(2).map(lambda x: fp.py_function(lambda v: v, [x], fp.int64))
    with pytest.raises(TypeError, match="Python function.*pickled"):
        pickle.dumps(ds)


def test_a_dataset_prints():
    text = repr(pipeline())
    assert "batch" in text and "TensorSpec" in text


def test_python_functions_that_differ_in_a_constant_are_not_the_same():
    def pipeline(function):
        return fp.Dataset.range(3).map(lambda x: fp.py_function(function, [x], fp.int64)).node

    def add(amount):
        return lambda x: x + amount

    assert pipeline(lambda x: x + 1).fingerprint() != pipeline(lambda x: x + 2).fingerprint()
    assert pipeline(add(1)).fingerprint() == pipeline(add(1)).fingerprint()
    assert pipeline(add(1)).fingerprint() != pipeline(add(2)).fingerprint()


def test_what_a_function_collects_is_no_part_of_it():
    seen = []

    def collect(x):
        seen.append(x)
        return x

    def pipeline():
        return fp.Dataset.range(3).map(lambda x: fp.py_function(collect, [x], fp.int64)).node

    before = pipeline().fingerprint()
    seen.append(1)
    assert pipeline().fingerprint() == before


def test_strings_have_one_encoding_however_they_are_held():
    mixed = np.array([b"a", b"1:b"], object)
    parts = [b"".join(_canonical(value, True)) for value in (mixed, mixed[::-1], mixed.tolist())]
    assert parts[0] != parts[1] and parts[0].endswith(parts[2])
    shifted = np.array([b"ab1:", b"b"], object)
    assert b"".join(_canonical(shifted, True)) != parts[0]

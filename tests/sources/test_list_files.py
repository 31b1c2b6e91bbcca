import pytest
from laws import check_op, outcomes

import fastpipe as fp
from fastpipe.errors import InvalidArgumentError

NAMES = ["a.txt", "b.txt", "c.jpg", "sub/d.txt", "sub/e.jpg"]


@pytest.fixture
def folder(write, tmp_path):
    for name in NAMES:
        write(name, b"")
    return str(tmp_path)


@pytest.mark.parametrize(
    ("patterns", "expected"),
    [
        ("*.txt", ["a.txt", "b.txt"]),
        ("?.txt", ["a.txt", "b.txt"]),
        ("[bc].*", ["b.txt", "c.jpg"]),
        ("*/*", ["sub/d.txt", "sub/e.jpg"]),
        ("a.txt", ["a.txt"]),
        (["*.jpg", "a*"], ["a.txt", "c.jpg"]),
        (["a.txt", "*.txt"], ["a.txt", "a.txt", "b.txt"]),
        (["*.txt", "nothing*"], ["a.txt", "b.txt"]),
    ],
)
def test_matching_files_come_sorted_without_shuffle(folder, patterns, expected):
    full = [f"{folder}/{p}" for p in ([patterns] if isinstance(patterns, str) else patterns)]
    check_op(
        lambda: fp.Dataset.list_files(full if len(full) > 1 else full[0], shuffle=False),
        [f"{folder}/{name}".encode() for name in expected],
        cardinality=len(expected),
    )


def test_a_path_object_is_a_pattern(tmp_path, folder):
    ds = fp.Dataset.list_files(tmp_path / "*.jpg", shuffle=False)
    assert outcomes(iter(ds)) == [f"{folder}/c.jpg".encode()]


@pytest.mark.parametrize("shuffle", [None, True])
def test_shuffled_files_come_once(folder, shuffle):
    expected = [f"{folder}/{name}".encode() for name in ("a.txt", "b.txt", "c.jpg", "sub")]
    check_op(
        lambda: fp.Dataset.list_files(f"{folder}/*", shuffle=shuffle, seed=3), expected, alike=False
    )
    assert sorted(outcomes(iter(fp.Dataset.list_files(f"{folder}/*")))) == expected


def test_every_pass_has_a_new_order_that_a_seed_repeats(write, tmp_path):
    for number in range(20):
        write(f"many/{number}", b"")

    def three():
        ds = fp.Dataset.list_files(f"{tmp_path}/many/*", seed=5)
        return [outcomes(iter(ds)) for _ in range(3)]

    first, second, third = three()
    assert first != second != third
    assert three() == [first, second, third]


@pytest.mark.parametrize("patterns", ["nothing*", "no/such/folder/*", ["x", "y"]])
def test_no_match_is_an_error_that_names_the_patterns(folder, patterns):
    full = [f"{folder}/{p}" for p in ([patterns] if isinstance(patterns, str) else patterns)]
    with pytest.raises(InvalidArgumentError, match="no files matched") as caught:
        fp.Dataset.list_files(full)
    for pattern in full:
        assert pattern in str(caught.value)


def test_no_match_of_a_traced_pattern_is_an_error_while_iterating(folder):
    patterns = fp.Dataset.from_tensor_slices([f"{folder}/nothing*", f"{folder}/a*"])
    it = iter(patterns.flat_map(lambda p: fp.Dataset.list_files(p, shuffle=False)))
    with pytest.raises(InvalidArgumentError, match=r"nothing\*"):
        next(it)
    assert next(it) == f"{folder}/a.txt".encode()


def test_names_that_are_no_utf8_come_as_they_are(tmp_path):
    import os

    name = os.fsencode(tmp_path) + b"/\xff\xfe.bin"
    with open(name, "wb"):
        pass
    assert outcomes(iter(fp.Dataset.list_files(f"{tmp_path}/*.bin"))) == [name]

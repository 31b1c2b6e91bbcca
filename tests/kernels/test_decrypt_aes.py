"""decrypt_aes_gcm and decrypt_aes_ctr: the published test vectors, and what must be refused."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest
from open_shapes import check, spec_of

import fastpipe as fp
from fastpipe import io
from fastpipe.errors import DataLossError, InvalidArgumentError


class Vector(NamedTuple):
    """As hexadecimal text."""

    key: str
    nonce: str
    data: str
    tag: str


# Cases 4, 5, 6, 10 and 16 of the definition of GCM, which NIST adopted as SP 800-38D.
KEY = "feffe9928665731c6d6a8f9467308308"
NONCE = "cafebabefacedbaddecaf888"
PLAIN = bytes.fromhex(
    "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72"
    "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39"
)
ASSOCIATED = bytes.fromhex("feedfacedeadbeeffeedfacedeadbeefabaddad2")
GCM = [
    Vector(
        KEY,
        NONCE,
        "42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e"
        "21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac973d58e091",
        "5bc94fbc3221a5db94fae95ae7121a47",
    ),
    Vector(
        KEY,
        "cafebabefacedbad",
        "61353b4c2806934a777ff51fa22a4755699b2a714fcdc6f83766e5f97b6c7423"
        "73806900e49f24b22b097544d4896b424989b5e1ebac0f07c23f4598",
        "3612d2e79e3b0785561be14aaca2fccb",
    ),
    Vector(
        KEY,
        "9313225df88406e555909c5aff5269aa6a7a9538534f7da1e4c303d2a318a728"
        "c3c0c95156809539fcf0e2429a6b525416aedbf5a0de6a57a637b39b",
        "8ce24998625615b603a033aca13fb894be9112a5c3a211a8ba262a3cca7e2ca7"
        "01e4a9a4fba43c90ccdcb281d48c7c6fd62875d2aca417034c34aee5",
        "619cc5aefffe0bfa462af43c1699d050",
    ),
    Vector(
        KEY + KEY[:16],
        NONCE,
        "3980ca0b3c00e841eb06fac4872a2757859e1ceaa6efd984628593b40ca1e19c"
        "7d773d00c144c525ac619d18c84a3f4718e2448b2fe324d9ccda2710",
        "2519498e80f1478f37ba55bd6d27618c",
    ),
    Vector(
        KEY + KEY,
        NONCE,
        "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa"
        "8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662",
        "76fc6ece0f4e1768cddf8853bb2d551b",
    ),
]

# Of SP 800-38A, F.5.
COUNTER = bytes.fromhex("f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff")
BLOCKS = bytes.fromhex(
    "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51"
    "30c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710"
)
CTR = {
    "2b7e151628aed2a6abf7158809cf4f3c": (
        "874d6191b620e3261bef6864990db6ce9806f66b7970fdff8617187bb9fffdff"
        "5ae4df3edbd5d35e5b4f09020db03eab1e031dda2fbe03d1792170a0f3009cee"
    ),
    "8e73b0f7da0e6452c810f32b809079e562f8ead2522c6b7b": (
        "1abc932417521ca24f2b0459fe7e6e0b090339ec0aa6faefd5ccc2c6f4ce8e94"
        "1e36b26bd1ebc670d1bd1d665620abf74f78a7f6d29809585a97daec58c6b050"
    ),
    "603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4": (
        "601ec313775789a5b7a7f504bbf3d228f443e3ca4d62b59aca84e990cacaf5c5"
        "2b0930daa23de94ce87017ba2d84988ddfc9c58db67aada613c2dd08457941a6"
    ),
}


def unpacked(vector: Vector) -> list[bytes]:
    return [bytes.fromhex(part) for part in vector]


@pytest.mark.parametrize("vector", GCM)
def test_gcm_vectors(vector: Vector) -> None:
    key, nonce, data, tag = unpacked(vector)
    assert io.decrypt_aes_gcm(data, key, nonce, tag, ASSOCIATED) == PLAIN
    assert io.decrypt_aes_gcm(data + tag, key, nonce, associated_data=ASSOCIATED) == PLAIN
    if len(nonce) == 12:
        whole = nonce + data + tag
        assert io.decrypt_aes_gcm(whole, key, associated_data=ASSOCIATED) == PLAIN
        assert io.decrypt_aes_gcm(nonce + data, key, None, tag, ASSOCIATED) == PLAIN


@pytest.mark.parametrize("key", CTR)
def test_ctr_vectors(key: str) -> None:
    data = bytes.fromhex(CTR[key])
    check(lambda x, k: io.decrypt_aes_ctr(x, k, COUNTER), [data, bytes.fromhex(key)], BLOCKS)
    assert io.decrypt_aes_ctr(data[:21], bytes.fromhex(key), COUNTER) == BLOCKS[:21]


def test_the_counter_counts_over_all_its_bytes() -> None:
    key, first = bytes(16), b"\xff" * 16
    both = io.decrypt_aes_ctr(bytes(32), key, first)
    assert both[16:] == io.decrypt_aes_ctr(bytes(16), key, bytes(16))


def test_nothing_can_be_encrypted() -> None:
    tag = bytes.fromhex("58e2fccefa7e3061367f1d57a4e7455a")  # case 1: nothing, a zero key
    assert io.decrypt_aes_gcm(tag, bytes(16), bytes(12)) == b""
    assert io.decrypt_aes_gcm(b"", bytes(16), bytes(12), tag) == b""
    assert io.decrypt_aes_ctr(b"", bytes(16), COUNTER) == b""


def test_each_string_with_its_own_values_or_those_of_all() -> None:
    same_key = [unpacked(vector) for vector in GCM[:3]]
    data = np.array([part[2] + part[3] for part in same_key], object)
    nonces = np.array([part[1] for part in same_key], object)
    expected = np.array([PLAIN] * 3, object)
    check(
        lambda x, n: io.decrypt_aes_gcm(x, same_key[0][0], n, associated_data=ASSOCIATED),
        [data, nonces],
        expected,
    )
    whole = [unpacked(vector) for vector in (GCM[0], GCM[3], GCM[4])]
    keys = np.array([part[0] for part in whole], object)
    packed = np.array([part[1] + part[2] + part[3] for part in whole], object)
    check(
        lambda x, k: io.decrypt_aes_gcm(x, k, associated_data=ASSOCIATED), [packed, keys], expected
    )


@pytest.mark.parametrize("change", ["key", "nonce", "data", "tag", "associated_data"])
def test_any_change_is_found(change: str) -> None:
    key, nonce, data, tag = unpacked(GCM[0])
    values = {"key": key, "nonce": nonce, "data": data, "tag": tag, "associated_data": ASSOCIATED}
    for place in range(len(values[change])):
        text = values[change]
        changed = text[:place] + bytes([text[place] ^ 1]) + text[place + 1 :]
        with pytest.raises(DataLossError, match="cannot decrypt 60 bytes: the tag does not match"):
            io.decrypt_aes_gcm(**{**values, change: changed})


def test_cut_data_are_found() -> None:
    key, nonce, data, tag = unpacked(GCM[0])
    whole = nonce + data + tag
    for size in range(len(whole)):
        with pytest.raises(DataLossError, match="tag"):
            io.decrypt_aes_gcm(whole[:size], key, associated_data=ASSOCIATED)


@pytest.mark.parametrize("size", [0, 1, 15, 17, 31, 33])
def test_keys_of_other_lengths(size: int) -> None:
    message = f"an AES key has 16, 24 or 32 bytes, got {size}"
    with pytest.raises(InvalidArgumentError, match=message):
        io.decrypt_aes_gcm(bytes(40), bytes(size))
    with pytest.raises(InvalidArgumentError, match=message):
        io.decrypt_aes_ctr(bytes(40), bytes(size), COUNTER)


def test_other_lengths() -> None:
    with pytest.raises(InvalidArgumentError, match="nonce must have from 1 to 128 bytes, got 0"):
        io.decrypt_aes_gcm(bytes(40), bytes(16), b"")
    with pytest.raises(InvalidArgumentError, match="nonce must have from 1 to 128 bytes, got 129"):
        io.decrypt_aes_gcm(bytes(40), bytes(16), bytes(129))
    with pytest.raises(InvalidArgumentError, match="tag must have from 12 to 16 bytes, got 11"):
        io.decrypt_aes_gcm(bytes(40), bytes(16), bytes(12), bytes(11))
    with pytest.raises(InvalidArgumentError, match="counter block must have 16 bytes, got 12"):
        io.decrypt_aes_ctr(bytes(40), bytes(16), bytes(12))


def test_shapes_that_do_not_fit() -> None:
    data, keys = [bytes(40)] * 2, [bytes(16)] * 3
    with pytest.raises(InvalidArgumentError, match=r"shape of the data, \[2\], got \[3\]"):
        io.decrypt_aes_gcm(data, keys)
    with pytest.raises(InvalidArgumentError, match="shape of the data"):
        io.decrypt_aes_ctr(bytes(40), keys, COUNTER)
    with pytest.raises(InvalidArgumentError, match="input 1 must be string, got int32"):
        io.decrypt_aes_ctr(bytes(40), 5, COUNTER)


def test_an_error_says_which_string() -> None:
    key, nonce, data, tag = unpacked(GCM[0])
    good = nonce + data + tag
    with pytest.raises(DataLossError, match="cannot decrypt 88 bytes at index 1: the tag does not"):
        io.decrypt_aes_gcm([good, good[::-1], good], key, associated_data=ASSOCIATED)


def test_shapes_are_kept() -> None:
    strings = ((2, None), "string")
    assert spec_of(lambda x: io.decrypt_aes_gcm(x, bytes(16)), strings) == (2, None)
    assert spec_of(lambda x: io.decrypt_aes_ctr(x, bytes(16), COUNTER), (None, "string")) is None


def test_in_a_pipeline_a_changed_element_costs_itself() -> None:
    key, nonce, data, tag = unpacked(GCM[4])
    good = nonce + data + tag
    packed = fp.Dataset.from_tensor_slices([good, good[:-1] + b"x", good])
    plain = packed.map(
        lambda x: io.decrypt_aes_gcm(x, key, associated_data=ASSOCIATED), num_parallel_calls=2
    )
    assert list(plain.ignore_errors()) == [PLAIN, PLAIN]

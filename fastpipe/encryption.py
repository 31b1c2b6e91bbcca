"""Kernels that decrypt: re-exported by `io`."""

from __future__ import annotations

from typing import Any

from fastpipe.tracing import call

__all__ = ["decrypt_aes_ctr", "decrypt_aes_gcm"]


def decrypt_aes_gcm(
    data: Any, key: Any, nonce: Any = None, tag: Any = None, associated_data: Any = None
) -> Any:
    """Strings decrypted with AES-GCM, which also proves that nobody has changed them.

    By default each string is what most libraries write: nonce (12 bytes), ciphertext, tag (16
    bytes). A key that is given as a literal becomes part of the pipeline's description: whoever
    gets the pipeline pickled has the key.

    Args:
        data: A string tensor of any shape.
        key: 16, 24 or 32 bytes: AES-128, AES-192 or AES-256. Like the other arguments a scalar
            string that serves all of `data`, or a string tensor of their shape.
        nonce: The initialisation vector, from 1 to 128 bytes; None if `data` begin with it.
        tag: From 12 to 16 bytes; None if `data` end with it.
        associated_data: What was authenticated together with the data; None for nothing.

    Returns:
        A string tensor of the shape of `data`.

    Raises:
        DataLossError: The tag does not match: the key, the nonce or the associated data are others,
            or the data have been changed or cut. Nothing of them is returned then.
        InvalidArgumentError: The key, the nonce or the tag have another length.

    >>> key, nonce = bytes(16), bytes(12)
    >>> data = bytes.fromhex("0388dace60b6a392f328c2b971b2fe78ab6e47d42cec13bdf53a67b21257bddf")
    >>> decrypt_aes_gcm(data, key, nonce).hex()
    '00000000000000000000000000000000'
    """
    optional = {"nonce": nonce, "tag": tag, "associated_data": associated_data}
    return call(
        "decrypt_aes_gcm",
        [data, key, *(value for value in optional.values() if value is not None)],
        **{f"has_{name}": value is not None for name, value in optional.items()},
    )


def decrypt_aes_ctr(data: Any, key: Any, counter: Any) -> Any:
    """Strings decrypted with AES in counter mode. Nothing tells whether the key was right.

    Args:
        data: A string tensor of any shape.
        key: 16, 24 or 32 bytes: AES-128, AES-192 or AES-256. Like `counter` a scalar string that
            serves all of `data`, or a string tensor of their shape. See `decrypt_aes_gcm` on keys
            as literals.
        counter: The first counter block, 16 bytes, counted up as one big-endian number.

    Returns:
        A string tensor of the shape of `data`.

    Raises:
        InvalidArgumentError: The key or the counter block have another length.

    >>> key = bytes.fromhex("2b7e151628aed2a6abf7158809cf4f3c")
    >>> counter = bytes.fromhex("f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff")
    >>> decrypt_aes_ctr(bytes.fromhex("874d6191b620e3261bef6864990db6ce"), key, counter).hex()
    '6bc1bee22e409f96e93d7e117393172a'
    """
    return call("decrypt_aes_ctr", [data, key, counter])

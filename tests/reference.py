"""The plain-Python meaning of each op: generators over lists, the oracle of the tests."""

from __future__ import annotations

import itertools
import struct
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any


def interleave(
    inners: Iterable[Iterable[Any]], cycle_length: int = 16, block_length: int = 1
) -> Iterator[Any]:
    """Blocks from `cycle_length` open inners in turn.

    An inner that ends gives up the rest of its block, and its slot is filled when the cycle comes
    back to it. Slots open only when the cycle reaches them.
    """
    inputs = iter(inners)
    slots: list[Iterator[Any] | None] = [None] * cycle_length
    turn = taken = opened = 0
    more = True
    while more or opened:
        if slots[turn] is None and more:
            try:
                slots[turn] = iter(next(inputs))
                opened += 1
            except StopIteration:
                more = False
            continue
        current = slots[turn]
        if current is not None:
            try:
                yield next(current)
                taken += 1
                if taken < block_length:
                    continue
            except StopIteration:
                slots[turn] = None
                opened -= 1
        turn, taken = (turn + 1) % cycle_length, 0


def flat_map(inners: Iterable[Iterable[Any]]) -> Iterator[Any]:
    return itertools.chain.from_iterable(inners)


def map_elements(elements: Iterable[Any], function: Callable[[Any], Any]) -> Iterator[Any]:
    return (function(element) for element in elements)


def filter_elements(elements: Iterable[Any], predicate: Callable[[Any], bool]) -> Iterator[Any]:
    return (element for element in elements if predicate(element))


def take(elements: Iterable[Any], count: int) -> Iterator[Any]:
    return itertools.islice(elements, None if count < 0 else count)


def skip(elements: Iterable[Any], count: int) -> Iterator[Any]:
    return iter(()) if count < 0 else itertools.islice(elements, count, None)


def take_while(elements: Iterable[Any], predicate: Callable[[Any], bool]) -> Iterator[Any]:
    return itertools.takewhile(predicate, elements)


def shard(elements: Iterable[Any], num_shards: int, index: int) -> Iterator[Any]:
    return itertools.islice(elements, index, None, num_shards)


def repeat(elements: Sequence[Any], count: int) -> Iterator[Any]:
    for _ in range(count):
        yield from elements


def enumerate_elements(elements: Iterable[Any], start: int = 0) -> Iterator[Any]:
    return enumerate(elements, start)


def batch(
    elements: Iterable[Any], batch_size: int, drop_remainder: bool = False
) -> Iterator[list[Any]]:
    rest = iter(elements)
    while rows := list(itertools.islice(rest, batch_size)):
        if len(rows) == batch_size or not drop_remainder:
            yield rows


def padded_batch(
    elements: Iterable[list[Any]],
    batch_size: int,
    length: int | None = None,
    value: Any = 0,
    drop_remainder: bool = False,
) -> Iterator[list[list[Any]]]:
    """Rows of one axis, each as long as `length` or as the longest of its batch."""
    for rows in batch(elements, batch_size, drop_remainder):
        longest = max(len(row) for row in rows) if length is None else length
        yield [list(row) + [value] * (longest - len(row)) for row in rows]


def unbatch(elements: Iterable[Iterable[Any]]) -> Iterator[Any]:
    return itertools.chain.from_iterable(elements)


def rebatch(
    elements: Iterable[Iterable[Any]], sizes: Sequence[int], drop_remainder: bool = False
) -> Iterator[list[Any]]:
    rows = iter(list(unbatch(elements)))
    for size in itertools.cycle(sizes):
        taken = list(itertools.islice(rows, size))
        if not taken or (len(taken) < size and drop_remainder):
            return
        yield taken


def window(
    elements: Sequence[Any],
    size: int,
    shift: int | None = None,
    stride: int = 1,
    drop_remainder: bool = False,
) -> Iterator[list[Any]]:
    """Every `stride`-th of the elements from each `shift`-th one on, `size` in a window."""
    for start in range(0, len(elements), size if shift is None else shift):
        rows = list(elements[start : start + (size - 1) * stride + 1 : stride])
        if len(rows) == size or not drop_remainder:
            yield rows


def group_by_window(
    elements: Iterable[Any],
    key: Callable[[Any], int],
    reduce: Callable[[int, list[Any]], Iterable[Any]],
    window_size: Callable[[int], int],
) -> Iterator[Any]:
    """Full groups when they fill, then the others in the order of their keys."""
    groups: dict[int, list[Any]] = {}
    for element in elements:
        name = key(element)
        groups.setdefault(name, []).append(element)
        if len(groups[name]) == window_size(name):
            yield from reduce(name, groups.pop(name))
    for name in sorted(groups):
        yield from reduce(name, groups[name])


def scan(elements: Iterable[Any], state: Any, function: Callable[[Any, Any], Any]) -> Iterator[Any]:
    for element in elements:
        state, result = function(state, element)
        yield result


def unique(elements: Iterable[Any]) -> Iterator[Any]:
    return iter(dict.fromkeys(elements))


def choose_from(
    datasets: Sequence[Iterable[Any]], choices: Iterable[int], stop_on_empty: bool = True
) -> Iterator[Any]:
    rests = [iter(elements) for elements in datasets]
    for choice in choices:
        try:
            yield next(rests[choice])
        except StopIteration:
            if stop_on_empty:
                return


# ---- the bytes of files ----


def _crc32c_table() -> list[int]:
    table = []
    for byte in range(256):
        for _ in range(8):
            byte = (byte >> 1) ^ (0x82F63B78 if byte & 1 else 0)
        table.append(byte)
    return table


_CRC32C = _crc32c_table()


def masked_crc32c(data: bytes) -> int:
    crc = 0xFFFFFFFF
    for byte in data:
        crc = _CRC32C[(crc ^ byte) & 0xFF] ^ (crc >> 8)
    crc ^= 0xFFFFFFFF
    return (((crc >> 15) | (crc << 17)) + 0xA282EAD8) & 0xFFFFFFFF


def tf_record(records: Iterable[bytes]) -> bytes:
    """A TFRecord file: length, its checksum, data, its checksum."""
    out = bytearray()
    for record in records:
        length = struct.pack("<Q", len(record))
        out += length + struct.pack("<I", masked_crc32c(length))
        out += record + struct.pack("<I", masked_crc32c(record))
    return bytes(out)


def zstd_frame(content: bytes) -> bytes:
    """A Zstandard frame that stores its content as it is, in blocks of 4 KiB, without checksum."""
    frame = b"\x28\xb5\x2f\xfd" + b"\0\x38"
    blocks = [content[i : i + 4096] for i in range(0, len(content), 4096)] or [b""]
    for number, block in enumerate(blocks):
        last = number == len(blocks) - 1
        frame += (last | len(block) << 3).to_bytes(3, "little") + block
    return frame

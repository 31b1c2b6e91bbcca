"""What one image, record or compressed file may ask for, by Options.limits."""

import gzip
import re
import zlib

import encoded
import images
import numpy as np
import pytest
import reference

import fastpipe as fp
from fastpipe.errors import InvalidArgumentError, ResourceExhaustedError

MEBI = 2**20


def limited(ds, **limits):
    return ds.with_options(fp.Options(limits=fp.LimitOptions(**limits)))


BLACK_WHITE = ((0, 0, 0), (255, 255, 255))
SQUARE = images.photograph(8, 8)
IMAGES = {
    "jpeg": (lambda: images.jpeg(SQUARE), fp.io.decode_jpeg),
    "png": (lambda: images.png(SQUARE), fp.io.decode_png),
    "gif": (
        lambda: encoded.gif([encoded.Frame(np.zeros((8, 8), np.uint8))], BLACK_WHITE, (8, 8)),
        fp.io.decode_gif,
    ),
    "bmp": (lambda: encoded.bmp(SQUARE), fp.io.decode_bmp),
    "webp": (lambda: encoded.LOSSLESS_WEBP, fp.io.decode_webp),
}


@pytest.mark.parametrize("decode", ["its own", "decode_image"])
@pytest.mark.parametrize("kind", IMAGES)
def test_an_image_of_more_pixels_than_the_limit_costs_itself(kind, decode):
    make, own = IMAGES[kind]
    function = own if decode == "its own" else fp.io.decode_image
    count = 63 if kind == "webp" else 64
    ds = fp.Dataset.from_tensors(make()).map(lambda bytes_: function(bytes_))
    assert len(list(limited(ds, image_pixels=count))) == 1
    with pytest.raises(InvalidArgumentError, match=f"more than the limit of {count - 1}"):
        list(limited(ds, image_pixels=count - 1))


def test_the_limit_holds_where_decoding_is_fused_with_a_crop_or_a_resize():
    ds = fp.Dataset.from_tensors(images.jpeg(images.photograph(16, 16)))
    resized = ds.map(lambda x: fp.image.resize(fp.io.decode_jpeg(x, channels=3), [4, 4]))
    cropped = ds.map(lambda x: fp.image.central_crop(fp.io.decode_jpeg(x, channels=3), 0.5))
    for each in (resized, cropped):
        assert len(list(limited(each, image_pixels=256))) == 1
        with pytest.raises(InvalidArgumentError, match="more than the limit of 255"):
            list(limited(each, image_pixels=255))


def test_a_progressive_jpeg_of_more_scans_than_the_limit_costs_itself():
    jpeg = images.jpeg(SQUARE, progressive=True)
    scans = jpeg.count(b"\xff\xda")
    ds = fp.Dataset.from_tensors(jpeg).map(fp.io.decode_jpeg)
    assert len(list(limited(ds, image_scans=scans))) == 1
    with pytest.raises(InvalidArgumentError, match=f"more scans than the limit of {scans - 1}"):
        list(limited(ds, image_scans=scans - 1))


def test_a_record_beyond_the_limit_costs_itself(write):
    path = write("a.tfrecord", reference.tf_record([b"a" * 10, b"b" * 11, b"c"]))
    ds = limited(fp.TFRecordDataset(path), record_bytes=10)
    place = f"record 1 of {path!r} .offset 26.*more than the limit of 10"
    iterator = iter(ds)
    assert next(iterator) == b"a" * 10
    with pytest.raises(ResourceExhaustedError, match=place):
        next(iterator)
    assert list(iterator) == [b"c"]


def test_a_few_bytes_that_stand_for_a_huge_image_are_refused():
    side = 6000
    bomb = images.png(np.zeros((side, side, 1), np.uint8))
    ds = fp.Dataset.from_tensors(bomb).map(fp.io.decode_png)
    with pytest.raises(InvalidArgumentError, match=r"6000 x 6000 pixels are more than the limit"):
        list(ds)
    (pixels,) = limited(ds, decompression_ratio=2000)
    assert pixels.shape == (side, side, 1)


@pytest.mark.parametrize("packed", [False, True])
def test_a_line_beyond_the_limit_ends_its_file(write, packed):
    # The limit is looked at where a line goes beyond what was read at once.
    text = b"short\n" + b"x" * 5000 + b"\nlost\n"
    path = write("a.txt", gzip.compress(text) if packed else text)
    ds = fp.TextLineDataset([path, write("b.txt.gz", gzip.compress(b"next\n"))], "GZIP")
    if not packed:
        ds = fp.TextLineDataset([path, write("b.txt", b"next\n")], buffer_size=100)
    iterator = iter(limited(ds, record_bytes=1000))
    assert next(iterator) == b"short"
    with pytest.raises(ResourceExhaustedError, match=r"line 2 of .*a.txt.*longer than the limit"):
        next(iterator)
    assert list(iterator) == [b"next"]


def test_a_csv_record_beyond_the_limit_is_an_error_that_asks_for_the_quote(write):
    path = write("a.csv", b'1,a\n2,"' + b"x" * 5000)
    ds = fp.CsvDataset([path], [fp.int32, fp.string], buffer_size=100)
    iterator = iter(limited(ds, record_bytes=1000))
    assert next(iterator) == (1, b"a")
    with pytest.raises(InvalidArgumentError, match=r"record 2 of .*limit of 1000 bytes.*quote"):
        next(iterator)


PACK = {"GZIP": gzip.compress, "ZLIB": zlib.compress}


@pytest.mark.parametrize("compression", PACK)
def test_a_bomb_ends_its_file_and_leaves_its_neighbours(write, compression):
    pack = PACK[compression]
    bomb = write("bomb", pack(b"\0" * (64 * MEBI)))
    good = write("good", pack(b"line\n"))
    ds = fp.TextLineDataset([good, bomb, good], compression)
    iterator = iter(ds)
    assert next(iterator) == b"line"
    with pytest.raises(ResourceExhaustedError, match=r"'.*bomb'.*1000 bytes for each byte"):
        next(iterator)
    assert list(iterator) == [b"line"]
    assert [len(line) for line in limited(ds, decompression_ratio=1100)] == [4, 64 * MEBI, 4]


def test_the_ratio_counts_from_16_mebibytes_on(write):
    path = write("zeros", gzip.compress(b"\0" * (16 * MEBI)))
    assert [len(line) for line in fp.TextLineDataset(path, "GZIP")] == [16 * MEBI]


def test_strings_in_memory_have_the_same_limit():
    bomb = gzip.compress(b"\0" * (32 * MEBI))
    ds = fp.Dataset.from_tensors(bomb).map(lambda x: fp.io.decode_compressed(x, "GZIP"))
    with pytest.raises(ResourceExhaustedError, match="cannot decompress .*more than the limit"):
        list(ds)
    assert [len(text) for text in limited(ds, decompression_ratio=1100)] == [32 * MEBI]


def test_limits_reach_functions_inside_interleave(write):
    paths = [write(str(i), reference.tf_record([b"x" * 9])) for i in range(3)]
    ds = fp.Dataset.from_tensor_slices(paths).interleave(fp.TFRecordDataset, num_parallel_calls=2)
    with pytest.raises(ResourceExhaustedError, match="more than the limit of 8"):
        list(limited(ds, record_bytes=8))


@pytest.mark.parametrize("name", ["image_pixels", "image_scans", "record_bytes"])
def test_a_limit_is_a_positive_integer(name):
    with pytest.raises(ValueError, match=re.escape(f"LimitOptions.{name} must be from 0")):
        fp.LimitOptions(**{name: -1})
    with pytest.raises(TypeError, match=f"LimitOptions.{name} must be an int or None"):
        fp.LimitOptions(**{name: 1.5})

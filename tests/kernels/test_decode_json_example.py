import numpy as np
import open_shapes
import pytest

from fastpipe import io
from fastpipe.errors import InvalidArgumentError


def example(feature):
    return f'{{"features":{{"feature":{{"a":{feature}}}}}}}'


# What TensorFlow makes of them.
DECODED = [
    ("{}", b""),
    (" {\n} ", b""),
    ('{"features":null}', b""),
    ('{"features":{}}', b"\n\x00"),
    ('{"features":{"feature":null}}', b"\n\x00"),
    (example("null"), b"\n\x05\n\x03\n\x01a"),
    (example("{}"), b"\n\x07\n\x05\n\x01a\x12\x00"),
    (example('{"int64List":null}'), b"\n\x07\n\x05\n\x01a\x12\x00"),
    (example('{"int64List":{}}'), b"\n\t\n\x07\n\x01a\x12\x02\x1a\x00"),
    (example('{"int64_list":{"value":["1"]}}'), b"\n\x0b\n\t\n\x01a\x12\x04\x1a\x02\x08\x01"),
    (
        example(
            '{"int64List":{"value":[1.0,"2.0",1e3,"-5","9223372036854775807",-9223372036854775808]}}'
        ),
        b"\n0\n.\n\x01a\x12)\x1a'\x08\x01\x08\x02\x08\xe8\x07\x08\xfb\xff\xff\xff\xff\xff\xff\xff\xff"
        b"\x01\x08\xff\xff\xff\xff\xff\xff\xff\xff\x7f\x08\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01",
    ),
    (
        example('{"floatList":{"value":[1e38, 0.1]}}'),
        b"\n\x13\n\x11\n\x01a\x12\x0c\x12\n\r\x99v\x96~\r\xcd\xcc\xcc=",
    ),
    (
        example('{"bytesList":{"value":["YQ==","YQ","-_8=","+/8=",""]}}'),
        b"\n\x19\n\x17\n\x01a\x12\x12\n\x10\n\x01a\n\x01a\n\x02\xfb\xff\n\x02\xfb\xff\n\x00",
    ),
    (
        '{"features":{"feature":{"\\u00e9\\n\\ud83d\\ude00":{}}}}',
        b"\n\r\n\x0b\n\x07\xc3\xa9\n\xf0\x9f\x98\x80\x12\x00",
    ),
    (
        '{"features":{"feature":{"\\u0041\\u20ac\\u0fff":{}}}}',
        b"\n\r\n\x0b\n\x07A\xe2\x82\xac\xe0\xbf\xbf\x12\x00",
    ),
    (example('{"int64List":{"value":1}}'), b"\n\x0b\n\t\n\x01a\x12\x04\x1a\x02\x08\x01"),
    (example('{"int64List":{"value":null}}'), b"\n\t\n\x07\n\x01a\x12\x02\x1a\x00"),
    (example('{"int64List":{"value":[]}}'), b"\n\t\n\x07\n\x01a\x12\x02\x1a\x00"),
    (
        '{"features":{"feature":{"b":{},"a":{}}}}',
        b"\n\x0e\n\x05\n\x01b\x12\x00\n\x05\n\x01a\x12\x00",
    ),
]


@pytest.mark.parametrize(("text", "expected"), DECODED)
def test_messages_are_those_of_tensorflow(text, expected):
    open_shapes.check(io.decode_json_example, [text.encode()], expected)


def test_any_shape():
    texts = np.array([["{}"], ['{"features":{}}']], object)
    assert io.decode_json_example(texts).tolist() == [[b""], [b"\n\x00"]]


def test_floats_that_are_no_numbers():
    text = example('{"floatList":{"value":["NaN","Infinity","-Infinity","1.5"]}}')
    feature = {"a": io.FixedLenFeature([4], "float32")}
    parsed = io.parse_single_example(io.decode_json_example(text), feature)["a"]
    np.testing.assert_array_equal(parsed, np.float32([np.nan, np.inf, -np.inf, 1.5]))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "expected '{' at byte 0 of 0"),
        ("{", "expected a string at byte 1"),
        ("[]", "expected '{' at byte 0"),
        ("{} x", "nothing may follow the object at byte 3"),
        ('{"x":1}', "there is no field 'x'"),
        ('{"features":{"x":1}}', "there is no field 'x'"),
        (example('{"x":1}'), "there is no field 'x'"),
        (example('{"int64List":{"value":["x"]}}'), "expected a value of int64List at byte 51"),
        (example('{"int64List":{"value":[1.5]}}'), "expected a value of int64List"),
        (example('{"int64List":{"value":[9223372036854775808]}}'), "a value of int64List"),
        (example('{"int64List":{"value":[01]}}'), "a value of int64List"),
        (example('{"int64List":{"value":[true]}}'), "a value of int64List"),
        (example('{"int64List":{"value":[" 1"]}}'), "a value of int64List"),
        (example('{"int64List":{"value":[""]}}'), "a value of int64List"),
        (example('{"int64List":{"value":[-]}}'), "a value of int64List"),
        (example('{"int64List":{"value":[-.5]}}'), "a value of int64List"),
        (example('{"int64List":{"value":[1e17]}}'), "a value of int64List"),
        (example('{"int64List":{"value":{}}}'), "a value of int64List"),
        (example('{"int64List":{"value":[1 2]}}'), "expected ',' or ']'"),
        (example('{"floatList":{"value":[""]}}'), "a value of floatList"),
        (example('{"floatList":{"value":[" 1"]}}'), "a value of floatList"),
        (example('{"floatList":{"value":["x"]}}'), "a value of floatList"),
        (example('{"floatList":{"value":[1e39]}}'), "a value of floatList"),
        (example('{"bytesList":{"value":["Y"]}}'), "a value of bytesList"),
        (example('{"bytesList":{"value":["Y Q"]}}'), "a value of bytesList"),
        (example('{"bytesList":{"value":["a~aa"]}}'), "a value of bytesList"),
        (example('{"bytesList":{"value":[1]}}'), "a value of bytesList"),
        (example('{"int64List":{},"floatList":{}}'), "a feature holds one list"),
        ('{"features":{"feature":{"\\ud83d":{}}}}', "half a surrogate pair"),
        ('{"features":{"feature":{"\\ud83d\\u0041":{}}}}', "half a surrogate pair"),
        ('{"features":{"feature":{"\\ud83d\\ue000":{}}}}', "half a surrogate pair"),
        ('{"features":{"feature":{"\\udc00":{}}}}', "half a surrogate pair"),
        ('{"features":{"feature":{"\\x":{}}}}', "there is no such escape"),
        ('{"features":{"feature":{"\\u12":{}}}}', "expected four hex digits"),
        ('{"fea', "a string does not end"),
    ],
)
def test_other_texts(text, message):
    with pytest.raises(InvalidArgumentError, match=f"as JSON, got .*{message}"):
        io.decode_json_example(text)
    with pytest.raises(InvalidArgumentError, match="string 1: "):
        io.decode_json_example(np.array(["{}", text], object))


def test_damaged_text_gives_a_value_or_an_error():
    for text, _ in DECODED:
        for place in range(len(text)):
            for changed in (text[:place], text[:place] + "\0" + text[place + 1 :], text[place:]):
                try:
                    io.decode_json_example(changed)
                except InvalidArgumentError:
                    pass

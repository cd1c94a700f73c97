"""Values that JSON lacks travel as the server writes them."""

import collections
import datetime
import decimal
import enum
import json
import math
import unittest

from selfmade._values import NotCarried, decode, encode

Point = collections.namedtuple("Point", "x y")
UTC = datetime.timezone.utc

TRAVEL = [
    None,
    True,
    0,
    -(2**63),
    2**63,
    -(2**200),
    1.5,
    float("inf"),
    float("-inf"),
    "é\n\u0000",
    b"\x00\xff",
    [],
    {},
    [[1], {"a": [None]}],
    (1, (2, "x")),
    {1, 2},
    frozenset({"a"}),
    {1: "one", (2, 3): "pair", None: 0},
    {"$tuple": [1]},
    {"$unknown": 1},
    datetime.datetime(2026, 1, 31, 9, 0, 0, 123456),
    datetime.datetime(2026, 1, 31, 9, 0, tzinfo=UTC),
    datetime.date(2026, 1, 31),
    datetime.time(9, 30),
    datetime.timedelta(days=-1, microseconds=5),
    decimal.Decimal("1.50"),
]


class Travelling(unittest.TestCase):
    def test_a_value_comes_back_as_it_was(self):
        for value in TRAVEL:
            with self.subTest(value=value):
                back = decode(json.loads(json.dumps(encode(value), allow_nan=False)))
                self.assertEqual(back, value)
                self.assertIs(type(back), type(value))

    def test_not_a_number_comes_back_too(self):
        self.assertTrue(math.isnan(decode(encode(float("nan")))))

    def test_the_written_form_is_the_one_of_the_server(self):
        self.assertEqual(encode(b"hi"), {"$bytes": "aGk="})
        self.assertEqual(encode((1, 2)), {"$tuple": [1, 2]})
        self.assertEqual(encode(2**64), {"$int": "0x10000000000000000"})
        self.assertEqual(encode(float("-inf")), {"$float": "-inf"})
        self.assertEqual(encode({1: 2}), {"$dict": [[1, 2]]})
        self.assertEqual(encode(datetime.timedelta(days=1, seconds=2)), {"$timedelta": [1, 2, 0]})

    def test_what_extends_a_plain_type_travels_as_that(self):
        class Colour(str, enum.Enum):
            RED = "red"

        class Level(enum.IntEnum):
            LOW = 1

        self.assertEqual(encode(Colour.RED), "red")
        self.assertEqual(encode(Level.LOW), 1)
        self.assertIs(type(encode(Level.LOW)), int)
        self.assertEqual(encode(Point(1, 2)), {"$tuple": [1, 2]})
        self.assertEqual(encode(collections.OrderedDict(a=1)), {"a": 1})
        self.assertEqual(encode(bytearray(b"hi")), {"$bytes": "aGk="})

    def test_what_cannot_travel_is_named_with_its_place(self):
        with self.assertRaisesRegex(NotCarried, r"`items`\[1\]\['fn'\] is a `function`"):
            encode([0, {"fn": lambda: 0}], "`items`")

    def test_a_list_that_contains_itself_is_refused(self):
        circle: list = []
        circle.append(circle)
        with self.assertRaisesRegex(NotCarried, "nested more than"):
            encode(circle)

    def test_a_value_that_was_only_described_is_its_description(self):
        self.assertEqual(decode({"$described": {"type": "socket", "text": "<socket>"}}), "<socket>")

    def test_universal_time_is_read_however_it_is_written(self):
        self.assertEqual(decode({"$datetime": "2026-01-31T09:00:00Z"}), datetime.datetime(2026, 1, 31, 9, tzinfo=UTC))


if __name__ == "__main__":
    unittest.main()

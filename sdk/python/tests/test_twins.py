"""The blocking client is the twin of the asynchronous one."""

import importlib.util
import inspect
import pathlib
import unittest

from selfmade.client import AsyncClient, Client

SCRIPT = pathlib.Path(__file__).parent.parent / "twins.py"


def script():
    spec = importlib.util.spec_from_file_location("twins", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Twins(unittest.TestCase):
    def test_the_blocking_client_is_as_the_script_makes_it(self):
        self.assertEqual(script().wrong(), [], "run `python twins.py` in sdk/python")

    def test_both_offer_the_same(self):
        blocking, awaited = Client("http://localhost:1"), AsyncClient("http://localhost:1")
        self.assertEqual(public(blocking), public(awaited))
        for noun in public(blocking):
            one, other = (inspect.getattr_static(client, noun) for client in (blocking, awaited))
            if not callable(one) and not isinstance(one, property):
                with self.subTest(noun):
                    self.assertEqual(public(one), public(other))


def public(thing):
    return {name for name in dir(thing) if not name.startswith("_")}


if __name__ == "__main__":
    unittest.main()

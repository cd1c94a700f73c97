"""The line that says what takes time."""

import io
import threading
import unittest
import unittest.mock

from selfmade import _preparing


class Heard(io.StringIO):
    """Knows when something was written."""

    def __init__(self) -> None:
        super().__init__()
        self.written = threading.Event()

    def write(self, text: str) -> int:
        count = super().write(text)
        self.written.set()
        return count


class TestSaying(unittest.TestCase):
    def heard(self, *, shown: bool, moment: float) -> Heard:
        heard = Heard()
        with (
            unittest.mock.patch.object(_preparing, "is_shown", return_value=shown),
            unittest.mock.patch.object(_preparing, "_MOMENT_SECONDS", moment),
            unittest.mock.patch("sys.stderr", heard),
            _preparing.saying("thinking"),
        ):
            if shown and moment == 0:
                self.assertTrue(heard.written.wait(10))
        return heard

    def test_what_is_slow_is_said_and_taken_away_again(self) -> None:
        said = "selfmade: thinking"
        self.assertEqual(self.heard(shown=True, moment=0).getvalue(), f"\r{said}\r{' ' * len(said)}\r")

    def test_what_is_quick_is_not_said(self) -> None:
        self.assertEqual(self.heard(shown=True, moment=1000).getvalue(), "")

    def test_where_nobody_reads_nothing_is_said(self) -> None:
        self.assertEqual(self.heard(shown=False, moment=0).getvalue(), "")


if __name__ == "__main__":
    unittest.main()

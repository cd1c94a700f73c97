"""What `python -m selfmade.babyagi` says of itself."""

import subprocess
import sys
import unittest


def said(*arguments):
    return subprocess.run([sys.executable, "-m", "selfmade.babyagi", *arguments], capture_output=True, text=True)


class Usage(unittest.TestCase):
    def test_help_is_no_script(self):
        shown = said("--help")
        self.assertEqual((shown.returncode, shown.stderr), (0, ""))
        self.assertTrue(shown.stdout.startswith("usage: python -m selfmade.babyagi SCRIPT"), shown.stdout)

    def test_a_script_that_is_not_there_is_no_traceback(self):
        shown = said("nowhere.py")
        self.assertEqual((shown.returncode, shown.stderr.splitlines()[0]), (1, "`nowhere.py` is not a file"))


if __name__ == "__main__":
    unittest.main()

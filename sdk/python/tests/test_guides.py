"""What the guides show works as it is written there."""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import real

PACKAGE = pathlib.Path(__file__).parent.parent
GUIDE = PACKAGE.parent.parent / "docs" / "python.md"
PROJECTS = PACKAGE.parent.parent / "docs" / "projects.md"


def programs(path):
    return re.findall(r"```python\n(.*?)```", path.read_text(encoding="utf-8"), re.DOTALL)


@real.needs_server
class Guides(unittest.TestCase):
    def run_here(self, text):
        """As a program of its own, with a brain that only these tests use."""
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "program.py"
            path.write_text(text, encoding="utf-8")
            environment = {**os.environ, "SELFMADE_HOME": str(pathlib.Path(real.HOME) / "guides")}
            done = subprocess.run([sys.executable, str(path)], env=environment, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_the_first_program_of_each_guide(self):
        for path in (PACKAGE / "README.md", GUIDE):
            with self.subTest(path.name):
                told = self.run_here(
                    programs(path)[0] + '\nprint(greet("Bob"), len(selfmade.runs.list("greet").all()) > 1)\n'
                )
                self.assertEqual(told, "Hello, Bob! True\n")

    def test_the_tour_of_the_server(self):
        first, tour, *_ = programs(GUIDE)
        shout = "\n@selfmade.function\ndef shout(text: str) -> str:\n    return text.upper()\n\nshout('a')\n"
        given = (
            f"run_id = selfmade.runs.list('greet').first()[0].id\nimport os; os.chdir({str(PACKAGE.parent.parent)!r})\n"
        )
        self.run_here(first + shout + given + tour + "    break\n")

    @unittest.skipUnless(os.environ.get("SELFMADE_TEST_PACKAGES"), "it downloads pandas; set SELFMADE_TEST_PACKAGES")
    def test_the_project_that_cleans_a_table(self):
        example = PACKAGE.parent.parent / "docs" / "examples" / "1_clean_table.py"
        printed = re.search(r"```text\n(.*?)```", PROJECTS.read_text(encoding="utf-8"), re.DOTALL)[1]
        self.assertEqual(self.run_here(example.read_text(encoding="utf-8")), printed)


if __name__ == "__main__":
    unittest.main()

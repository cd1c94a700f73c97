"""Holds `docs/packs.md` to the packs: every function has its row, with its description and grants, and no other has one."""

import pathlib
import re
import unittest

import pack_files

PAGE = pathlib.Path(__file__).parents[2] / "docs/packs.md"


def row(function):
    arguments = function.definition.args
    optional = len(arguments.args) - len(arguments.defaults)
    names = [argument.arg for argument in arguments.args]
    shown = ", ".join([*names[:optional], *(f"{name}=" for name in names[optional:])])
    described = function.definition.body[0].value.value.splitlines()[0]
    return f"| `{function.name}({shown})` | {described} | {grants(function.declared)} |"


def grants(declared):
    hosts = declared.get("network", [])
    words = ["the public web"] if len(hosts) > 8 else [f"`{host}`" for host in hosts]
    words += [f"secret `{name}`" for name in declared.get("secrets", [])]
    if declared.get("model"):
        words.append("model")
    if "brain" in declared:
        words.append(f"brain: {declared['brain']}")
    if declared.get("files"):
        words.append("files")
    if "storage" in declared:
        words.append(f"storage: {declared['storage']}")
    return ", ".join(words)


def part(pack):
    """The lines of the page about a pack."""
    return PAGE.read_text(encoding="utf-8").partition(f"\n## {pack}\n")[2].partition("\n## ")[0].splitlines()


class Page(unittest.TestCase):
    maxDiff = None

    def test_every_function_has_its_row(self):
        for pack in pack_files.packs():
            rows = [row(function) for function in pack_files.functions() if function.pack == pack]
            listed = [line for line in part(pack) if line.startswith("| `")]
            with self.subTest(pack):
                self.assertEqual(sorted(listed), sorted(rows))

    def test_it_counts_them(self):
        self.assertIn(f"\n{len(pack_files.functions())} functions to start with, in ", PAGE.read_text(encoding="utf-8"))

    def test_every_pack_has_an_example_of_a_function_it_has(self):
        for pack in pack_files.packs():
            names = {function.name for function in pack_files.functions() if function.pack == pack}
            examples = "\n".join(re.findall(r"```(?:sh|python)\n(.*?)```", "\n".join(part(pack)), re.DOTALL))
            with self.subTest(pack):
                self.assertTrue(names & set(re.findall(r"\w+", examples)), "there is no example of it")


if __name__ == "__main__":
    unittest.main()

"""Reads the packs the way the server does: without running them, each function alone with the imports of its file."""

import ast
import copy
import functools
import pathlib
from typing import Any, NamedTuple

ROOT = pathlib.Path(__file__).parent.parent


class Function(NamedTuple):
    pack: str
    file: pathlib.Path
    definition: ast.FunctionDef | ast.AsyncFunctionDef
    declared: dict[str, Any]
    imports: list[ast.stmt]

    @property
    def name(self):
        return self.definition.name

    def called(self):
        """The names of functions in it; whoever knows all functions knows which of them are dependencies."""
        nodes = list(ast.walk(self.definition))
        own = {node.arg for node in nodes if isinstance(node, ast.arg)}
        own |= {node.name for node in nodes if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))}
        own |= {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
        return {node.id for node in nodes if isinstance(node, ast.Name)} - own - {self.name}

    def alone(self, scope):
        """What the server stores, executed: the definition without its decorator, and the imports of its file."""
        bare = copy.copy(self.definition)
        bare.decorator_list = []
        exec(compile(ast.Module([*self.imports, bare], []), str(self.file), "exec"), scope)
        return scope[self.name]


def packs():
    """The files of each pack: one, or those of a folder."""
    found = {path.stem: [path] for path in ROOT.glob("*.py")}
    for folder in ROOT.iterdir():
        files = sorted(folder.glob("*.py"))
        if files and folder.name != "tests":
            found[folder.name] = files
    return found


@functools.cache
def functions():
    return [
        function
        for pack, files in sorted(packs().items())
        for file in files
        for function in of_file(pack, file)
    ]


def of_file(pack, file):
    tree = ast.parse(file.read_text(encoding="utf-8"))
    imports = [node for node in tree.body if isinstance(node, (ast.Import, ast.ImportFrom))]
    for node in tree.body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            (decorator,) = node.decorator_list
            # That these are literals is what lets the server read them.
            declared = {keyword.arg: ast.literal_eval(keyword.value) for keyword in decorator.keywords}
            yield Function(pack, file, node, declared, imports)

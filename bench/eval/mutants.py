"""Wrong versions of right functions: one edit each, chosen so that they do something else."""

import ast
import copy

COMPARE = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip
ARITHMETIC = {ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add, ast.Div: ast.Mult, ast.FloorDiv: ast.Div, ast.Mod: ast.FloorDiv}


def edits(node):
    """What may become of a node."""
    if isinstance(node, ast.Compare) and type(node.ops[0]) in COMPARE:
        yield ast.Compare(node.left, [COMPARE[type(node.ops[0])](), *node.ops[1:]], node.comparators)
    if isinstance(node, ast.BinOp) and type(node.op) in ARITHMETIC:
        yield ast.BinOp(node.left, ARITHMETIC[type(node.op)](), node.right)
    if isinstance(node, ast.BoolOp):
        yield ast.BoolOp(ast.Or() if isinstance(node.op, ast.And) else ast.And(), node.values)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield node.operand
    if isinstance(node, ast.Constant) and type(node.value) is int:
        yield ast.Constant(node.value + 1)
        yield ast.Constant(node.value - 1)
    if isinstance(node, ast.Constant) and type(node.value) is bool:
        yield ast.Constant(not node.value)
    if isinstance(node, ast.IfExp):
        yield ast.IfExp(node.test, node.orelse, node.body)
    if isinstance(node, ast.If):
        yield ast.If(ast.UnaryOp(ast.Not(), node.test), node.body, node.orelse)


class Replace(ast.NodeTransformer):
    def __init__(self, place, edited):
        self.place, self.edited, self.count = place, edited, -1

    def visit(self, node):
        self.count += 1
        return self.edited if self.count == self.place else self.generic_visit(node)


def mutants(task, most=12):
    """Sources that differ in one place and in what they return, those that differ least first."""
    tree = ast.parse(task.source)
    wanted = task.outcomes()
    found, seen = [], {ast.unparse(tree)}
    order = Replace(-1, None)
    places = []
    # The same order as the transformer's.
    walk = ast.NodeTransformer()

    def number(node):
        order.count += 1
        places.append((order.count, node))
        return ast.NodeTransformer.generic_visit(walk, node)

    walk.visit = number
    walk.visit(copy.deepcopy(tree))
    for place, node in places:
        for edited in edits(node):
            source = ast.unparse(ast.fix_missing_locations(Replace(place, edited).visit(copy.deepcopy(tree))))
            if source in seen or len(seen) > 40:
                continue
            seen.add(source)
            got = task.outcomes(source)
            differ = sum(one != other for one, other in zip(got, wanted))
            # One that hangs is noticed by everybody.
            if 0 < differ and "!TooLong" not in got and not all(one.startswith("!") for one in got):
                found.append((differ, source))
    found.sort()
    # Those that are hardest to notice, and some others.
    step = max(1, len(found) // most)
    return [source for _, source in found[::step][:most]]

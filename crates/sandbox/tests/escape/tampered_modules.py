# must: broke_protocol
def f(outside):
    """The program in the cell is at the mercy of what it runs. Nobody outside relies on it."""
    import sys

    sys.modules["_cell_cell"].to_json = lambda message: '{"end":{"returned":"owned","root":true}}'
    return "contained"

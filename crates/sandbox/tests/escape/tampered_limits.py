# must: timed_out Cpu
# limits: cpu_ms=300 wall_ms=15000
def f(outside):
    """Forgetting the limits inside does not lift them."""
    import resource
    import sys

    resource.setrlimit = resource.getrusage = sys.modules["_cell_cell"]._limit = lambda *_: None
    sys.modules["_cell_cell"]._send_position = None
    while True:
        pass

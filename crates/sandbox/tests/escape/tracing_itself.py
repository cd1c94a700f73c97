# must: returned "contained"
def f(outside):
    """Code that runs at every line and call, ours included."""
    import sys
    import threading

    seen = []

    def watch(frame, event, argument):
        seen.append(frame.f_code.co_filename)
        frame.f_trace_opcodes = True
        return watch

    sys.settrace(watch)
    sys.setprofile(watch)
    threading.settrace(watch)
    return "contained"

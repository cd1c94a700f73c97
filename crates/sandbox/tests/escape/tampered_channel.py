# must: broke_protocol
def f(outside):
    import gc
    import sys

    kind = sys.modules["_cell_frames"].Channel
    for channel in [one for one in gc.get_objects() if type(one) is kind]:
        channel.send_text = lambda text: channel._sock.sendall(b"\x7f" + text.encode())
    return "contained"

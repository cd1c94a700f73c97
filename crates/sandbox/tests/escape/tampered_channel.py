# must: broke_protocol
def f(outside):
    import selfmade

    channel = selfmade._verbs.channel
    channel.send_text = lambda text: channel.sock.sendall(b"\x7f" + text.encode())
    return "contained"

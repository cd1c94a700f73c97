# must: timed_out Wall
# limits: wall_ms=300
def f(outside):
    """Asked where it stands, it does not stop talking."""
    import os
    import signal

    body = b'{"calls":{"begun":[],"finished":[]}}'
    frames = (len(body).to_bytes(4, "big") + body) * 2000

    def talk(number, frame):
        while True:
            os.write(4, frames)

    signal.signal(signal.SIGUSR1, talk)
    while True:
        signal.pause()

"""Measures plain `os.fork` of a warm interpreter that answers a call over a socket pair, without any sandbox.

Run with the number of calls. Prints one line `RESULT {json}` with nanoseconds of each call, forked for the call and forked
ahead of it, and with calls a second of the former, from one to the next.
"""

import collections, contextlib, datetime, decimal, enum, functools, itertools, math, random, re, string, textwrap, typing  # noqa: E401, F401
import gc
import json
import os
import signal
import socket
import sys
import time

JOB = {
    "source": "def f(x, y=2):\n    import math\n    return {'sum': x + y, 'root': math.sqrt(x)}",
    "input": {"x": 16},
}


def child(sock):
    sock.send(b"!")
    job = json.loads(sock.recv(1 << 16))
    space = {}
    exec(compile(job["source"], "f@1", "exec"), space)
    sock.send(json.dumps({"returned": space["f"](**job["input"])}).encode())
    signal.pause()


def forked():
    ours, theirs = socket.socketpair()
    pid = os.fork()
    if pid == 0:
        child(theirs)
    theirs.close()
    return ours, pid


def call(sock):
    sock.send(json.dumps(JOB).encode())
    return json.loads(sock.recv(1 << 16))


def bury(sock, pid):
    sock.close()
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)


def for_the_call():
    begun = time.perf_counter_ns()
    sock, pid = forked()
    sock.recv(1)
    call(sock)
    took = time.perf_counter_ns() - begun
    bury(sock, pid)
    return took


def ahead_of_it():
    sock, pid = forked()
    sock.recv(1)
    begun = time.perf_counter_ns()
    call(sock)
    took = time.perf_counter_ns() - begun
    bury(sock, pid)
    return took


gc.collect()
gc.freeze()
gc.disable()
count = int(sys.argv[1])
begun = time.perf_counter()
result = {"for_the_call": [for_the_call() for _ in range(count)]}
result["a_second"] = count / (time.perf_counter() - begun)
result["ahead_of_it"] = [ahead_of_it() for _ in range(count)]
print("RESULT", json.dumps(result))

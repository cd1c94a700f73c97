"""How long each step of making a cell takes, by the clock on the wall and in processor time, for measurements."""

from time import perf_counter_ns, process_time_ns


class Stopwatch:
    def __init__(self):
        self.laps = []
        self._last = perf_counter_ns()
        self._last_used = process_time_ns()

    def lap(self, step):
        now, used = perf_counter_ns(), process_time_ns()
        # A forked process has used nothing yet.
        self.laps.append((step, now - self._last, used - min(self._last_used, used)))
        self._last, self._last_used = perf_counter_ns(), process_time_ns()


class NoStopwatch:
    """What everybody has who did not ask for one."""

    laps = ()

    def lap(self, step):
        pass

"""Exceptions as data: type, message, traceback of the function's own lines, and what caused them."""

import linecache
import traceback
import types

import _cell_reach
from _cell_values import type_name

MAX_MESSAGE = 8_000
MAX_TRACEBACK = 32_000
MAX_CHAIN = 8


def show_source(file, source, above=0):
    """Lets tracebacks show the stored lines below the first so many, which are cut when the first of them does."""
    linecache.cache[file] = (lambda: source.split("\n", above)[-1],)


def as_data(error):
    """Always answers: an exception can lie about all it is made of, and fail whoever looks."""
    try:
        return _as_data(error)
    except BaseException as second:
        told = f"<it could not be told: {type_name(type(second))}>"
        return {"type": type_name(type(error)), "message": told, "traceback": told + "\n", "cause": None}


def _as_data(error):
    for one in _chain(error):
        one.__traceback__ = _without_ours(one.__traceback__)
    data = None
    for one in reversed(_chain(error)):
        data = {"type": type_name(type(one)), "message": message(one), "traceback": "", "cause": data}
    data["traceback"] = _cut(_formatted(error), MAX_TRACEBACK)
    if host := _cell_reach.host(_chain(error)):
        data["host"] = host
    return data


def message(error):
    """`str(error)` runs the function author's code, which may itself fail."""
    try:
        text = str(error)
    except BaseException as second:
        text = f"<its message could not be made: {type_name(type(second))}>"
    return _cut(text if type(text) is str else "", MAX_MESSAGE)


def where(frame):
    """Where the code stands now, as lines of a traceback."""
    lines = traceback.StackSummary.extract((f, n) for f, n in _walk(frame) if not _is_ours(f))
    lines.reverse()
    return _cut("".join(lines.format()), MAX_TRACEBACK)


def _walk(frame):
    # What is below the zygote's loop is not of the function's making.
    while frame is not None and frame.f_code.co_filename != "<_cell_zygote>":
        yield frame, frame.f_lineno
        frame = frame.f_back


def _chain(error):
    chain = []
    while error is not None and not any(one is error for one in chain) and len(chain) < MAX_CHAIN:
        chain.append(error)
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    return chain


def _formatted(error):
    try:
        return "".join(traceback.format_exception(type(error), error, error.__traceback__))
    except BaseException as second:
        return f"<its traceback could not be made: {type_name(type(second))}>\n"


def _without_ours(tb):
    kept = []
    while tb is not None:
        if not _is_ours(tb.tb_frame):
            kept.append(tb)
        tb = tb.tb_next
    result = None
    for one in reversed(kept):
        result = types.TracebackType(result, one.tb_frame, one.tb_lasti, one.tb_lineno)
    return result


def _is_ours(frame):
    return frame.f_code.co_filename.startswith("<_cell_")


def _cut(text, limit):
    # The end of a traceback says most, so the middle goes.
    if len(text) > limit:
        text = f"{text[: limit // 2]}\n… {len(text) - limit} characters left out …\n{text[-limit // 2 :]}"
    return text.encode("utf-8", "backslashreplace").decode("utf-8")

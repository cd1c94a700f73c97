"""The version numbers of dicts: see PEP 509."""

import ctypes

# Where a dict has it.
_PLACE = 24
_BYTES = 8


class _Buffer(ctypes.Structure):
    """What C calls `Py_buffer`."""

    _fields_ = [
        ("buf", ctypes.c_void_p),
        ("obj", ctypes.c_void_p),
        ("len", ctypes.c_ssize_t),
        ("itemsize", ctypes.c_ssize_t),
        ("readonly", ctypes.c_int),
        ("ndim", ctypes.c_int),
        ("format", ctypes.c_char_p),
        ("shape", ctypes.c_void_p),
        ("strides", ctypes.c_void_p),
        ("suboffsets", ctypes.c_void_p),
        ("internal", ctypes.c_void_p),
    ]


_view_of = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.POINTER(_Buffer))(("PyMemoryView_FromBuffer", ctypes.pythonapi))
_Size = ctypes.c_ssize_t * 1


class Tags:
    """Those of many dicts, read at once: a view of memory can follow a pointer for each of its items, and copies them faster than
    anything else that the interpreter has."""

    def __init__(self, dicts):
        count = len(dicts)
        # The view follows these for as long as it is there.
        self._dicts, self._format = list(dicts), ctypes.c_char_p(b"Q")
        self._pointers = (ctypes.c_void_p * count)(*map(id, dicts))
        shape, strides, suboffsets = _Size(count), _Size(_BYTES), _Size(_PLACE)
        arrays = map(ctypes.addressof, (shape, strides, suboffsets))
        start = ctypes.addressof(self._pointers)
        # It keeps a copy of the arrays.
        view = _view_of(_Buffer(start, None, count * _BYTES, _BYTES, 1, 1, self._format, *arrays, None))
        self.read = view.tobytes

"""Which host the function wanted last, for the message that says what it would need to reach it."""

import _socket

# Where there is no way out, addresses fail with these: EACCES, ENETUNREACH, EHOSTUNREACH, and ECONNREFUSED where only loopback is up.
_UNREACHABLE = (13, 101, 113, 111)
_MOST = 253
_look_up = _socket.getaddrinfo
_wanted = [None]
_errno, _file = OSError.errno.__get__, OSError.filename.__get__


def getaddrinfo(host, *rest, **named):
    _wanted[0] = host
    return _look_up(host, *rest, **named)


def install():
    _socket.getaddrinfo = getaddrinfo


def forget():
    _wanted[0] = None


def host(chain):
    """The host, if one of these errors says that it was not reached."""
    host = _wanted[0]
    if type(host) is bytes:
        host = host.decode("ascii", "replace")
    if type(host) is not str or not 0 < len(host) <= _MOST or not any(map(_is_unreachable, chain)):
        return None
    return host


def _is_unreachable(error):
    if not issubclass(type(error), OSError):
        return False
    return issubclass(type(error), _socket.gaierror) or (_errno(error) in _UNREACHABLE and _file(error) is None)

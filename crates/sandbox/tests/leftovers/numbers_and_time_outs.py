# cell: kept
import locale, socket, sys

def plant():
    locale.setlocale(locale.LC_ALL, "C.UTF-8")
    socket.setdefaulttimeout(0.001)
    if hasattr(sys, "set_int_max_str_digits"):
        sys.set_int_max_str_digits(0)

def probe():
    return [locale.setlocale(locale.LC_ALL), socket.getdefaulttimeout(), len(str(10**100))]

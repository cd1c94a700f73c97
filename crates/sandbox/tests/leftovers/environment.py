# cell: kept
import os, time

os.environ["SET_WHILE_LOADED"] = "stays"

def plant():
    os.environ["PLANTED"] = "x"
    os.environ["HOME"] = "/nowhere"
    os.environ["TZ"] = "Asia/Tokyo"
    del os.environ["SET_WHILE_LOADED"]
    time.tzset()

def probe():
    return [dict(os.environ), os.getenv("PLANTED"), time.strftime("%H", time.localtime(0))]

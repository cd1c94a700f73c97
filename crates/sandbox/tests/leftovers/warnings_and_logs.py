# cell: kept
import logging, warnings

def plant():
    warnings.simplefilter("error")
    logging.basicConfig(format="another run: %(message)s", level=logging.DEBUG)
    logging.disable(logging.ERROR)

def probe():
    warnings.warn("careful")
    logging.error("wrong")
    return [logging.root.level, len(logging.root.handlers), len(warnings.filters)]

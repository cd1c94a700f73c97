# cell: kept
import contextvars, decimal

decimal.getcontext().prec = 9
variable = contextvars.ContextVar("variable", default="as it was")

def plant():
    decimal.getcontext().prec = 3
    variable.set("what another run set")

def probe():
    return [str(decimal.Decimal(1) / 3), variable.get()]

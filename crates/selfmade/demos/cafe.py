"""A café that fits on one page: what `selfmade serve --demo` fills a new brain with.

Its functions call each other, carry tests, and one of them fails when it is asked for what there is not: enough to look at
everything selfmade shows. Nothing in it needs the network or a secret.
"""

import difflib

import selfmade


@selfmade.function(
    tests=[{"input": {}, "expect": {"schema": {"type": "object", "required": ["coffee", "cake"]}}}],
)
def menu() -> dict[str, float]:
    """What the café sells, and what it costs."""
    return {"coffee": 3.2, "tea": 2.8, "cake": 4.5, "sandwich": 6.9}


@selfmade.function(
    tests=[
        {"input": {"item": "coffee"}, "expect": {"output": 3.2}},
        {"name": "capitals do not matter", "input": {"item": "Cake"}, "expect": {"output": 4.5}},
        {
            "name": "what is nearly there is suggested",
            "input": {"item": "coffe"},
            "expect": {"error": {"message": "did you mean coffee"}},
        },
        {
            "name": "what is not there",
            "input": {"item": "pizza"},
            "expect": {"error": {"type": "ValueError", "message": "not on the menu"}},
        },
    ],
)
def price(item: str) -> float:
    """What one thing costs.

    Args:
        item: The name of it, as on the menu.
    """
    prices = menu()
    name = item.strip().lower()
    if name in prices:
        return prices[name]
    near = difflib.get_close_matches(name, prices, n=1)
    hint = f"; did you mean {near[0]}?" if near else ""
    raise ValueError(f"{item} is not on the menu{hint}")


@selfmade.function(
    tests=[
        {
            "input": {"item": "tea", "count": 2},
            "expect": {"output": {"item": "tea", "count": 2, "sum": 5.6}},
        },
        {
            "name": "less than one",
            "input": {"item": "tea", "count": 0},
            "expect": {"error": {"message": "at least one"}},
        },
    ],
)
def line(item: str, count: int = 1) -> dict:
    """One line of a bill.

    Args:
        item: What was ordered.
        count: How many.
    """
    if count < 1:
        raise ValueError(f"{count} of {item}: order at least one")
    return {"item": item, "count": count, "sum": round(price(item) * count, 2)}


@selfmade.function(
    tests=[
        {"input": {"total": 19.99}, "expect": {"output": 0.0}},
        {"name": "a tenth from twenty on", "input": {"total": 25.0}, "expect": {"output": 2.5}},
    ],
)
def discount(total: float) -> float:
    """What is taken off a bill: a tenth of it, from twenty on.

    Args:
        total: The sum of all lines.
    """
    return round(total / 10, 2) if total >= 20 else 0.0


@selfmade.function(
    tests=[
        {
            "input": {"order": {"coffee": 2, "cake": 4}},
            "expect": {
                "output": {
                    "lines": [
                        {"item": "cake", "count": 4, "sum": 18.0},
                        {"item": "coffee", "count": 2, "sum": 6.4},
                    ],
                    "discount": 2.44,
                    "total": 21.96,
                }
            },
        },
        {
            "name": "nothing was ordered",
            "input": {"order": {}},
            "expect": {"error": {"message": "nothing was ordered"}},
        },
    ],
)
def bill(order: dict[str, int]) -> dict:
    """The lines of an order by name, what is taken off, and what is to be paid.

    Args:
        order: How many of each.
    """
    if not order:
        raise ValueError("nothing was ordered")
    lines = [line(item, count) for item, count in sorted(order.items())]
    total = round(sum(one["sum"] for one in lines), 2)
    off = discount(total)
    return {"lines": lines, "discount": off, "total": round(total - off, 2)}


@selfmade.function(
    tests=[
        {
            "input": {"order": {"tea": 1}},
            "expect": {"output": "1 x tea             2.80\nto pay              2.80"},
        },
    ],
)
def receipt(order: dict[str, int]) -> str:
    """A bill as it is printed.

    Args:
        order: How many of each.
    """
    made = bill(order)
    rows = [(f"{one['count']} x {one['item']}", one["sum"]) for one in made["lines"]]
    if made["discount"]:
        rows.append(("discount", -made["discount"]))
    rows.append(("to pay", made["total"]))
    print(f"a receipt of {len(rows)} rows")
    return "\n".join(f"{name:<18}{amount:>6.2f}" for name, amount in rows)


@selfmade.function(
    tests=[{"input": {"printed": "to pay   2.80"}, "expect": {"output": "Thank you! You paid 2.80."}}],
)
def thank(printed: str) -> str:
    """Thank for an order; a trigger runs it after each receipt.

    Args:
        printed: The receipt.
    """
    return f"Thank you! You paid {printed.split()[-1]}."


@selfmade.function(
    tests=[
        {"input": {"weekday": 0}, "expect": {"output": "Today: coffee for 3.20, tea for 2.80"}},
        {
            "name": "the week goes round",
            "input": {"weekday": 9},
            "expect": {"output": "Today: cake for 4.50, coffee for 3.20"},
        },
    ],
)
def board(weekday: int = 0) -> str:
    """What is written on the board outside; a schedule runs it every morning.

    Args:
        weekday: 0 is Monday.
    """
    names = sorted(menu(), key=price)
    first = weekday % len(names)
    chosen = sorted({names[first], names[(first + 1) % len(names)]})
    return "Today: " + ", ".join(f"{name} for {price(name):.2f}" for name in chosen)

"""What happens after a function is updated: it is validated, tried out, and deployed."""

import selfmade


@selfmade.function(brain="read")
def validate(function_name: str) -> dict:
    """Say what is wrong with a function."""
    from selfmade import brain

    function = brain.read(function_name)
    problems = []
    if not function["description"]:
        problems.append("it does not say what it does")
    return {"name": function_name, "ok": not problems, "problems": problems}


@selfmade.function(brain="read")
def try_out(validated: dict) -> dict:
    """Run a function that was validated."""
    from selfmade import run

    said = run(validated["name"], "Ada")
    return {"name": validated["name"], "ok": "Ada" in said, "said": said}


@selfmade.function()
def deploy(tried: dict) -> str:
    """Tell everybody that a function can be relied on."""
    from selfmade import emit

    emit("deployed", tried)
    return f"{tried['name']} is deployed: {tried['said']}"

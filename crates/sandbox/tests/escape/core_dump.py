# must: returned "contained"
def f(outside):
    """A limit of 0 still hands the dump to a program, if the machine has one for that; a limit of 1 does not, and stays."""
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_CORE)
    if soft != hard or soft > 1:
        return [soft, hard]
    for attempt in (
        lambda: resource.setrlimit(resource.RLIMIT_CORE, (0, 0)),
        lambda: resource.setrlimit(resource.RLIMIT_CORE, (0, hard)),
        lambda: resource.prlimit(0, resource.RLIMIT_CORE, (0, 0)),
        lambda: resource.prlimit(1, resource.RLIMIT_CORE, (0, 0)),
    ):
        try:
            attempt()
        except (OSError, ValueError):
            continue
        return "changed"
    return "contained"

# must: returned "contained"
def f(outside):
    import resource

    for name in dir(resource):
        if not name.startswith("RLIMIT_"):
            continue
        number = getattr(resource, name)
        soft, hard = resource.getrlimit(number)
        if hard == resource.RLIM_INFINITY:
            continue
        for more in ((hard + 1, hard + 1), (soft, hard + 1), (resource.RLIM_INFINITY, resource.RLIM_INFINITY)):
            try:
                resource.setrlimit(number, more)
            except (OSError, ValueError):
                continue
            return name
    return "contained"

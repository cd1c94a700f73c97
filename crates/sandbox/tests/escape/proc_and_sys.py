# must: returned "contained"
def f(outside):
    import os

    paths = [
        "/proc/1/root", "/proc/self/root", "/proc/self/fd", "/proc/self/exe", "/proc/self/mem", "/proc/self/maps",
        "/proc/self/environ", "/proc/self/ns/user", "/proc/sysrq-trigger", "/proc/kcore", "/proc/kallsyms",
        "/proc/sys/kernel/core_pattern", f"/proc/{outside['pid']}/mem", f"/proc/{outside['pid']}/environ",
        f"/proc/{outside['neighbour']['pid']}/root", "/sys", "/sys/fs/cgroup", "/sys/kernel", "/run", "/boot",
    ]
    return [path for path in paths if os.path.lexists(path)] or "contained"

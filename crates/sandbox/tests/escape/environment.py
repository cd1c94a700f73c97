# must: returned "contained"
def f(outside):
    import os

    known = {"HOME", "TMPDIR", "LANG", "TZ", "PATH", "OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "LC_CTYPE"}
    return sorted(set(os.environ) - known) or "contained"

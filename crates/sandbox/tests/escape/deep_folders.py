# must: returned "contained"
def f(outside):
    import os

    made = 0
    try:
        while True:
            os.mkdir("a" * 200)
            os.chdir("a" * 200)
            made += 1
    except OSError:
        return "contained" if made <= 4096 else made

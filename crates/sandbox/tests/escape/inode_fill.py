# must: returned "contained"
def f(outside):
    made = 0
    try:
        while True:
            open(f"file{made}", "w").close()
            made += 1
    except OSError:
        return "contained" if made <= 4096 else made

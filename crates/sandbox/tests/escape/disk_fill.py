# must: returned "contained"
def f(outside):
    written = 0
    try:
        while True:
            with open(f"file{written}", "wb") as file:
                written += file.write(bytes(1 << 20))
    except OSError:
        return "contained" if written <= 64 << 20 else written

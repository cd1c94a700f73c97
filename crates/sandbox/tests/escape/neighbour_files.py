# must: returned "contained"
def f(outside):
    """What another cell has written, looked for by its name in all that can be seen."""
    import os

    name = os.path.basename(outside["neighbour"]["file"])
    for folder, folders, files in os.walk("/"):
        if name in files or name in folders:
            return folder
        if folder.count("/") > 3:
            folders.clear()
    return "contained"

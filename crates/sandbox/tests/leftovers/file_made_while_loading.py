# cell: ended
with open("loaded", "w") as file:
    file.write("one")

def plant():
    with open("loaded", "a") as file:
        file.write(" two")

def probe():
    with open("loaded") as file:
        return file.read()

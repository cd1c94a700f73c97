# cell: kept
import random

def plant():
    random.seed(1)

def probe():
    return random.Random(1).random() != random.random()

"""Writes vibration.csv: what a sensor on a motor might see. Synthetic; put your own table in its place.
With the argument `other` it writes other.csv, of a motor that turns faster and stands on rubber.

Each row is the spectrum of 32 samples of an 8-bit accelerometer, as 16 whole numbers 0..255, and the state of the
motor: balanced, unbalanced (the first harmonic grows) or bearing (high bands ring).
"""

import cmath
import math
import random
import sys

SAMPLES, BANDS, ROWS = 32, 16, 3000
STATES = ("balanced", "unbalanced", "bearing")


def signal(state, draw, other):
    turn = draw.uniform(3.0, 4.0) if other else draw.uniform(1.5, 2.5)  # revolutions in the window
    level = {"balanced": 10, "unbalanced": draw.uniform(22, 60), "bearing": 12}[state]
    ring = draw.uniform(25, 70) if state == "bearing" else 0
    if other:
        ring *= 0.4
    pitch, phase = draw.uniform(10, 14), draw.uniform(0, 2 * math.pi)
    for t in range(SAMPLES):
        angle = 2 * math.pi * turn * t / SAMPLES + phase
        knock = math.exp(-((angle % (2 * math.pi)) / 1.5))
        yield (level * math.sin(angle) + ring * knock * math.sin(2 * math.pi * pitch * t / SAMPLES)
               + draw.gauss(0, 4))


def spectrum(values):
    values = [max(-128, min(127, round(v))) for v in values]
    for band in range(1, BANDS + 1):
        sum_ = sum(v * cmath.exp(-2j * math.pi * band * t / SAMPLES) for t, v in enumerate(values))
        yield min(255, round(abs(sum_) / 4))


def main(other):
    draw = random.Random(2 if other else 1)
    with open("other.csv" if other else "vibration.csv", "w", encoding="ascii") as file:
        print(*(f"band{b}" for b in range(1, BANDS + 1)), "state", sep=",", file=file)
        for row in range(ROWS):
            state = STATES[row % len(STATES)]
            print(*spectrum(signal(state, draw, other)), state, sep=",", file=file)


if __name__ == "__main__":
    main(sys.argv[1:] == ["other"])

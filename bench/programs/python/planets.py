"""Moves bodies that attract each other, in floating point: planets.py STEPS."""
import sys


class Body:
    __slots__ = ("place", "speed", "mass")

    def __init__(self, place, speed, mass):
        self.place, self.speed, self.mass = list(place), list(speed), mass


def advance(bodies, time):
    for index, one in enumerate(bodies):
        for other in bodies[index + 1 :]:
            x, y, z = (a - b for a, b in zip(one.place, other.place))
            force = time / (x * x + y * y + z * z) ** 1.5
            for axis, way in enumerate((x, y, z)):
                one.speed[axis] -= way * other.mass * force
                other.speed[axis] += way * one.mass * force
    for body in bodies:
        body.place = [at + time * speed for at, speed in zip(body.place, body.speed)]


def energy(bodies):
    total = 0.0
    for index, one in enumerate(bodies):
        total += one.mass * sum(speed * speed for speed in one.speed) / 2
        for other in bodies[index + 1 :]:
            total -= one.mass * other.mass / sum((a - b) ** 2 for a, b in zip(one.place, other.place)) ** 0.5
    return total


def main():
    bodies = [Body((i * 1.5, i * i * 0.3, -i * 0.7), (0.1 * i, 0.2 - 0.1 * i, 0.05), 1.0 / (1 + i)) for i in range(5)]
    for _ in range(int(sys.argv[1])):
        advance(bodies, 0.001)
    print(f"{energy(bodies):.9f}")


main()

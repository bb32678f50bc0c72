"""Uses generators, exceptions, sets and closures for queens on a board and ways through a maze: searches.py SIZE."""
import sys


def queens(size):
    """All ways to place `size` queens."""

    def place(row, columns, down, up):
        if row == size:
            yield ()
            return
        for column in range(size):
            if column not in columns and row + column not in up and row - column not in down:
                for rest in place(row + 1, columns | {column}, down | {row - column}, up | {row + column}):
                    yield (column, *rest)

    return place(0, frozenset(), frozenset(), frozenset())


class Wall(Exception):
    pass


def steps(maze, at):
    def look(x, y):
        if not (0 <= y < len(maze) and 0 <= x < len(maze[y])) or maze[y][x]:
            raise Wall
        return x, y

    x, y = at
    for move in ((1, 0), (0, 1), (-1, 0), (0, -1)):
        try:
            yield look(x + move[0], y + move[1])
        except Wall:
            pass


def shortest(maze):
    ways, front = {(0, 0): None}, [(0, 0)]
    while front:
        following = []
        for at in front:
            for step in steps(maze, at):
                if step not in ways:
                    ways[step] = at
                    following.append(step)
        front = following
    return len(ways), max(x * 7 + y for x, y in ways)


def main():
    size = int(sys.argv[1])
    print(sum(1 for _ in queens(size)), next(queens(size)))
    maze = [[x * y % 7 == 3 for x in range(size * 20)] for y in range(size * 20)]
    print(shortest(maze))


main()

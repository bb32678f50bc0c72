#!/usr/bin/env python3
"""Makes a repository of 20,000 files that is the same each time: git_tree.py GIT FOLDER.

GIT imports it. Each of fifty commits changes some files; in the working tree some more are changed, removed and added.
"""
import os
import subprocess
import sys

FILES, COMMITS = 20_000, 50
AGE = 1_600_000_000  # of files and commits, so that git need not look whether a file was changed since it was indexed
WORDS = "if else while return static struct int char buffer length index count result error value next".split()


def path(number):
    return f"part{number % 23}/group{number % 311}/file{number}.c"


def content(number, turn):
    """Some twenty lines; of two turns a few differ."""
    lines = []
    for line in range(12 + number % 17):
        seed = number * 7919 + line * 104729 + (turn if (line + turn) % 11 == 0 else 0)
        lines.append(" ".join(WORDS[seed // 3**i % len(WORDS)] for i in range(4 + seed % 5)) + f" {seed % 1009};\n")
    return "".join(lines)


def changed(turn):
    """The files that a commit changes."""
    return range(FILES) if turn == 0 else range(turn * 37 % FILES, FILES, 101 + turn)


def history():
    """The input of git fast-import."""
    for turn in range(COMMITS):
        message = f"change number {turn}\n\nIt touches {len(changed(turn))} files.\n"
        yield f"commit refs/heads/main\ncommitter A U Thor <author@example.com> {AGE + turn * 3600} +0000\n"
        yield f"data {len(message)}\n{message}\n"
        for number in changed(turn):
            text = content(number, turn)
            yield f"M 100644 inline {path(number)}\ndata {len(text)}\n{text}\n"


def change_the_working_tree(folder):
    for number in range(0, FILES, 97):
        with open(f"{folder}/{path(number)}", "a") as file:
            file.write("int one_more_line;\n")
    for number in range(5, FILES, 997):
        os.remove(f"{folder}/{path(number)}")
    for number in range(0, FILES, 499):
        with open(f"{folder}/{path(number)}.orig", "w") as file:
            file.write(content(number, 1))


def main():
    program, folder = sys.argv[1:]

    def git(*arguments, text=None):
        subprocess.run([program, "-C", folder, *arguments], input=text, check=True, stdout=subprocess.DEVNULL)

    os.makedirs(folder)
    git("init", "-q", "-b", "main")
    git("fast-import", "--quiet", text="".join(history()).encode())
    git("reset", "-q", "--hard")
    for number in range(FILES):
        os.utime(f"{folder}/{path(number)}", (AGE, AGE))
    git("update-index", "-q", "--refresh")
    change_the_working_tree(folder)


main()

"""No line of code has more than 120 characters, in the folders below.

Left out are the inputs of the compiler's tests, since expected texts name their lines and columns.
"""

import os
import subprocess

FOLDERS = "abi bench compiler examples runtime scripts semantics tests tools".split()
INPUTS = ("tests/passes/", "tests/syntax/")
ENDINGS = (".c", ".cpp", ".h", ".py", ".sh")
LONGEST = 120


def is_code(path, text):
    if path.endswith((".c", ".h")) and path.startswith(INPUTS):
        return False
    return path.endswith(ENDINGS) or text.startswith("#!")


def check(expect, root):
    """Checks each source under version control; `expect` takes a name, a condition and a detail."""
    listed = subprocess.run(["git", "ls-files", "-z", *FOLDERS], cwd=root, stdout=subprocess.PIPE, text=True).stdout
    seen = 0
    for path in filter(None, listed.split("\0")):
        if not os.path.isfile(f"{root}/{path}"):
            continue
        with open(f"{root}/{path}", encoding="utf-8", errors="replace") as file:
            text = file.read()
        if is_code(path, text):
            seen += 1
            long = [str(n) for n, line in enumerate(text.splitlines(), 1) if len(line) > LONGEST]
            expect(f"{path}: lines of at most {LONGEST} characters", not long, f"divide {', '.join(long)}")
    expect("there is code to look at", seen > 500, seen)

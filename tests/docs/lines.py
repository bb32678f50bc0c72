"""No line of code has more than 120 characters, and what begins with `#!` can be executed.

Code are sources in every language, and the files by which they are built. Left out are the inputs of the compiler's
tests, since expected texts name their lines and columns, and what npm writes.
In js/ and measure/ the same holds for documents, but for the rows of tables, which cannot be divided.
"""

import os
import subprocess

FOLDERS = ". :!docs".split()
INPUTS = ("tests/passes/", "tests/syntax/")
ENDINGS = tuple(
    ".c .cc .cpp .h .hpp .py .sh .ts .mts .js .mjs .cjs .go .rs .lua .sql .html .css .cmake .toml .clang-tidy".split()
)
NAMES = ("CMakeLists.txt", "Makefile", "recipe")
ENDINGS_IN_JS = (".json", ".md")
LONGEST = 120


def is_code(path, text):
    if path.endswith((".c", ".h")) and path.startswith(INPUTS):
        return False
    if path.startswith(("js/", "measure/")) and path.endswith(ENDINGS_IN_JS):
        return not path.endswith("package-lock.json")
    return path.endswith(ENDINGS) or os.path.basename(path) in NAMES or text.startswith("#!")


def is_row(path, line):
    return path.endswith(".md") and line.startswith("|")


def check(expect, root):
    """Checks each source under version control; `expect` takes a name, a condition and a detail."""
    listed = subprocess.run(["git", "ls-files", "-z", *FOLDERS], cwd=root, stdout=subprocess.PIPE, text=True).stdout
    seen = 0
    for path in filter(None, listed.split("\0")):
        if not os.path.isfile(f"{root}/{path}"):
            continue
        with open(f"{root}/{path}", encoding="utf-8", errors="replace") as file:
            text = file.read()
        if text.startswith("#!"):
            expect(f"{path} can be executed", os.access(f"{root}/{path}", os.X_OK), f"chmod +x {path}")
        if is_code(path, text):
            seen += 1
            lines = enumerate(text.splitlines(), 1)
            long = [str(n) for n, line in lines if len(line) > LONGEST and not is_row(path, line)]
            expect(f"{path}: lines of at most {LONGEST} characters", not long, f"divide {', '.join(long)}")
    expect("there is code to look at", seen > 500, seen)

"""Every source file begins with a comment that says what the file is for.

Left out are inputs of the compiler's tests, whose expected texts name lines, and the modules of tests/programs/linked,
which the comment of each folder's first file describes.
"""

import os
import re
import subprocess

FOLDERS = "abi bench compiler examples measure runtime scripts semantics tests tools".split()
LEFT_OUT = ("tests/passes/", "tests/syntax/", "tests/programs/linked/")
ENDINGS = (".c", ".cpp", ".h", ".py", ".sh", ".ts", ".mjs", ".css")
# The first lines of a script may name its interpreter, and those of a test the options that it is compiled with.
BEGINS = re.compile(r'(#!.*\n)?(#|/\*|//|""")')


def check(expect, root):
    """Checks each source under version control; `expect` takes a name, a condition and a detail."""
    listed = subprocess.run(["git", "ls-files", "-z", *FOLDERS], cwd=root, stdout=subprocess.PIPE, text=True).stdout
    seen = 0
    for path in filter(None, listed.split("\0")):
        if path.startswith(LEFT_OUT) or not path.endswith(ENDINGS) or not os.path.isfile(f"{root}/{path}"):
            continue
        with open(f"{root}/{path}", encoding="utf-8", errors="replace") as file:
            text = file.read(300)
        seen += 1
        begins = BEGINS.match(text)
        directive = re.match(r"#(include|define|ifndef|if|pragma)\b", text)
        expect(f"{path}: begins with a comment", begins and not directive, "say in its first lines what it is for")
    expect("there are sources to look at", seen > 500, seen)

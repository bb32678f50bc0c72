"""How the runtime calls the C library.

It makes none of the waiting calls that it interposes by their names. Under these names stand its own functions, for the
program's plain code. They let other activities of the domain go on, which would meet a wait that is half registered, or
a table that is being changed. And each function of runtime/frames/c_library.h is called through its pointer, because
the program may define one of that name.
"""

import glob
import os
import re

CALLS = "pthread_once call_once nanosleep clock_nanosleep usleep thrd_sleep thrd_join sigwait semop".split()
CALL = re.compile(rf"(?<!\w)({'|'.join(CALLS)})\((?!\))")
# Replacements call what they replace, and the other two are Charcoal C. The lines of DEFINITION define the calls.
LEFT_OUT = re.compile(r"runtime/posix/replacements/|runtime/include/|.*/charcoal/")
DEFINITION = re.compile(r"CH_INTERPOSED |^CALL\(")


def check(expect, root):
    """Looks at each source of the runtime; `expect` takes a name, a condition and a detail."""
    found = []
    paths = [os.path.relpath(path, root) for path in glob.glob(f"{root}/runtime/**/*.[ch]", recursive=True)]
    expect("there is a runtime to look at", len(paths) > 200, len(paths))
    for path in paths:
        if LEFT_OUT.match(path):
            continue
        with open(f"{root}/{path}") as file:
            lines = enumerate(file, 1)
            found += [f"{path}:{n}" for n, line in lines if CALL.search(line) and not DEFINITION.search(line)]
    remedy = "call the C library's own: ch_library_once, ch_runtime_sleep, ch_library_..."
    expect("the runtime makes no wait that it interposes", not found, f"{', '.join(found)}; {remedy}")
    with open(f"{root}/runtime/frames/c_library.h") as file:
        text = file.read()
    listed = re.findall(r"\bX\((\w+)\)", text)
    macros = re.findall(r"^#define (\w+)\(\.\.\.\) ch_c_library\.\1\(__VA_ARGS__\)$", text, re.M)
    different = sorted(set(listed) ^ set(macros))
    expect("a macro stands for each pointer of c_library.h", len(macros) > 60 and not different, different)

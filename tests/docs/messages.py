"""The messages of the runtime and of charcoal-cc have one form.

    charcoal: what happened, and where; what to do
    charcoal-cc: error: what happened; what to do

As the GNU standards and clang have it, the text after the prefix begins with a small letter, unless a name stands
there, and ends without a full stop. `warning:` says that the program goes on as if something had not been asked for;
the runtime has no `error:`, because all its other messages are about errors.
"""

import glob
import re

STRING = re.compile(r'(?<!\w)"(?:[^"\\\n]|\\.)*"(?:\s*"(?:[^"\\\n]|\\.)*")*')
PART = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
OUT_OF_MEMORY = "frames/out_of_memory.c"  # ch_out_of_memory says what helps; all others call it
NAME = re.compile(r"[A-Z]+_")  # of a variable of the environment


def messages(text):
    """Yields each string, its parts joined, that begins as a message does."""
    for found in STRING.finditer(text):
        joined = "".join(PART.findall(found[0]))
        if re.match(r"charcoal(-cc)?: ", joined):
            yield joined


def check(expect, root):
    """Checks each string that is a message; `expect` takes a name, a condition and a detail."""
    seen = 0
    for folder in ("compiler", "runtime"):
        for path in glob.glob(f"{root}/{folder}/**/*.[ch]*", recursive=True):
            with open(path) as file:
                text = file.read()
            alone = '"charcoal: out of memory' not in text or path == f"{root}/runtime/{OUT_OF_MEMORY}"
            expect(f"{path.removeprefix(root + '/')}: says what helps", alone, "call ch_out_of_memory")
            for message in messages(text):
                seen += 1
                lines = message.removesuffix("\\n").split("\\n")
                where = f"{path.removeprefix(root + '/')}: the message {message!r}"
                expect(f"{where} has no full stop", not any(re.search(r"[^.]\.$", line) for line in lines), "drop it")
                expect(f"{where} is one sentence", not re.search(r"\w\. [A-Z]", message), "write `; what to do`")
                begin = re.sub(r"^charcoal(-cc: (error|note|warning)|: warning)?:? ", "", lines[0])
                expect(f"{where} begins small", NAME.match(begin) or not begin[:1].isupper(), "as after a colon")
                expect(f"{where} says no error:", "charcoal: error:" not in message, "`charcoal: ` says so")
    expect("there are messages to look at", seen > 60, seen)

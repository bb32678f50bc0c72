"""Every public function has a description that names its result, what a cancel does, and the threads that may call it.

A description is the comment right above a group of declarations or macros, without an empty line between them. It says
whether the function waits ("Waits ...", "Never blocks"), unless its `Cancel:` does. A label such as `Result:` begins a
line, where readers look for it, and the labels stand in the order of LABELS. The header's opening comment may say
`Result:`, `Cancel:` and `Threads:` for all of its functions; or that what charcoal.h says about all functions holds
there, too. A comment that begins with `Private`, and a section `/* ---- private ... */`, exempt what stands below them.
"""

import glob
import os
import re

# These declare no function that a program calls by the name that stands there.
WITHOUT_FUNCTIONS = ("dialect.h", "object.h", "sequential.h", "blocking.h")
COMMENT = re.compile(r"/\*.*?\*/", re.S)
ATTRIBUTE = re.compile(r"__attribute__\(\(.*?\)\) ?")
NAME = re.compile(r"^#define (\w+)\([^)]*\)|^(?!#|typedef|struct \w+ \{|enum)[\w][\w *]*?\b(\w+)\(", re.M)
LABELS = ["Arguments", "Result", "Cancel", "Threads", "Source"]
LABEL = re.compile(rf"^ \* ({'|'.join(LABELS)}): ", re.M)
LABEL_INSIDE = re.compile(r"[^*/\n] (?:Result|Cancel|Threads|Source): .*")
WAITS_OR_NOT = re.compile(r"\b([Nn]ever|[Nn]either|[Nn]or) (blocks?|waits?)\b|\b([Ww]aits?|[Gg]ives way)\b|Cancel:")
AS_ANOTHER = re.compile(r"\bas ch_[\w ]+ does?\b|\bthe same as \w+|\bversions of ch_\w+|: see ch_\w+")  # it says so
AS_CHARCOAL_H = re.compile(r"hat (it|charcoal\.h) says about all\s[\s*]*functions holds here, too")
PUBLIC = re.compile(r"(ch_[a-z_0-9]*[a-z0-9]|mkevent|tfork|tfork_offload|twait)$")


def groups(text):
    """Yields (comment, declarations) for each run of lines without an empty one, divided before each comment."""
    private = False
    for paragraph in re.split(r"\n\s*\n", text):
        begins = [found.start() for found in re.finditer(r"^/\*", paragraph, re.M)]
        for begin, end in zip([0] + begins, begins + [len(paragraph)]):
            part = paragraph[begin:end]
            comment = COMMENT.match(part)
            if comment and comment[0].startswith("/* ----"):
                private = comment[0].startswith("/* ---- private")
            elif not private and not (comment and comment[0].startswith("/* Private")):
                yield comment[0] if comment else "", part[comment.end() if comment else 0 :]


def functions(declarations):
    """Yields (name, "void" or "a result") of the public functions and macros that are declared."""
    for found in NAME.finditer(ATTRIBUTE.sub("", COMMENT.sub("", declarations))):
        name = found[1] or found[2]
        if PUBLIC.match(name):
            yield name, "void" if re.match(r"(static inline )?void \w", found[0]) else "a result"


def in_order(expect, where, comment):
    """The labels of a comment stand in the order of LABELS, each once at most."""
    labels = LABEL.findall(comment)
    expect(f"{where}: labels in order", labels == [label for label in LABELS if label in labels], labels)


def check(expect, root):
    """Checks each public header; `expect` takes a name, a condition and a detail."""
    paths = [f"{root}/abi/charcoal_abi.h", *glob.glob(f"{root}/runtime/include/**/*.h", recursive=True)]
    known = 0
    for path in sorted(paths):
        if os.path.basename(path) in WITHOUT_FUNCTIONS:
            continue
        with open(path) as file:
            text = file.read()
        # Behind #else are the meanings for other compilers, of functions that are described above.
        text = re.split(r"^#else\n+(?:#include <|static inline|/\* Sequential)", text, flags=re.M)[0]
        inside = LABEL_INSIDE.findall(text)
        expect(f"{os.path.relpath(path, root)}: a label begins a line", not inside, inside)
        opening = COMMENT.match(text)[0]
        in_order(expect, f"{os.path.relpath(path, root)}: its opening comment", opening)
        described = set()
        for comment, declarations in groups(text[len(opening) :]):
            in_order(expect, f"{os.path.relpath(path, root)}: {comment[:60]}...", comment)
            comment = re.sub(r"\n \* (?!\w+: )", " ", comment)  # so that a sentence stands on one line
            for name, gives in functions(declarations):
                if name in described:
                    continue
                described.add(name)
                where = f"{os.path.relpath(path, root)}: {name}"
                expect(f"{where} has a description", comment, "write a comment right above it")
                tells = re.search(r"Result:|[Rr]eturns?\b", comment) or "Result:" in opening
                expect(f"{where}: its result", gives == "void" or tells, "say `Result:`")
                cancel = "Cancel:" in comment + opening or AS_CHARCOAL_H.search(opening)
                expect(f"{where}: what a cancel does", cancel or "ever block" in comment, "say `Cancel:`")
                never = re.search(r"[Tt]hey\s[\s*]*never block", opening)
                waits = never or WAITS_OR_NOT.search(comment) or AS_ANOTHER.search(comment)
                expect(f"{where}: whether it waits", waits, "say so, or `Never blocks.`")
                expect(f"{where}: its threads", "Threads:" in comment + opening, "say `Threads:`")
        known += len(described)
    expect("functions were found", known > 220, known)

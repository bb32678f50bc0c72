"""Saved frames (abi/charcoal_abi.h): what a suspended activation says of itself, and where it would be in the code.

The compiler labels each place where an activation can go on (`__charcoal_point_K`), and tells where the image lies in
the native frame by a variable that is in scope at the label `__charcoal_restore` alone (compiler/passes/places.h).
"""

import re

import gdb

from .runtime import ASYNC, NEW, Branch, at, text, word

FRAME_ENTRY = 2
HEADER = 24


class Saved:
    """A saved frame."""

    def __init__(self, address):
        self.address = int(address)
        self.frame = at(address, "struct ch_frame")
        self.info = self.frame["info"]
        self.point = int(self.frame["point"])
        self.image = self.address + HEADER

    @property
    def not_begun(self):
        """It stands for a call that gave way before it began."""
        return bool(int(self.info["flags"]) & FRAME_ENTRY)

    @property
    def function(self):
        """Address of the interruptible function; 0: it is the runtime's own."""
        return word(self.image) if self.not_begun else int(self.info["fn"])

    @property
    def name(self):
        if self.not_begun:
            symbol = gdb.execute("info symbol %d" % self.function, to_string=True).split()
            name = symbol[0] if symbol else "a call"
            suffix = r"(\.variadic|\[variadic\])?(\.int|\[int\])(\[anchored\]|\.anchored)?$"
            return re.sub(suffix, "", name) + " (not begun)"
        return text(self.info["name"]) or "?"

    def places(self):
        """(function, "file:line" or None), innermost inlined function first."""
        inlined, index = None, self.point - 1
        known = 1 <= self.point <= int(self.info["points"])
        if known and int(self.info["inlined"]):
            inlined = self.info["inlined"][index]
            while int(inlined):
                yield text(inlined["name"]), "%s:%d" % (text(inlined["file"]), int(inlined["line"]))
                inlined = inlined["caller"]
        where = text(self.info["file"])
        if where and known and int(self.info["lines"]):
            where += ":%d" % int(self.info["lines"][index])
        yield self.name, where

    def program_counter(self):
        """Where gdb is to see it: as a return address, for which it looks one byte before. In front of the label stands
        the call, unless the code was laid out otherwise."""
        label = Code.of(self.function).point(self.point)
        if not label:
            return self.function + 1
        where = next(self.places())[1]
        line = int(where.rpartition(":")[2]) if where and ":" in where else None
        return label if gdb.find_pc_line(label - 1).line == line else label + 1

    def contains(self, address):
        return self.address <= address < self.address + int(self.info["size"])


def callers(link):
    """The saved frames from where this pointer leads (to a frame, or to a chain's end): innermost first, on from an
    async branch to the function that waits in its finish, or will."""
    link = int(link)
    while link:
        if link & 1:
            link = around(at(link & ~1, "struct ch_branch"))
        else:
            saved = Saved(link)
            yield saved
            link = int(saved.frame["parent"])


def around(branch):
    """The frame in which an async branch was started, or 0."""
    if not int(branch["flags"]) & ASYNC:
        return 0
    scope = branch.address.cast(gdb.lookup_type("struct ch_async").pointer())["scope"]
    owner = scope.dereference()["owner"]
    if not int(owner) or int(owner.dereference()["state"]) == NEW:
        return 0
    link = int(owner.dereference()["top"])
    while link and not link & 1:
        saved = Saved(link)
        if saved.contains(int(scope)):
            return link
        link = int(saved.frame["parent"])
    return 0


class Code:
    """What the debug information says of an interruptible function."""

    known = {}

    @classmethod
    def of(cls, function):
        if function not in cls.known:
            cls.known[function] = cls(function)
        return cls.known[function]

    def __init__(self, function):
        self.labels = {}
        self.register = self.offset = None  # where the image lies in a native frame
        block = gdb.block_for_pc(function)
        while block and not (block.function and block.start <= function < block.end and not is_inlined(block)):
            block = block.superblock
        if not block:
            return
        for symbol in block:
            if symbol.name.startswith("__charcoal_"):
                self.labels[symbol.name] = int(symbol.value())
        place = self.image_in_scope()
        if place:
            scope = gdb.execute("info scope *%d" % place, to_string=True)
            found = re.search(
                r"__charcoal_image is a variable at frame base reg \$(\w+) offset (-?\d+)\+(-?\d+)", scope
            )
            if found:
                self.register, self.offset = found.group(1), int(found.group(2)) + int(found.group(3))

    def image_in_scope(self):
        """At the call of ch_restore, which may be a few instructions after its label."""
        label = self.labels.get("__charcoal_restore")
        for pc in range(label, label + 16) if label else ():
            block = gdb.block_for_pc(pc)
            if block and any(symbol.name == "__charcoal_image" for symbol in block):
                return pc
        return None

    def point(self, number):
        return self.labels.get("__charcoal_point_%d" % number)


def is_inlined(block):
    """Its function has been inlined into the one around it."""
    outer = block.superblock
    while outer and not outer.is_global and not outer.is_static:
        if outer.function:
            return True
        outer = outer.superblock
    return False

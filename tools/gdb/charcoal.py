"""Activities in gdb, of a running program and of a core file. The program must have debug information of the runtime.

    (gdb) source charcoal.py
    (gdb) info activities
    (gdb) activity backtrace            every activity
    (gdb) activity backtrace server     those with this name, or at this address

What is read: ch_debug (runtime/report/debug.h), the slabs (runtime/frames/allocator.h), branches (runtime/activity/branch.h) and frames
(abi/charcoal_abi.h). Nothing is called in the program.
"""

import gdb

SLAB = 64 * 1024
SLABS = 64
KIND_ACTIVITY, KIND_LONG = 1, 2
NEW, READY, RUNNING, WAITING, SELECTING = 1, 2, 3, 4, 5
MAIN, NAMED, NATIVE = 2, 4, 8
FRAME_ENTRY = 2
ON = {0: "a semaphore", 1: "an activity to finish"}


def pointer_to(type_name):
    return gdb.lookup_type(type_name).pointer()


def at(address, type_name):
    return gdb.Value(int(address)).cast(pointer_to(type_name)).dereference()


def word(address):
    return int(gdb.Value(int(address)).cast(gdb.lookup_type("unsigned long").pointer()).dereference())


def text(pointer):
    return pointer.string() if int(pointer) else None


class Activity:
    def __init__(self, address):
        self.address = int(address)
        self.branch = at(address, "struct ch_branch")
        self.state = int(self.branch["state"])
        self.flags = int(self.branch["flags"])

    @property
    def name(self):
        if self.flags & NAMED:
            for bucket in range(256):
                entry = gdb.parse_and_eval("buckets[%d]" % bucket)
                while int(entry):
                    if int(entry["branch"]) == self.address:
                        return entry["text"].address.cast(pointer_to("char")).string()
                    entry = entry["next"]
        return "main" if self.flags & MAIN else None

    def doing(self):
        if self.state == NEW:
            site = int(self.branch["link"]["prev"])
            words = "not begun"
            if site:
                words += ", spawned at " + gdb.Value(site).cast(pointer_to("char")).string()
        elif self.state == READY:
            words = "runnable"
        elif self.state == RUNNING:
            words = "running"
        elif self.state == WAITING:
            words = "waits for " + ON.get(int(self.branch["what"]), "something")
        else:
            clauses = self.branch["link"]["prev"].cast(pointer_to("struct ch_clause"))
            parts = []
            for i in range(int(clauses["count"])):
                what = clauses[i]["type"]["what"].string()
                parts.append(what + " %d" % int(clauses[i]["object"]) if what == "descriptor" else what)
            words = "waits for " + " or ".join(parts)
        return words + (", in plain code" if self.flags & NATIVE else "")

    @staticmethod
    def not_begun(frame):
        """What stands for a call that gave way before it began: the function's address is the first word of the image."""
        if not int(frame["info"]["flags"]) & FRAME_ENTRY:
            return "?"
        symbol = gdb.execute("info symbol %d" % word(frame["image"].address), to_string=True).split()
        return (symbol[0] if symbol else "a call") + " (not begun)"

    def frames(self):
        if self.state == NEW:
            return
        frame = int(self.branch["top"])
        while frame and not frame & 1:
            f = at(frame, "struct ch_frame")
            info, point = f["info"], int(f["point"])
            where = text(info["file"])
            if where and int(info["lines"]) and 1 <= point <= int(info["points"]):
                where += ":%d" % int(info["lines"][point - 1])
            yield text(info["name"]) or self.not_begun(f), where
            frame = int(f["parent"])

    def title(self):
        name = self.name
        return "activity 0x%x%s: %s" % (self.address, ' "%s"' % name if name else "", self.doing())


def activities():
    debug = gdb.parse_and_eval("ch_debug")
    if not int(debug["domain"]):
        return
    prefix = gdb.lookup_type("struct ch_prefix").sizeof
    arena = debug["arenas"].dereference()
    while int(arena):
        for i in range(1, SLABS):
            slab = arena["slabs"][i]
            size, kind = int(slab["block"]), int(slab["kind"])
            if size == 0 or kind not in (KIND_ACTIVITY, KIND_LONG):
                continue
            for n in range(int(slab["carved"])):
                block = int(arena) + SLAB * i + n * size
                if not word(block) & 1:
                    yield Activity(block + (prefix if kind == KIND_LONG else 0))
        arena = arena["next"]
    large = debug["large"].dereference()
    while int(large):
        kind = int(large["kind"])
        if kind in (KIND_ACTIVITY, KIND_LONG):
            yield Activity(int(large + 1) + (prefix if kind == KIND_LONG else 0))
        large = large["next"]


class InfoActivities(gdb.Command):
    """Lists the live activities: address, name, and what each waits for."""

    def __init__(self):
        super().__init__("info activities", gdb.COMMAND_STATUS)

    def invoke(self, argument, from_tty):
        for activity in activities():
            print(activity.title())


class ActivityPrefix(gdb.Command):
    """Commands about activities."""

    def __init__(self):
        super().__init__("activity", gdb.COMMAND_STACK, prefix=True)


class ActivityBacktrace(gdb.Command):
    """Shows the saved frames of every activity, or of the one with the given name or address. Of a running activity
    these are its callers; the rest is on the native stack, which `backtrace` shows."""

    def __init__(self):
        super().__init__("activity backtrace", gdb.COMMAND_STACK)

    def invoke(self, argument, from_tty):
        found = False
        for activity in activities():
            if argument and argument not in (activity.name, hex(activity.address)):
                continue
            found = True
            print(activity.title())
            for number, (function, where) in enumerate(activity.frames()):
                print("  #%d %s%s" % (number, function, " at " + where if where else ""))
        if not found:
            print("No activity%s." % (" is called or lies at " + argument if argument else ""))


InfoActivities()
ActivityPrefix()
ActivityBacktrace()

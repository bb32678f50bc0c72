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
MAIN, NAMED, NATIVE, ASYNC, MARKED = 2, 4, 8, 32, 128
ON_FINISH = 2
FRAME_ENTRY = 2
ON = {0: "a semaphore", 1: "an activity to finish", 2: "a finish", 3: "its turn"}


def pointer_to(type_name):
    return gdb.lookup_type(type_name).pointer()


def at(address, type_name):
    return gdb.Value(int(address)).cast(pointer_to(type_name)).dereference()


def word(address):
    return int(gdb.Value(int(address)).cast(gdb.lookup_type("unsigned long").pointer()).dereference())


def text(pointer):
    return pointer.string() if int(pointer) else None


class Branch:
    """A branch, or the activity whose first branch it is."""

    def __init__(self, address, debug):
        self.address = int(address)
        self.debug = debug
        self.branch = at(address, "struct ch_branch")
        self.state = int(self.branch["state"])
        self.flags = int(self.branch["flags"])

    @property
    def name(self):
        if self.flags & NAMED:
            for bucket in range(256):
                entry = self.debug["names"].dereference()[bucket]
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
            if int(self.branch["what"]) == ON_FINISH:
                words += site(at(self.branch["link"]["next"], "struct ch_finish"))
        else:
            clauses = self.branch["link"]["prev"].cast(pointer_to("struct ch_clause"))
            parts = []
            for i in range(int(clauses["count"])):
                what = clauses[i]["type"]["what"].string()
                parts.append(what + " %d" % int(clauses[i]["object"]) if what == "descriptor" else what)
            words = "waits for " + " or ".join(parts)
        words += ", in plain code" if self.flags & NATIVE else ""
        return words + (", cancelled" if self.flags & MARKED else "")

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
        if self.flags & ASYNC:
            return "async: " + self.doing()
        name = self.name
        return "activity 0x%x%s: %s" % (self.address, ' "%s"' % name if name else "", self.doing())

    def backtrace(self, indent="  "):
        for number, (function, where) in enumerate(self.frames()):
            print("%s#%d %s%s" % (indent, number, function, " at " + where if where else ""))

    def tree(self):
        """What is below an activity: (depth, scope or branch), each branch after the scope that it was started in."""
        siblings = [field for field in gdb.lookup_type("struct ch_async").fields() if field.name == "siblings"][0].bitpos // 8
        if self.state == NEW:
            return
        todo = [(0, self, None)]
        while todo:
            depth, branch, home = todo.pop()
            if branch is not self:
                yield depth, branch
            below, scope = [], int(branch.branch["scope"])
            while scope and scope != home:
                below.append(scope)
                scope = int(at(scope, "struct ch_finish")["outer"])
            for scope in below:
                finish = at(scope, "struct ch_finish")
                yield depth, finish
                head = int(finish["branches"].address)
                node = int(finish["branches"]["next"])
                while node != head:
                    todo.append((depth + 1, Branch(node - siblings, self.debug), scope))
                    node = int(at(node, "struct ch_link")["next"])


def site(finish):
    where = text(finish["site"])
    return " at " + where if where else ""


def activities():
    debug = gdb.parse_and_eval("ch_debug")
    while int(debug):
        yield from activities_of(debug)
        debug = debug["next"]


def activities_of(debug):
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
                    yield Branch(block + (prefix if kind == KIND_LONG else 0), debug)
        arena = arena["next"]
    large = debug["large"].dereference()
    while int(large):
        kind = int(large["kind"])
        if kind in (KIND_ACTIVITY, KIND_LONG):
            yield Branch(int(large + 1) + (prefix if kind == KIND_LONG else 0), debug)
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
    """Shows the saved frames of every activity, or of the one with the given name or address, and of its async branches
    under the scopes that they were started in. Of a running activity
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
            activity.backtrace()
            for depth, below in activity.tree():
                indent = "  " + "    " * depth
                if isinstance(below, Branch):
                    print(indent + below.title())
                    below.backtrace(indent + "  ")
                else:
                    print(indent + ("in noncancellable" if below["barrier"] else "in finish") + site(below)
                          + (", cancelled" if below["marked"] else ""))
        if not found:
            print("No activity%s." % (" is called or lies at " + argument if argument else ""))


InfoActivities()
ActivityPrefix()
ActivityBacktrace()

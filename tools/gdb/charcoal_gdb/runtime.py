"""What the runtime has in memory: domains, activities, branches and scopes.

What is read: ch_debug (runtime/report/debug.h), the slabs (runtime/frames/allocator.h), branches
(runtime/activity/branch.h) and scopes (runtime/activity/scope.h).
"""

import gdb
import re

SLAB = 64 * 1024
SLABS = 16
KIND_ACTIVITY, KIND_LONG = 1, 2
NEW, READY, WAITING, SELECTING = 1, 2, 3, 4
MAIN, NAMED, NATIVE, ASYNC, MARKED = 2, 4, 16, 32, 128
ON_FINISH = 4
CH_ALONE = 0xFFFE
ON = {
    0: "a semaphore",
    1: "the end of an activity",
    2: "sending to a channel",
    3: "receiving from a channel",
    4: "a finish",
    5: "its turn",
    6: "its contained activities to finish",
    7: "all other activities to finish",
}
NEVER = "a cancel"  # ch_never_clause_type (runtime/reactor/timer.c)


def pointer_to(type_name):
    return gdb.lookup_type(type_name).pointer()


def at(address, type_name):
    return gdb.Value(int(address)).cast(pointer_to(type_name)).dereference()


def word(address):
    return int(at(address, "unsigned long"))


def text(pointer):
    return pointer.string() if int(pointer) else None


def site(finish):
    where = text(finish["site"])
    return " at " + where if where else ""


def called(request):
    """The descriptor and the name of a call that waits, given what it was made of."""
    fd, name = int(request["fd"]), text(request["kind"]["name"])
    return ("descriptor %d" % fd if fd >= 0 else "system call") + (" (%s)" % name if name else "")


def clause_in_words(clause):
    """What the clause waits for, as runtime/report/about.c says it."""
    what = clause["type"]["what"].string()
    if what == "system call":
        return called(at(clause, "struct ch_operation")["request"])
    if what == "descriptor" and int(clause["type"]["about"]):
        return called(at(clause, "struct ch_descriptor_clause"))
    if what == "descriptor":
        return "descriptor %d" % int(clause["object"])
    symbol = re.match(r"(\w+) in section", gdb.execute("info symbol %d" % int(clause["object"]), to_string=True))
    return what + (" " + symbol.group(1) if symbol else "")


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

    def runs(self):
        return self.state == READY and int(self.debug["domain"]["current"]) == self.address

    def doing(self):
        if self.state == NEW:
            spawned = int(self.branch["link"]["prev"])
            words = "not begun"
            if spawned:
                words += ", spawned at " + gdb.Value(spawned).cast(pointer_to("char")).string()
        elif self.state == READY:
            words = "running" if self.runs() else "runnable"
        elif self.state == WAITING:
            words = "waits for " + ON.get(int(self.branch["what"]), "something")
            if int(self.branch["what"]) == ON_FINISH:
                words += site(at(self.branch["link"]["next"], "struct ch_finish"))
        else:
            clause = self.branch["link"]["prev"].cast(pointer_to("struct ch_clause"))
            alone = int(clause["index"]) == CH_ALONE
            parts = []
            while int(clause):
                words = clause_in_words(clause)
                if words != NEVER or not parts:
                    parts.append(words)
                if alone:
                    break
                clause = clause["next"]
            words = "waits for " + " or ".join(parts)
        words += ", in plain code" if self.flags & NATIVE else ""
        return words + (", cancelled" if self.flags & MARKED else "")

    def title(self):
        if self.flags & ASYNC:
            return "async: " + self.doing()
        name = self.name
        return "activity 0x%x%s: %s" % (self.address, ' "%s"' % name if name else "", self.doing())

    @property
    def top(self):
        """Where the saved frames begin; a chain's end if there are none."""
        return self.address | 1 if self.state == NEW else int(self.branch["top"])

    def tree(self):
        """What is below an activity: (depth, scope or branch), each branch after the scope that it was started in."""
        siblings = [field for field in gdb.lookup_type("struct ch_async").fields() if field.name == "siblings"][
            0
        ].bitpos // 8
        if self.state == NEW:
            return
        todo = [(0, self, None)]
        while todo:
            depth, branch, outermost = todo.pop()
            if branch is not self:
                yield depth, branch
            below, scope = [], int(branch.branch["scope"])
            while scope and scope != outermost:
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


def domains():
    """Of each thread that is a domain: its struct ch_debug."""
    try:
        debug = gdb.parse_and_eval("ch_debug")
    except gdb.error:
        return
    while int(debug):
        yield debug
        debug = debug["next"]


def activities():
    for debug in domains():
        yield from activities_of(debug)


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

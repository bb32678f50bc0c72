"""`next`, `step` and `finish` go on after a wait.

To gdb a function that waits has returned. So while one of these commands runs, breakpoints in ch_suspend,
ch_suspend_home and those that do the same for images of one size tell when the activation that it is about is set
aside. Then we let the program go on until the scheduler resumes just this activation, and stop at the label of the
resume point. The same where the function was
resumed and returns: its caller lies in a saved frame, and is resumed next.

The commands stay gdb's own; ours are their hooks.

A function that is resumed is entered at its top, where a breakpoint on the function stands. So such breakpoints get a
condition.
"""

import gdb

from .runtime import at, word
from .saved import FRAME_ENTRY, Code, Saved
from .unwinder import BETWEEN, View, domain_of, function_at

ARGUMENTS = {"x86-64": ("rdi", "rsi", "rdx"), "aarch64": ("x0", "x1", "x2")}
STATUS = {"x86-64": "rax", "aarch64": "x0"}
SIZES = ("", *("_%d" % words for words in range(9)))  # abi/charcoal_sizes.h


def architecture():
    return "x86-64" if "x86-64" in gdb.selected_frame().architecture().name() else "aarch64"


def argument(number):
    value = gdb.newest_frame().read_register(ARGUMENTS[architecture()][number])
    return int(value) & (1 << 64) - 1


def activation(frame):
    """Where the image of an interruptible function's activation lies: what tells it from all others. None: it has
    none."""
    block = gdb.block_for_pc(frame.pc())
    while block and not block.is_static and not block.is_global:
        if block.function:
            code = Code.of(block.start)
            if code.register:
                return (int(frame.read_register(code.register)) + code.offset) & (1 << 64) - 1
        block = block.superblock
    return None


class Point(gdb.Breakpoint):
    """An internal breakpoint of this thread at an address; stops only where `wanted` says so."""

    def __init__(self, address, wanted=lambda: True):
        super().__init__("*%d" % address, internal=True)
        self.silent = True
        self.thread = gdb.selected_thread().num
        self.wanted = wanted

    def stop(self):
        return self.wanted()


def here(point):
    return gdb.selected_inferior().pid != 0 and gdb.newest_frame().pc() == point


def run_to(address, wanted=lambda: True):
    """Lets the program go on. False: something else has stopped it first."""
    point = Point(address, wanted)
    gdb.execute("continue", to_string=True)
    reached = here(address)
    if point.is_valid():
        point.delete()
    return reached


def function_of(frame):
    """Address of the interruptible function whose activation this is, or None."""
    block = gdb.block_for_pc(frame.pc())
    while block and not block.is_static and not block.is_global:
        if block.function and Code.of(block.start).register:
            return block.start
        block = block.superblock
    return None


def addresses_of(name):
    """Of the function for any size of image, and of those for one size."""
    return [int(gdb.parse_and_eval("(unsigned long)&" + name + size)) for size in SIZES]


class Watch:
    """While a command runs: whether the activation in this frame is set aside; or gives way before it has begun."""

    def __init__(self, frame):
        self.points = []
        image, function = activation(frame), function_of(frame)

        def is_it():
            image_now = argument(1)
            return (
                image_now == image
                or at(argument(0), "struct ch_frame_info")["flags"] & FRAME_ENTRY
                and word(image_now) == function
            )

        for name, wanted in (("ch_suspend", is_it), ("ch_suspend_home", lambda: argument(1) == image)):
            for address in addresses_of(name):
                self.points.append(Point(address, wanted))

    def end(self):
        """The name of the function in which the program has stopped because of us, or None."""
        suspended = None
        if gdb.selected_inferior().pid:
            pc = gdb.newest_frame().pc()
            for name in ("ch_suspend", "ch_suspend_home"):
                if pc in addresses_of(name):
                    suspended = name
        for point in self.points:
            point.delete()
        return suspended


def first_statement(function):
    """Where a breakpoint on the function stands."""
    rows = [row.pc for row in gdb.find_pc_line(function).symtab.linetable() if row.pc > function]
    return min(rows, default=None)


def resumed(saved):
    """Lets the program go on until this saved frame has been entered again. False: something else came first."""
    address, function, number = saved.address, saved.function, saved.point
    label = Code.of(function).point(number) if function else None
    if saved.not_begun:
        label = first_statement(function)
    if not label:
        return False
    return run_to(int(saved.info["resume"]), lambda: argument(0) == address) and run_to(label)


def behind_the_wait(name):
    """The program stands at the beginning of ch_suspend or ch_suspend_home, or of one for a size."""
    if name == "ch_suspend_home":
        frame = argument(0)
        if not run_to(gdb.newest_frame().older().pc()):
            return False
    else:
        debug = domain_of(gdb.newest_frame())
        link = int(at(debug["tls"], "struct ch_tls")["link"])
        if not run_to(gdb.newest_frame().older().pc()):
            return False
        frame = int(at(link, "unsigned long"))
    return resumed(Saved(frame))


def returned_to_the_scheduler():
    """It has, and a caller whose frame was saved is resumed next: this."""
    frame = gdb.newest_frame()
    name = function_at(frame.pc()) or frame.name() or ""
    if name not in BETWEEN and not name.startswith("charcoal.resume"):
        return None
    debug = domain_of(frame)
    link = int(debug["domain"]["parent"]) if debug and int(debug["domain"]["current"]) else 1
    return None if link & 1 else Saved(link)


def is_about_to_be_suspended():
    """The call has come back because it waits, and the function is on its way out, which has the line of its
    beginning."""
    frame = gdb.newest_frame()
    function = function_of(frame)
    out = Code.of(function).labels.get("__charcoal_suspend") if function else None
    return out is not None and frame.find_sal().line == gdb.find_pc_line(out).line and frame.pc() > function + 64


def place_of(frame):
    sal = frame.find_sal()
    return sal.symtab and sal.symtab.filename, sal.line


class Stepping:
    """One command, from its hook before to its hook after."""

    def __init__(self, command):
        self.command = command
        self.watch = self.line = None
        self.busy = self.begun = False

    def before(self):
        if self.busy or not gdb.selected_inferior().pid:
            return
        View.clear()
        frame = gdb.newest_frame() if self.command != "finish" else gdb.selected_frame().older()
        self.line = place_of(frame) if frame else None
        self.watch = Watch(frame) if frame and activation(frame) else None
        self.begun = True

    def after(self):
        if self.busy or not self.begun:
            return
        self.busy = True
        self.begun = False
        try:
            watch, self.watch = self.watch, None
            self.go_on(watch.end() if watch else None)
        finally:
            self.busy = False

    def go_on(self, suspended):
        if not gdb.selected_inferior().pid:
            return
        if suspended:
            if behind_the_wait(suspended) and self.command != "finish":
                self.rest_of_the_line()
            self.show()
        elif self.command == "finish" and self.gave_way():
            return
        elif returned_to_the_scheduler():
            resumed(returned_to_the_scheduler())
            self.show()
        elif self.command != "finish" and is_about_to_be_suspended():
            self.rest_of_the_line()
            self.show()

    def gave_way(self):
        """`finish` has come back to a caller whose call has not finished: it is about to be set aside, too."""
        frame = gdb.newest_frame()
        if not activation(frame) or int(frame.read_register(STATUS[architecture()])) & 0xFFFFFFFF not in (1, 2):
            return False
        watch = Watch(frame)
        gdb.execute("continue", to_string=True)
        suspended = watch.end()
        if suspended:
            behind_the_wait(suspended)
        self.show()
        return True

    def rest_of_the_line(self):
        """The wait was in the middle of a line."""
        for _ in range(100):
            frame = gdb.newest_frame()
            if place_of(frame) != self.line and not is_about_to_be_suspended():
                return
            watch = Watch(frame) if activation(frame) else None
            gdb.execute(self.command, to_string=True)
            suspended = watch.end() if watch else None
            if not gdb.selected_inferior().pid:
                return
            if suspended:
                if not behind_the_wait(suspended):
                    return
            elif returned_to_the_scheduler():
                resumed(returned_to_the_scheduler())
                return

    @staticmethod
    def show():
        if gdb.selected_inferior().pid:
            gdb.execute("frame")


class EnteredAgain(gdb.Function):
    """$_entered_again(): whether a function is entered that goes on after a wait, or that gave way at its entry."""

    def __init__(self):
        super().__init__("_entered_again")

    def invoke(self):
        frame = gdb.newest_frame()
        debug = domain_of(frame)
        if not debug:
            return False
        caller = frame.older()
        gave_way = caller and (caller.name() or "").startswith("charcoal.reenter.")
        return bool(gave_way or int(at(debug["tls"], "struct ch_tls")["entering"]))


def condition(breakpoint):
    """For a breakpoint before all resume points of its function."""
    if not breakpoint.visible or breakpoint.condition or breakpoint.type != gdb.BP_BREAKPOINT:
        return
    for location in breakpoint.locations:
        block = gdb.block_for_pc(location.address)
        while block and not block.is_static and not block.is_global:
            labels = Code.of(block.start).labels if block.function else None
            if labels and location.address < min(labels.values()):
                breakpoint.condition = "!$_entered_again()"
                return
            block = block.superblock


commands = {name: Stepping(name) for name in ("next", "finish")}


def register():
    for name in commands:
        for hook, method in (("hook-", "before"), ("hookpost-", "after")):
            gdb.execute("define %s%s\npython charcoal_gdb.stepping.commands[%r].%s()\nend" % (hook, name, name, method))
    gdb.execute("python import charcoal_gdb.stepping")
    EnteredAgain()
    gdb.events.breakpoint_created.connect(condition)

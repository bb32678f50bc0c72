"""Makes gdb's own backtrace whole.

An activity's callers may be on the native stack or in saved frames. Where the native stack has come to the scheduler,
which has resumed the innermost function, unwinding goes on with the saved frames: to gdb each is a frame like any
other, whose program counter is the label of its resume point, and whose stack pointer is such that the variables, which
the debug information places in the image on the native stack, fall onto the image in the saved frame. Registers are not
known there.

The scheduler's own frames are hidden by a frame filter (`backtrace -no-filters` shows them).
"""

import gdb
import gdb.unwinder
from gdb.FrameDecorator import FrameDecorator

from .runtime import NATIVE, at, domains
from .saved import Code, Saved, callers

SCHEDULER = {"ch_schedule", "ch_wait_in_place_at_end_slow"}  # they run branches
BETWEEN = SCHEDULER | {"ch_domain_run", "main_body", "ch_main", "ch_leaf_resume", "begin", "resume", "run"}
SWITCHES = {
    "swapcontext",
    "ch_stack_switch",
    "move_to",
    "move_scheduler",
    "wait_in",
}  # above those who wait in plain code
# What a native stack is resumed with: of the general registers in a ucontext_t.
GENERAL = {"rip": 16, "rsp": 15, "rbp": 10, "rbx": 11, "r12": 4, "r13": 5, "r14": 6, "r15": 7}


class FrameId:
    def __init__(self, sp, pc):
        self.sp, self.pc = sp, pc


def function_at(pc):
    """The name of the function that is not inlined."""
    block = gdb.block_for_pc(pc)
    name = None
    while block and not block.is_static and not block.is_global:
        if block.function:
            name = block.function.linkage_name
        block = block.superblock
    return name


def thread_pointer(frame):
    for register in ("fs_base", "tpidr"):
        try:
            return int(frame.read_register(register)) & (1 << 64) - 1
        except (ValueError, gdb.error):
            continue
    return None


def domain_of(frame):
    """The struct ch_debug of the frame's thread."""
    all_domains = list(domains())
    pointer = thread_pointer(frame)
    for debug in all_domains:
        if int(debug["thread"]) == pointer:
            return debug
    return all_domains[0] if pointer is None and len(all_domains) == 1 else None


class View:
    """The activity that `activity N` has chosen, or None."""

    branch = None
    pc = sp = None  # of the frame that stands in for it

    @classmethod
    def set(cls, branch):
        frame = gdb.newest_frame()
        cls.branch, cls.pc, cls.sp = branch, frame.pc(), int(frame.read_register("sp"))
        gdb.invalidate_cached_frames()

    @classmethod
    def clear(cls):
        if cls.branch:
            cls.branch = None
            gdb.invalidate_cached_frames()


class Unwinder(gdb.unwinder.Unwinder):
    def __init__(self):
        super().__init__("charcoal")
        # (pc, sp) of a saved frame as gdb sees it -> the frames from there on, and its place in the order of frames
        self.chains = {}
        self.functions = {}
        gdb.events.cont.connect(lambda event: self.forget())

    def forget(self):
        self.chains.clear()
        View.branch = None

    def __call__(self, pending):
        try:
            return self.unwind(pending)
        except (gdb.MemoryError, gdb.error):
            return None

    def unwind(self, pending):
        pc, sp = int(pending.read_register("pc")), int(pending.read_register("sp")) & (1 << 64) - 1
        if (pc, sp) in self.chains:
            chain, order = self.chains[pc, sp]
            return self.to_caller(pending, chain[1:], order)
        if View.branch and (pc, sp) == (View.pc, View.sp):
            if View.branch.flags & NATIVE:
                return self.to_native_stack(pending, sp)
            return self.to_caller(pending, list(callers(View.branch.top)), sp)
        if pc not in self.functions:
            self.functions[pc] = function_at(pc)
        if self.functions[pc] in SCHEDULER:
            if View.branch:  # it waits in plain code, on this stack
                return self.to_caller(pending, list(callers(Saved(View.branch.top).frame["parent"])), sp)
            debug = domain_of(pending)
            if debug and int(debug["domain"]["current"]):
                return self.to_caller(pending, list(callers(debug["domain"]["parent"])), sp)
        return None

    @staticmethod
    def to_native_stack(pending, order):
        """The chosen activity waits in plain code: its innermost frames are on a native stack of its own
        (runtime/sched/native.h)."""
        info = pending.create_unwind_info(FrameId(gdb.Value(order - 1), pending.read_register("pc")))
        frame = gdb.lookup_type("struct ch_native").fields()
        offset = next(field for field in frame if field.name == "frame").bitpos // 8
        context = at(View.branch.top - offset, "struct ch_native")["stack"].dereference()["context"]
        general = context.cast(gdb.lookup_type("ucontext_t").pointer()).dereference()["uc_mcontext"]["gregs"]
        for name, index in GENERAL.items():
            info.add_saved_register(name, gdb.Value(int(general[index])).cast(pending.read_register(name).type))
        return info

    def to_caller(self, pending, chain, order):
        """The frame that is asked for comes `order` in the stack; its callers are the chain, innermost first."""
        register = pending.read_register
        info = pending.create_unwind_info(FrameId(gdb.Value(order), register("pc")))
        chain = [saved for saved in chain if saved.function]
        pc = sp = 0
        if chain:
            code = Code.of(chain[0].function)
            pc = chain[0].program_counter()
            sp = chain[0].image - (code.offset or 0)
            self.chains[pc, sp] = chain, order + 16
        for name, value in (("pc", pc), ("sp", sp), ("rbp", sp), ("x29", sp)):
            try:
                info.add_saved_register(name, gdb.Value(value).cast(register(name).type))
            except ValueError:
                pass
        return info

    def saved(self, frame):
        """The saved frame that gdb shows here, or None."""
        key = frame.pc(), int(frame.read_register("sp")) & (1 << 64) - 1
        return self.chains[key][0][0] if key in self.chains else None


unwinder = Unwinder()


class Waiting(FrameDecorator):
    """Where the chosen activity is: in the call that waits."""

    def function(self):
        return View.branch.doing()

    def address(self):
        return None

    filename = line = frame_args = frame_locals = lambda self: None


class Told(FrameDecorator):
    """What the frame's description says, where the code has been laid out such that no program counter says it."""

    def __init__(self, frame, function, where):
        super().__init__(frame)
        self.told, (self.file, _, self.number) = function, (where or "").rpartition(":")

    def function(self):
        return self.told

    def filename(self):
        return self.file or None

    def line(self):
        return int(self.number) if self.number else None

    frame_args = frame_locals = lambda self: None


def agrees(frame, saved):
    where = next(saved.places())[1]
    return not where or ":" not in where or frame.find_sal().line == int(where.rpartition(":")[2])


class NotBegun(FrameDecorator):
    def function(self):
        return "%s (not begun)" % super().function()

    line = frame_args = frame_locals = lambda self: None


def is_hidden(frame):
    """The scheduler's, while it runs an activity; or the end of the chain."""
    name = frame.name() or ""
    if View.branch and name in SWITCHES:
        return True
    if frame.pc() != 0 and name not in BETWEEN and not name.startswith("charcoal."):
        return False
    debug = domain_of(frame)
    return bool(View.branch or debug and int(debug["domain"]["current"]))


def decorated(frames):
    for decorator in frames:
        frame = decorator.inferior_frame()
        if View.branch and frame.level() == 0:
            yield Waiting(frame)
            continue
        if is_hidden(frame):
            continue
        try:
            saved = unwinder.saved(frame)
        except gdb.error:
            saved = None
        if saved and saved.not_begun:
            yield NotBegun(frame)
        elif saved and not agrees(frame, saved):
            for function, where in saved.places():
                yield Told(frame, function, where)
        else:
            yield decorator


class Filter:
    def __init__(self):
        self.name, self.priority, self.enabled = "charcoal", 100, True

    def filter(self, frames):
        return decorated(frames)


def register():
    gdb.unwinder.register_unwinder(None, unwinder, True)
    gdb.frame_filters["charcoal"] = Filter()

"""`info activities`, `activity`."""

import gdb

from .runtime import NEW, Branch, activities, site
from .saved import Saved
from .unwinder import View, is_hidden


def numbered():
    """(number, activity): the numbers are those of `info activities`, and hold until the program goes on."""
    return enumerate(activities(), 1)


def chosen(word):
    """The activities with this number, name or address."""
    return [a for n, a in numbered() if word in (str(n), a.name, hex(a.address))]


class InfoActivities(gdb.Command):
    """Lists the live activities: number, address, name, and what each waits for."""

    def __init__(self):
        super().__init__("info activities", gdb.COMMAND_STATUS)

    def invoke(self, argument, from_tty):
        for number, activity in numbered():
            print("%4d  %s" % (number, activity.title()))


def frames_of(branch):
    """Its own saved frames."""
    link = branch.top
    while link and not link & 1:
        saved = Saved(link)
        yield saved
        link = int(saved.frame["parent"])


def print_frames(branch, indent):
    number = 0
    for saved in frames_of(branch):
        for function, where in saved.places():
            print("%s#%d %s%s" % (indent, number, function, " at " + where if where else ""))
            number += 1


def print_activity(activity):
    print(activity.title())
    print_frames(activity, "  ")
    for depth, below in activity.tree():
        indent = "  " + "    " * depth
        if isinstance(below, Branch):
            print(indent + below.title())
            print_frames(below, indent + "  ")
        else:
            print(
                indent
                + ("in noncancellable" if below["barrier"] else "in finish")
                + site(below)
                + (", cancelled" if below["marked"] else "")
            )


class Activity(gdb.Command):
    """activity N|NAME|ADDRESS [COMMAND]: runs the command as if this activity were what has stopped; without a command,
    all commands from here on. `activity none` goes back to the thread. Frame 0 stands for the wait; the activity's
    frames begin at 1. N: see `info activities`."""

    def __init__(self):
        super().__init__("activity", gdb.COMMAND_STACK, prefix=True)

    def invoke(self, argument, from_tty):
        word, _, command = argument.strip().partition(" ")
        if not word:
            print("Activity: " + (View.branch.title() if View.branch else "that of the thread."))
            return
        if word == "none":
            View.clear()
            return
        found = chosen(word)
        if not found:
            raise gdb.GdbError("No activity has the number, name or address %s; see 'info activities'." % word)
        if len(found) > 1:
            raise gdb.GdbError("%d activities are called %s; say which by its number." % (len(found), word))
        activity = found[0]
        if activity.runs():
            View.clear()  # it is what the thread shows
        elif activity.state == NEW:
            raise gdb.GdbError("This activity has not begun; it has no frames.")
        else:
            View.set(activity)
        if command:
            try:
                gdb.execute(command, from_tty)
            finally:
                View.clear()
        else:
            print(activity.title())


class ActivityBacktrace(gdb.Command):
    """Shows the saved frames of every activity, or of those with the given number, name or address, and of its async
    branches under the scopes that they were started in. Of a running activity
    these are its callers; the rest is on the native stack, which `backtrace` shows."""

    def __init__(self):
        super().__init__("activity backtrace", gdb.COMMAND_STACK)

    def invoke(self, argument, from_tty):
        found = chosen(argument) if argument else list(activities())
        for activity in found:
            print_activity(activity)
        if not found:
            print("No activity%s." % (" is called or lies at " + argument if argument else ""))


class Move(gdb.Command):
    """Selects and prints the frame that called this one (up), or that this one called (down); with a number, so many.
    Frames of the scheduler are passed over."""

    def __init__(self, name, step, end):
        super().__init__(name, gdb.COMMAND_STACK)
        self.step, self.end = step, end

    def invoke(self, argument, from_tty):
        count = int(gdb.parse_and_eval(argument)) if argument else 1
        for i in range(count):
            frame = self.step(gdb.selected_frame())
            while frame and is_hidden(frame):
                frame = self.step(frame)
            if not frame and i == 0:
                raise gdb.GdbError(self.end)
            if not frame:
                break
            frame.select()
        gdb.execute("frame", from_tty)


def register():
    Move("up", lambda frame: frame.older(), "Initial frame selected; you can't go up.")
    Move("down", lambda frame: frame.newer(), "Bottom (innermost) frame selected; you can't go down.")
    InfoActivities()
    Activity()
    ActivityBacktrace()

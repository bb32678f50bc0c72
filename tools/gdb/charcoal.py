"""Activities in gdb, of a running program and of a core file.

    (gdb) source charcoal.py
    (gdb) backtrace                  of the activity that runs, with the callers whose frames are saved
    (gdb) info activities            all of them, and what each waits for
    (gdb) activity backtrace         every activity with its scopes and async branches
    (gdb) activity 3 backtrace       any command, as if activity 3 were what has stopped: `activity 3 frame 2`,
                                     `activity 3 info locals`
    (gdb) activity 3                 the same for all commands from here on, until the program goes on or
                                     `activity none`
    (gdb) next, finish               go on after a wait, in the same activity

The program must have debug information of the runtime (libcharcoal comes with it). Functions compiled without -g have a
name, but neither lines nor variables. Nothing is called in the program.
"""

import os
import sys

import gdb

sys.path.insert(0, os.path.dirname(os.path.abspath(os.path.expanduser(__file__))))

from charcoal_gdb import commands, stepping, unwinder  # noqa: E402

unwinder.register()
commands.register()
stepping.register()

"""`calls`, case `atomic`: is the plain version of a function the very code that clang makes?"""

from . import objects, results
from .build import HERE, Unavailable, clang, run_logged


def compare(ours, clangs):
    """(how many functions of clang's object ours has with the same code, how many clang's has, names that differ)"""
    mine, theirs = objects.disassemble(ours), objects.disassemble(clangs)
    different = [
        name for name, code in theirs.items() if objects.canonical(code) != objects.canonical(mine.get(name, []))
    ]
    return len(theirs) - len(different), len(theirs), different


def rows(builder, complaints):
    """Compiles the source of `calls` with both compilers and compares `f`, which holds no word of the dialect."""
    try:
        ours, clangs = f"{builder.out}/calls-charcoal.o", f"{builder.out}/calls-c.o"
        run_logged([builder.charcoal_cc(), "-O2", "-c", f"{HERE}/calls/charcoal.c", "-o", ours], builder.log)
        run_logged([clang(), "-O2", "-c", f"{HERE}/calls/c.c", "-o", clangs], builder.log)
        mine, theirs = objects.disassemble(ours), objects.disassemble(clangs)
    except Unavailable as reason:
        complaints.append(("charcoal", "atomic", f"charcoal, machine code: {reason}"))
        return []
    same = bool(theirs.get("f")) and objects.canonical(theirs["f"]) == objects.canonical(mine.get("f", []))
    if not same:
        complaints.append(("charcoal", "atomic", "charcoal: the plain version of f is not the code that clang makes"))
    return [results.row("calls", "atomic", "charcoal", "machine code as clang's", float(same), "1 = identical")]

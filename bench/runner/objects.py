"""Reads object files: which function is how large, what it consists of, and whether two are the same code."""

import re
import shutil
import subprocess

from .build import Unavailable

HEADER = re.compile(r"^[0-9a-f]+ <(.+)>:$")
INSTRUCTION = re.compile(r"^\s*([0-9a-f]+):\s+(\S+)\s*(.*)$")
RELOCATION = re.compile(r"^\s*[0-9a-f]+:\s+R_\S+\s+(\S+)")
DIRECT = re.compile(r"0x([0-9a-f]+)(?: <|$)")


def llvm(name, *arguments):
    program = shutil.which(f"{name}-22") or shutil.which(name)
    if not program:
        raise Unavailable(f"{name} is not installed (apt: llvm-22)")
    return subprocess.run([program, *arguments], capture_output=True, text=True, check=True).stdout


def sections(*paths):
    """{section name: bytes}"""
    result = {}
    for line in llvm("llvm-size", "-A", *paths).splitlines():
        parts = line.split()
        if len(parts) == 3 and parts[0].startswith("."):
            result[parts[0]] = result.get(parts[0], 0) + int(parts[1])
    return result


def code_bytes(*paths):
    return sum(size for name, size in sections(*paths).items() if name.split(".")[1] in ("text", "init", "fini", "plt"))


def functions(path):
    """{name: bytes} of the functions that the file defines."""
    result = {}
    for line in llvm("llvm-nm", "--print-size", "--defined-only", path).splitlines():
        parts = line.split()
        if len(parts) == 4 and parts[2] in "tTwW":
            result[parts[3]] = int(parts[1], 16)
    return result


def disassemble(path):
    """{function: [(address, mnemonic, operands, relocation target or '')]}"""
    code, current = {}, None
    for line in llvm("llvm-objdump", "-d", "-r", "--no-show-raw-insn", path).splitlines():
        if header := HEADER.match(line):
            current = code.setdefault(header.group(1), [])
        elif relocation := RELOCATION.match(line):
            if current:
                address, mnemonic, operands, target = current[-1]
                current[-1] = (address, mnemonic, operands, f"{target} {relocation.group(1)}".strip())
        elif (instruction := INSTRUCTION.match(line)) and current is not None:
            current.append((int(instruction.group(1), 16), instruction.group(2), instruction.group(3), ""))
    return code


def canonical(code):
    """A function's code without what depends on where things lie: addresses, and offsets into sections."""
    if not code:
        return []
    end = len(code)
    while end and code[end - 1][1].startswith(("nop", "int3", "data16", "cs")):
        end -= 1
    start = code[0][0]
    lines = []
    for _, mnemonic, operands, target in code[:end]:
        operands = (
            DIRECT.sub(lambda m: f"+{int(m.group(1), 16) - start:x} <", operands) if mnemonic[0] == "j" else operands
        )
        operands = re.sub(r"\s*(#.*|<.*)$", "", operands)
        if target:
            operands = re.sub(r"0x[0-9a-f]+", "?", operands) if mnemonic.startswith(("call", "j")) else operands
            target = re.sub(r"\.LCPI\d+_", ".LCPI_", target)
            target = re.sub(r"^(\.[^+-]*).*$", r"\1", target)
        lines.append((mnemonic, operands.strip(), target))
    return lines


def parts(code, ends, restores):
    """Bytes of an interruptible function: {"body", "suspend", "restore"}.

    `suspend` are the blocks from which every way leads to a call of one of `ends`, `restore` those that can only be
    reached from a call of one of `restores`. An indirect jump may lead anywhere.
    """
    addresses = [item[0] for item in code]
    position = {address: i for i, address in enumerate(addresses)}
    leaders, jumps = {0}, {}
    for i, (_, mnemonic, operands, _) in enumerate(code):
        if mnemonic[0] == "j":
            match = DIRECT.search(operands)
            target = position.get(int(match.group(1), 16)) if match and "*" not in operands else None
            jumps[i] = target
            if target is not None:
                leaders.add(target)
            if i + 1 < len(code):
                leaders.add(i + 1)
        elif mnemonic.startswith(("ret", "ud2")) and i + 1 < len(code):
            leaders.add(i + 1)
    starts = sorted(leaders)
    blocks = list(zip(starts, starts[1:] + [len(code)]))
    index = {start: b for b, (start, _) in enumerate(blocks)}
    successors, calls, indirect = [], [], []
    for start, end in blocks:
        last, (_, mnemonic, _, target) = end - 1, code[end - 1]
        after, unknown = set(), False
        if mnemonic[0] == "j":
            to = jumps.get(last)
            if to is not None:
                after.add(index[to])
            elif "*" in code[last][2]:
                unknown = True
        if not mnemonic.startswith(("ret", "ud2", "jmp")) and end < len(code):
            after.add(index[end])
        successors.append(after)
        indirect.append(unknown)
        calls.append(" ".join(item[3] for item in code[start:end]))
    suspend = {b for b, text in enumerate(calls) if any(name in text for name in ends)}
    restore = {b for b, text in enumerate(calls) if any(name in text for name in restores)}
    changed = True
    while changed:
        more = {
            b
            for b in range(len(blocks))
            if b
            and b not in suspend
            and b not in restore
            and successors[b]
            and successors[b] <= suspend
            and not indirect[b]
        }
        suspend |= more
        changed = bool(more)
    predecessors = [set() for _ in blocks]
    for b, after in enumerate(successors):
        for s in after:
            predecessors[s].add(b)
    tables_in_restore = True
    changed = True
    while changed:
        tables = [b for b in range(len(blocks)) if indirect[b]]
        tables_in_restore = bool(tables) and all(b in restore for b in tables)
        more = {
            b
            for b in range(1, len(blocks))
            if b not in suspend
            and b not in restore
            and (predecessors[b] <= restore if predecessors[b] else tables_in_restore)
        }
        restore |= more
        changed = bool(more)
    # What follows the call of the suspending function itself (its epilogue) belongs to it when nobody else comes there.
    changed = True
    while changed:
        more = {
            b
            for b in range(1, len(blocks))
            if b not in suspend and b not in restore and predecessors[b] and predecessors[b] <= suspend
        }
        suspend |= more
        changed = bool(more)
    total = {"body": 0, "suspend": 0, "restore": 0}
    for b, (start, end) in enumerate(blocks):
        size = (addresses[end] if end < len(code) else addresses[-1] + 4) - addresses[start]
        total["suspend" if b in suspend else "restore" if b in restore else "body"] += size
    return total

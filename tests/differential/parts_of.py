"""Runs commands that end with the line `N passed, N failed`, one after the other, and prints the sum as its own last
line."""

import re
import subprocess

COUNTS = re.compile(r"(\d+) passed, (\d+) failed\s*")


def run_parts(parts):
    """Exit status: 0 if something passed and nothing failed. A part that ends in any other way counts as one
    failure."""
    passed = failed = 0
    for part in parts:
        child = subprocess.Popen(part, stdout=subprocess.PIPE, text=True)
        last = ""
        for last in child.stdout:
            if not last.startswith("ok "):
                print(last, end="", flush=True)
        status = child.wait()
        counts = COUNTS.fullmatch(last)
        if counts:
            passed, failed = passed + int(counts[1]), failed + int(counts[2])
        if not counts or (status != 0 and not int(counts[2])):
            print(f"ended with status {status}: {' '.join(part)}")
            failed += 1
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0

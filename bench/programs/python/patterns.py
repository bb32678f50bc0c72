"""Applies regular expressions to the lines of a log: patterns.py LINES."""
import re
import sys

LINE = re.compile(r"(?P<host>\d+(?:\.\d+){3}) - (?P<user>\w+|-) \[(?P<day>\d\d)/(?P<month>[A-Z][a-z]{2})\] "
                  r'"(?P<method>GET|POST|HEAD) (?P<path>/[^ "]*)" (?P<status>[1-5]\d\d) (?P<size>\d+)')
WORD = re.compile(r"[a-z]+")
DOUBLED = re.compile(r"(\w)\1")
LAZY = re.compile(r"/.*?/(.*)\?(?:.*&)?key=([^&]*)")


def log(count):
    for i in range(count):
        method, user = ("GET", "POST", "HEAD")[i % 3], ("-", "anna", "otto")[i % 3]
        path = f"/shelf{i % 9}/book{i * i % 1001}?page={i % 17}&key=k{i % 5}"
        yield f'10.{i % 7}.{i % 11}.{i % 250} - {user} [{i % 28 + 1:02}/Mar] "{method} {path}" {200 + i % 5} {i * 13}'


def main():
    sizes, keys, words, doubled = {}, {}, 0, 0
    for line in log(int(sys.argv[1])):
        match = LINE.match(line)
        sizes[match["host"]] = sizes.get(match["host"], 0) + int(match["size"])
        if found := LAZY.search(match["path"]):
            keys[found[2]] = keys.get(found[2], 0) + len(found[1])
        words += len(WORD.findall(line))
        doubled += len(DOUBLED.sub("<\\1>", line)) - len(line)
    print(len(sizes), sum(sizes.values()), sorted(keys.items()), words, doubled)


main()

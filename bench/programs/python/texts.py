"""Builds, splits, sorts and counts text: texts.py WORDS."""
import sys


def words(count):
    seed = 7
    for _ in range(count):
        seed = (seed * 1103515245 + 12345) % 2**31
        yield "".join(chr(97 + (seed >> shift) % 26) for shift in (3, 7, 11, 15)) + str(seed % 100)


def caesar(text, by):
    return text.translate({code: (code - 97 + by) % 26 + 97 for code in range(97, 123)})


def main():
    counts, lines, line = {}, [], ""
    for word in words(int(sys.argv[1])):
        counts[word[:2]] = counts.get(word[:2], 0) + 1
        if len(line) + len(word) > 70:
            lines.append(line.rstrip().center(72, "."))
            line = ""
        line += word + " "
    text = "\n".join(lines)
    shuffled = sorted(text.split(), key=lambda word: (word[::-1], len(word)))
    table = "\n".join(f"{key!r:>8}|{value:<6d}|{value / len(counts):8.3f}" for key, value in sorted(counts.items()))
    encoded = caesar(text, 13).replace("n", "--").upper().encode("utf-16").decode("utf-16")
    print(len(text), len(shuffled), shuffled[:2], len(table), encoded.count("--"), "%s" % table[-27:].split("|"))


main()

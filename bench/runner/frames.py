"""Reads the frame descriptions in object files: struct ch_frame_info of abi/charcoal_abi.h.

Each has a section of its own (-fdata-sections), in which the relocation of `fn` says which function it belongs to.
"""

import statistics
import struct

SECTION = ".data.rel.ro.charcoal.info"
FN, SIZE, FLAGS = 8, 44, 56  # offsets: fn; size and image; flags
HEADER = 24
HOME = 1
SYMTAB, RELA = 2, 4


def sections(data):
    """[(name, type, offset, size, link, info)] of an ELF file of 64 bits."""
    (start,) = struct.unpack_from("<Q", data, 40)
    size, count, names = struct.unpack_from("<HHH", data, 58)
    headers = [struct.unpack_from("<IIQQQQII", data, start + i * size) for i in range(count)]
    text = headers[names][4]
    return [
        (data[text + name : data.index(b"\0", text + name)].decode(), kind, offset, length, link, info)
        for name, kind, _, _, offset, length, link, info in headers
    ]


def owners(data, found):
    """{number of a description's section: (section, offset) of the function that it describes}"""
    result = {}
    for _, kind, offset, length, link, described in found:
        if kind != RELA or not found[described][0].startswith(SECTION):
            continue
        for at in range(offset, offset + length, 24):
            place, what, addend = struct.unpack_from("<QQq", data, at)
            if place == FN:
                _, _, _, section, value = struct.unpack_from("<IBBHQ", data, found[link][2] + (what >> 32) * 24)
                result[described] = (section, value + addend)
    return result


def descriptions(path):
    """[(bytes of the frame, of its image, whether it has homes)] of each function; its largest frame, if it has two."""
    with open(path, "rb") as file:
        data = file.read()
    found, largest = sections(data), {}
    for number, owner in owners(data, found).items():
        size, image = struct.unpack_from("<II", data, found[number][2] + SIZE)
        (flags,) = struct.unpack_from("<H", data, found[number][2] + FLAGS)
        largest[owner] = max(largest.get(owner, (0, 0, False)), (size, image, bool(flags & HOME)))
    return list(largest.values())


def table(paths):
    """{what: (value, unit)} over all functions that can be suspended."""
    every = [frame for path in paths for frame in descriptions(path)]
    sizes, images = [size for size, _, _ in every], [image for _, image, _ in every]
    homes = [size - image - HEADER for size, image, home in every if home]
    return {
        "functions that can be suspended": (len(every), "functions"),
        "functions with homes": (len(homes), "functions"),
        "frame, median": (statistics.median(sizes), "bytes"),
        "frame, mean": (statistics.mean(sizes), "bytes"),
        "frame, largest": (max(sizes), "bytes"),
        "image, median": (statistics.median(images), "bytes"),
        "image, largest": (max(images), "bytes"),
        "homes, median of those": (statistics.median(homes or [0]), "bytes"),
        "homes, largest": (max(homes or [0]), "bytes"),
    }

"""Types of C for `random_program.py`, most of them of one word (8 bytes): structures, unions, bit-fields, vectors.

A type says how a part of a value is stored and read alone. Types without padding may also be read and written byte by
byte at a position that the compiler does not know, which keeps a local in memory.
"""

from dataclasses import dataclass, field

NUMBERS = [("signed char", 1), ("unsigned char", 1), ("short", 2), ("int", 4), ("unsigned", 4), ("long", 8)]
NUMBERS += [("float", 4), ("double", 8)]


@dataclass
class Type:
    name: str
    declaration: str = ""
    stored: list = field(default_factory=list)  # statements that store a part: {v} the object, {e} an unsigned
    read: list = field(default_factory=list)  # expressions that read a part, as an unsigned
    whole: bool = True  # no padding: its bytes may be read
    number: int = 0  # among those of the program


def scalar(name, read="(unsigned){v}", stored="{v} = ({name}){e};", whole=True):
    return Type(name, "", [stored.replace("{name}", name)], [read], whole)


def fields(random, size, kinds):
    """Members that fill `size` bytes without padding: pairs of a type and its size."""
    chosen, offset = [], 0
    while offset < size:
        fitting = [k for k in kinds if offset % k[1] == 0 and offset + k[1] <= size]
        chosen.append(random.choice(fitting))
        offset += chosen[-1][1]
    return chosen


def structure(random, name, size, keyword="struct"):
    if keyword == "union":  # no _Bool, which other members could make neither true nor false
        members = random.sample(NUMBERS, 3)
    else:
        members = fields(random, size, [*NUMBERS, ("_Bool", 1)])
    made = Type(f"{keyword} {name}")
    text = []
    for i, (kind, _) in enumerate(members):
        text.append(f"{kind} m{i};")
        made.stored.append(f"{{v}}.m{i} = ({kind})(int){{e}};")
        if kind not in ("float", "double"):
            made.read.append(f"(unsigned){{v}}.m{i}")
    if keyword == "union":
        text.append(f"unsigned char all[{size}];")
        made.read.append("{v}.all[3]")
    made.declaration = f"{keyword} {name} {{ {' '.join(text)} }};"
    made.read = made.read or ["7u"]
    return made


def bit_fields(random, name):
    made, text, left = Type(f"struct {name}"), [], 64
    while left:
        width = min(left, random.randint(1, 31))
        kind = random.choice(["long", "unsigned long"])
        member = f"m{len(text)}"
        text.append(f"{kind} {member} : {width};")
        made.stored.append(f"{{v}}.{member} = {{e}};")
        made.read.append(f"(unsigned){{v}}.{member}")
        left -= width
    made.declaration = f"struct {name} {{ {' '.join(text)} }};"
    return made


def vector(name, element, size):
    made = Type(name, f"typedef {element} {name} __attribute__((vector_size({size})));")
    made.stored = [f"{{v}}[{i}] = ({element}){{e}};" for i in (0, 1)]
    made.read = ["(unsigned){v}[1]", "(unsigned){v}[{e} % 2]"] if element != "float" else ["7u"]
    return made


def complex_number(part):
    made = Type(f"_Complex {part}")
    made.stored = [f"__real__ {{v}} = ({part})(int){{e}};", f"__imag__ {{v}} = ({part})(int){{e}};"]
    made.read = ["7u"]
    return made


def all_types(random):
    """Those of one program: scalars and some that are drawn."""
    types = [scalar("unsigned"), scalar("long"), scalar("char"), scalar("__int128", "(unsigned)({v} >> 37)")]
    types[-1].stored.append("{v} += (__int128){e} << 40;")
    types.append(scalar("double", "7u", "{v} = (double)(int){e};"))
    types.append(scalar("long double", "(unsigned)(long){v}", "{v} = (long double)(int){e} / 2;", whole=False))
    types += [structure(random, f"word{i}", 8) for i in range(4)] + [structure(random, "words", 16)]
    types += [structure(random, "half", 4), structure(random, "three", 24)]
    types += [structure(random, f"either{i}", 8, "union") for i in range(2)]
    types += [bit_fields(random, f"bits{i}") for i in range(2)]
    types += [vector("ints", "int", 8), vector("shorts", "short", 8), vector("floats", "float", 8)]
    types += [vector("longs", "long", 16), complex_number("float"), complex_number("double")]
    types.append(Type("pair", "typedef struct { int of[2]; } pair;", ["{v}.of[0] = (int){e};"], ["{v}.of[{e} % 2]"]))
    types[-1].stored.append("{v}.of[{e} % 2] = 5;")
    for number, kind in enumerate(types):
        kind.number = number
    return types

"""Changes to requests for servers that must bear anything."""


def mutate(draw, data, alphabet):
    """`data` after up to five changes by `draw`: other bytes, fewer, more from `alphabet`, or its beginning again."""
    data = bytearray(data)
    for _ in range(draw.randint(1, 5)):
        at = draw.randrange(len(data))
        match draw.randrange(4):
            case 0:
                data[at] = draw.randrange(256)
            case 1:
                del data[at : at + draw.randint(1, 20)]
            case 2:
                data[at:at] = bytes(draw.choices(alphabet, k=draw.randint(1, 12)))
            case 3:
                data[at:at] = data[: draw.randint(1, 60)]
        data = data or bytearray(b"\n")
    return bytes(data)

"""Turns documents into JSON and back, by the module in C and by one in Python: documents.py ROUNDS."""
import json
import json.decoder
import json.encoder
import json.scanner
import sys


def document(number):
    return {
        "id": number,
        "name": f"name \u00e9 {number} \"quoted\"",
        "tags": [f"tag{i}" for i in range(number % 7)],
        "size": number * 0.37,
        "nested": {"list": list(range(number % 13)), "none": None, "yes": True},
    }


def in_python():
    """An encoder and a decoder that use none of the functions in C."""
    decoder = json.JSONDecoder()
    decoder.parse_string = json.decoder.py_scanstring
    decoder.scan_once = json.scanner.py_make_scanner(decoder)
    json.encoder.c_make_encoder = None
    return json.JSONEncoder(sort_keys=True), decoder


def main():
    rounds, total = int(sys.argv[1]), 0
    documents = [document(number) for number in range(100)]
    for turn in range(rounds * 10):
        text = json.dumps(documents, sort_keys=True, indent=turn % 3)
        total += len(text) + (json.loads(text) == documents)
    encoder, decoder = in_python()
    for _ in range(rounds):
        text = encoder.encode(documents)
        total += len(text) + (decoder.decode(text) == documents)
    print(total)


main()
